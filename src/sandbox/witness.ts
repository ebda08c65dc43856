/**
 * Stands around every request of the API: admits it by the rate limits, plays faults, and writes into the log what
 * happened and what the client was told. Nothing is answered before the effect and its row in the log are committed.
 */
import type { Context, MiddlewareHandler, Next } from 'hono';
import { answerRefusal, Refusal } from './core/refusal.ts';
import { type RequestKind, requestKind } from './core/request-kind.ts';
import type { SandboxEnv, Service } from './core/sandbox-env.ts';
import { decideFault, type Fault, type FaultState, initialFaultState } from './faults/fault-decision.ts';
import { askedWaitMs, playAfter, playBefore, toldStatus } from './faults/fault-effects.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import type { SlidingWindows } from './faults/sliding-window.ts';
import type { RequestToLog } from './store/request-log.ts';

/** Long search texts are cut: the log is bounded in bytes too. */
const LONGEST_PATH = 300;

export interface Witness {
  readonly middleware: MiddlewareHandler<SandboxEnv>;
  /** From the next request on, these faults. */
  setFaults(plan: FaultPlan): void;
  /** Resolves when no request is being handled. */
  idle(): Promise<void>;
}

export function createWitness(service: Service, limits: SlidingWindows, firstPlan: FaultPlan): Witness {
  const { store, clock } = service;
  let plan = firstPlan;
  let faultState: FaultState = initialFaultState(plan);
  let active = 0;
  let onIdle: PromiseWithResolvers<void> | undefined;

  const log = (request: RequestToLog) => {
    store.group.write(() => store.log.add(request));
    return store.group.settled();
  };

  const decide = (kind: RequestKind): Fault | undefined => {
    if (plan.rules.length === 0) return undefined;
    const decided = decideFault(plan, faultState, kind);
    faultState = decided.state;
    return decided.fault;
  };

  async function witnessed(c: Context<SandboxEnv>, next: Next): Promise<Response | undefined> {
    const kind = requestKind(c.req.method, c.req.path);
    if (kind === 'page') {
      await next();
      return undefined;
    }
    const arrival = { at: clock.now(), method: c.req.method, path: shortPath(c.req.url), kind };
    const waitMs = isLimited(kind) ? limits.admit(clock.monotonic()) : 0;
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      const row: RequestToLog = { ...arrival, status: 429, fault: 'rate-limit', effect: 'none' };
      await log({ ...row, retryAfterMs: seconds * 1000 });
      return answerRefusal(c, rateLimited(seconds));
    }

    const fault = decide(kind);
    if (fault?.moment === 'before') {
      const answer = playBefore(service, c, fault.deed);
      if (answer !== undefined) {
        await log({ ...arrival, effect: 'none', ...told(fault, undefined) });
        return answer;
      }
    }

    await next();

    const handled = c.res.status;
    const done = handled < 400 ? c.get('effect') : undefined;
    await log({
      ...arrival,
      handled,
      effect: done?.effect ?? 'none',
      ...(done?.ticketSeq === undefined ? {} : { ticketSeq: done.ticketSeq }),
      ...(done?.subject === undefined ? {} : { subject: done.subject }),
      ...(fault === undefined ? { status: handled } : told(fault, handled)),
    });
    if (fault?.moment === 'after') {
      const answer = c.res;
      // Hono merges the headers of a response that is replaced; the spoiled one stands alone.
      c.res = undefined;
      c.res = await playAfter(service, c, fault.deed, answer);
    }
    return undefined;
  }

  async function counted(c: Context<SandboxEnv>, next: Next): Promise<Response | undefined> {
    active++;
    try {
      return await witnessed(c, next);
    } finally {
      active--;
      if (active === 0) onIdle?.resolve();
    }
  }

  return {
    middleware: counted as MiddlewareHandler<SandboxEnv>,
    idle() {
      if (active === 0) return Promise.resolve();
      onIdle ??= Promise.withResolvers<void>();
      return onIdle.promise;
    },
    setFaults(newPlan) {
      plan = newPlan;
      faultState = initialFaultState(plan);
    },
  };
}

/** The rate limits are those of the Core API: tokens and files are not counted. */
function isLimited(kind: RequestKind): boolean {
  return kind !== 'token' && kind !== 'upload' && kind !== 'download';
}

function told(
  fault: Fault,
  handled: number | undefined,
): Pick<RequestToLog, 'fault' | 'status' | 'retryAfterMs'> {
  const status = toldStatus(fault.deed, handled);
  const retryAfterMs = askedWaitMs(fault.deed);
  return {
    fault: fault.text,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function rateLimited(seconds: number): Refusal {
  return new Refusal(429, 'rate_limited', `Too many requests; try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Path and query of an absolute URL. */
function shortPath(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2)).slice(0, LONGEST_PATH);
}
