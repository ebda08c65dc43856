/**
 * Stands around every request of the API: admits it by the rate limits, plays faults, and writes into the log what
 * happened and what the client was told. Nothing is answered before the effect and its row in the log are committed.
 */
import type { Context, MiddlewareHandler, Next } from 'hono';
import { readBytes } from './core/body.ts';
import { answerRefusal, Refusal } from './core/refusal.ts';
import { type RequestKind, requestKind } from './core/request-kind.ts';
import type { SandboxEnv, Service } from './core/sandbox-env.ts';
import { askedWaitMs, playAfter, playBefore, playLate, toldStatus } from './faults/fault-effects.ts';
import type { FaultDeed, FaultPlan, Traits } from './faults/fault-plan.ts';
import { decideFault, type Fault, type FaultState, initialFaultState } from './faults/fault-plan.ts';
import type { SlidingWindows } from './faults/sliding-window.ts';
import type { RequestToLog } from './store/request-log.ts';

/** Long search texts are cut: the log is bounded in bytes too. */
const LONGEST_PATH = 300;

export interface RequestRecorder {
  readonly middleware: MiddlewareHandler<SandboxEnv>;
  /** From the next request on, these faults. */
  setFaults(plan: FaultPlan): void;
  /** Resolves when no request is being handled. */
  idle(): Promise<void>;
}

export function createRequestRecorder(
  service: Service,
  limits: SlidingWindows,
  firstPlan: FaultPlan,
): RequestRecorder {
  const { store, clock } = service;
  let plan = firstPlan;
  let faultState: FaultState = initialFaultState(plan);
  let active = 0;
  let onIdle: PromiseWithResolvers<void> | undefined;

  const log = (request: RequestToLog) => {
    store.group.write(() => store.log.add(request));
    return store.group.settled();
  };

  const decide = (kind: RequestKind): { fault?: Fault | undefined; traits: Traits } => {
    if (plan.rules.length === 0) return { traits: {} };
    const decided = decideFault(plan, faultState, kind);
    faultState = decided.state;
    return decided;
  };

  const begin = () => {
    active++;
  };
  const end = () => {
    active--;
    if (active === 0) onIdle?.resolve();
  };

  /** The client is told what the gateway thinks; the application goes on, and its row in the log comes with the effect. */
  async function carryOutLate(
    c: Context<SandboxEnv>,
    next: Next,
    arrival: RequestToLog,
    fault: Fault & { deed: Extract<FaultDeed, { do: 'late' }> },
  ): Promise<Response | undefined> {
    c.set('body', await readBytes(c.env.incoming, service.maxBodyBytes));
    const carriedOut = async () => {
      await clock.sleep(fault.deed.ms, service.closing);
      await next();
      const isAnswered = fault.deed.answer.do !== 'wait';
      // The client's answer stands; what the handler says of it goes nowhere.
      const { handled, ...done } = effectOf(c, isAnswered);
      const status = isAnswered ? {} : { handled, status: handled };
      await log({ ...arrival, ...done, ...status, fault: fault.text });
    };
    begin();
    const over = carriedOut().finally(end);
    if (fault.deed.answer.do === 'wait') {
      await over;
      return undefined;
    }
    // What the end of the service cuts off never happened.
    over.catch(() => undefined);
    await log({ ...arrival, ...told(fault, undefined) });
    return playLate(service, c, fault.deed);
  }

  async function recorded(c: Context<SandboxEnv>, next: Next): Promise<Response | undefined> {
    const kind = requestKind(c.req.method, c.req.path);
    if (kind === 'page') {
      await next();
      return undefined;
    }
    const arrival: RequestToLog = {
      at: clock.now(),
      method: c.req.method,
      path: shortPath(c.req.url),
      kind,
      effect: 'none',
    };
    const waitMs = isLimited(kind) ? limits.admit(clock.monotonic()) : 0;
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      const row = { ...arrival, status: 429, fault: 'rate-limit' };
      await log({ ...row, retryAfterMs: seconds * 1000 });
      return answerRefusal(c, rateLimited(seconds));
    }

    const { fault, traits } = decide(kind);
    c.set('traits', traits);
    if (fault?.deed.do === 'late')
      return await carryOutLate(c, next, arrival, { ...fault, deed: fault.deed });
    if (fault?.moment === 'before') {
      const answer = playBefore(service, c, fault.deed);
      if (answer !== undefined) {
        await log({ ...arrival, ...told(fault, undefined) });
        return answer;
      }
    }

    await next();

    const handled = c.res.status;
    await log({
      ...arrival,
      ...effectOf(c),
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
    begin();
    try {
      return await recorded(c, next);
    } finally {
      end();
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

/** What the handler decided and did. */
function effectOf(
  c: Context<SandboxEnv>,
  isAnswered = false,
): Pick<RequestToLog, 'effect' | 'ticketSeq' | 'subject'> & { handled: number } {
  const handled = c.res.status;
  const done = isAnswered || handled < 400 ? c.get('effect') : undefined;
  return {
    handled,
    effect: done?.effect ?? 'none',
    ...(done?.ticketSeq === undefined ? {} : { ticketSeq: done.ticketSeq }),
    ...(done?.subject === undefined ? {} : { subject: done.subject }),
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
