/**
 * Applies faults to every API request, and logs its effect and its answer. An answer is sent after effect and log row are committed.
 */
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { bodyOf } from './core/body.ts';
import { answerRefusal, Refusal, type RequestKind, type SandboxEnv, type Service } from './core/request.ts';
import { FaultPicker, type FaultPlan, type FaultRule } from './faults/fault-plan.ts';
import type { Reaction, StruckRequest } from './faults/faults.ts';
import type { RequestToLog } from './store/request-log.ts';

/** Long search texts are cut to bound the log. */
const LONGEST_PATH = 300;

export interface RequestRecorder {
  /** For requests of a kind. */
  recorded(kind: RequestKind): MiddlewareHandler<SandboxEnv>;
  /** Sets the faults from the next request on. */
  setFaults(plan: FaultPlan): void;
  /** Resolves when no request is being handled. */
  idle(): Promise<void>;
}

export function createRequestRecorder(service: Service, plan: FaultPlan): RequestRecorder {
  const { store, clock } = service;
  let picker = new FaultPicker(plan);
  let active = 0;
  let onIdle: PromiseWithResolvers<void> | undefined;

  const log = (request: RequestToLog) => store.log.add(request);

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    active++;
    try {
      return await work();
    } finally {
      active--;
      if (active === 0) onIdle?.resolve();
    }
  }

  /** The client got its answer. */
  async function carryOutLate(
    c: Context<SandboxEnv>,
    next: Next,
    arrival: RequestToLog,
    { text, value }: FaultRule,
  ): Promise<void> {
    await clock.sleep(value * 1000, service.closing);
    await next();
    log({ ...arrival, ...c.get('effect'), fault: text });
  }

  async function record(
    kind: RequestKind,
    c: Context<SandboxEnv>,
    next: Next,
  ): Promise<Response | undefined> {
    const arrival: RequestToLog = {
      at: clock.now(),
      method: c.req.method,
      path: shortPath(c.req.url),
      kind,
      effect: 'none',
    };
    const rules = picker.next(kind);
    const on = struck(service, c);
    for (const rule of rules) {
      const { fault, text, value } = rule;
      const reaction = await fault.before?.(on, value);
      if (reaction === undefined) continue;
      if (fault.isLate === true) {
        await bodyOf(c, service.maxBodyBytes);
        // A request that the end of the service cuts off never happened.
        counted(() => carryOutLate(c, next, arrival, rule)).catch(() => undefined);
      }
      log({ ...arrival, ...learnt(reaction, arrival.at), fault: text });
      return await delivered(reaction);
    }

    await next();

    const done = effectOf(c);
    for (const { fault, text, value } of rules) {
      const reaction = await fault.after?.(on, value);
      if (reaction === undefined) continue;
      log({ ...arrival, ...done, ...learnt(reaction, arrival.at), fault: text });
      const answer = await delivered(reaction);
      if (answer !== undefined) {
        // Hono merges headers of a replaced response.
        c.res = undefined;
        c.res = answer;
      }
      return undefined;
    }
    log({ ...arrival, ...done, status: done.handled });
    return undefined;
  }

  return {
    recorded: (kind) => (c, next) => counted(() => record(kind, c, next)) as Promise<Response>,
    idle() {
      if (active === 0) return Promise.resolve();
      onIdle ??= Promise.withResolvers<void>();
      return onIdle.promise;
    },
    setFaults(newPlan) {
      picker = new FaultPicker(newPlan);
    },
  };
}

function struck(service: Service, c: Context<SandboxEnv>): StruckRequest {
  return {
    c,
    service,
    answer: (status, headers = {}) =>
      answerRefusal(
        c,
        new Refusal(
          status as ContentfulStatusCode,
          `fault_${status}`,
          'The sandbox was asked to fail here.',
          { headers },
        ),
      ),
  };
}

function delivered(reaction: Reaction): Response | undefined | Promise<Response | undefined> {
  return reaction instanceof Response ? reaction : reaction.deliver();
}

/** The client's view of its request. */
function learnt(reaction: Reaction, now: number): Pick<RequestToLog, 'status' | 'retryAfterMs'> {
  if (!(reaction instanceof Response)) return { status: reaction.status };
  const wait = reaction.headers.get('retry-after');
  if (wait === null) return { status: reaction.status };
  const retryAfterMs = /^\d+$/.test(wait) ? Number(wait) * 1000 : Date.parse(wait) - now;
  return { status: reaction.status, retryAfterMs };
}

/** The handler's decision and effect. */
function effectOf(
  c: Context<SandboxEnv>,
): Pick<RequestToLog, 'effect' | 'ticketSeq' | 'subject'> & { handled: number } {
  const handled = c.res.status;
  const done = handled < 400 ? c.get('effect') : undefined;
  return { handled, effect: 'none', ...done };
}

/** Path and query of an absolute URL. */
function shortPath(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2)).slice(0, LONGEST_PATH);
}
