/**
 * Stands around every request of the API: admits it by the rate limits, plays faults, and writes into the log what
 * happened and what the client was told. Nothing is answered before the effect and its row in the log are committed.
 */
import type { Context, MiddlewareHandler, Next } from 'hono';
import { readBytes } from './core/body.ts';
import { answerRefusal, Refusal } from './core/refusal.ts';
import type { RequestKind } from './core/request-kind.ts';
import type { SandboxEnv, Service } from './core/sandbox-env.ts';
import { stricken } from './faults/effects.ts';
import { type Falling, FaultDice, type FaultPlan } from './faults/fault-plan.ts';
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
  plan: FaultPlan,
  kindOf: (method: string, path: string) => RequestKind,
): RequestRecorder {
  const { store, clock } = service;
  let dice = new FaultDice(plan);
  let active = 0;
  let onIdle: PromiseWithResolvers<void> | undefined;

  const log = (request: RequestToLog) => {
    store.group.write(() => store.log.add(request));
    return store.group.settled();
  };

  const play = ({ rule }: Falling, c: Context<SandboxEnv>, answered = new Response()) =>
    rule.fault.play?.(stricken(service, c, answered), rule.value);

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
    falling: Falling,
  ): Promise<Response | undefined> {
    const { text, value, fault } = falling.rule;
    const isAnswered = fault.play !== undefined;
    c.set('body', await readBytes(c.env.incoming, service.maxBodyBytes));
    const carriedOut = async () => {
      await clock.sleep(value * 1000, service.closing);
      await next();
      // The client's answer stands; what the handler says of it goes nowhere.
      const { handled, ...done } = effectOf(c, isAnswered);
      const status = isAnswered ? {} : { handled, status: handled };
      await log({ ...arrival, ...done, ...status, fault: text });
    };
    begin();
    const over = carriedOut().finally(end);
    if (!isAnswered) {
      await over;
      return undefined;
    }
    // What the end of the service cuts off never happened.
    over.catch(() => undefined);
    await log({ ...arrival, ...reported(falling, undefined) });
    return await play(falling, c);
  }

  async function recorded(c: Context<SandboxEnv>, next: Next): Promise<Response | undefined> {
    const kind = kindOf(c.req.method, c.req.path);
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

    const { fault, traits } = dice.next(kind);
    c.set('traits', traits);
    if (fault?.rule.fault.isLate === true) return await carryOutLate(c, next, arrival, fault);
    if (fault?.moment === 'before') {
      const answer = await play(fault, c);
      if (answer !== undefined) {
        await log({ ...arrival, ...reported(fault, undefined) });
        return answer;
      }
    }

    await next();

    const handled = c.res.status;
    await log({
      ...arrival,
      ...effectOf(c),
      ...(fault === undefined ? { status: handled } : reported(fault, handled)),
    });
    if (fault?.moment === 'after') {
      const answer = c.res;
      // Hono merges the headers of a response that is replaced; the spoiled one stands alone.
      c.res = undefined;
      c.res = await play(fault, c, answer);
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
      dice = new FaultDice(newPlan);
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
  return { handled, effect: 'none', ...done };
}

/** The rate limits are those of the Core API: tokens and files are not counted. */
function isLimited(kind: RequestKind): boolean {
  return kind !== 'token' && kind !== 'upload' && kind !== 'download';
}

/** What the client is told. */
function reported(
  { rule: { text, value, fault } }: Falling,
  handled: number | undefined,
): Pick<RequestToLog, 'fault' | 'status' | 'retryAfterMs'> {
  const status = fault.status === undefined ? handled : (fault.status ?? undefined);
  return { fault: text, status, retryAfterMs: fault.asksToWait?.(value) };
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
