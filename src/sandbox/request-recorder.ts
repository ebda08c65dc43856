/** Applies faults to every API request, and logs its effect and its answer before the answer is sent. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { bodyOf } from './core/body.ts';
import { answerRefusal, Refusal, type RequestKind, type SandboxEnv, type Service } from './core/request.ts';
import { FaultPicker, type FaultPlan, type FaultRule } from './faults/fault-plan.ts';
import type { StruckRequest } from './faults/faults.ts';
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
    const on: StruckRequest = { c, service, answer: (status, headers) => faultAnswer(c, status, headers) };
    for (const rule of rules) {
      const answer = await rule.fault.before?.(on, rule.value);
      if (answer === undefined) continue;
      if (rule.fault.isLate === true) {
        await bodyOf(c, service.maxBodyBytes);
        // A request that the end of the service cuts off never happened.
        counted(() => carryOutLate(c, next, arrival, rule)).catch(() => undefined);
      }
      log({ ...arrival, ...seenBy(answer, arrival.at), fault: rule.text });
      return answer;
    }

    await next();

    const handled = c.res.status;
    const done = { handled, ...(handled < 400 ? c.get('effect') : undefined) };
    for (const { fault, text, value } of rules) {
      const answer = await fault.after?.(on, value);
      if (answer === undefined) continue;
      log({ ...arrival, ...done, ...seenBy(answer, arrival.at), fault: text });
      if (answer === c.res) return undefined;
      // Hono merges headers of a replaced response.
      c.res = undefined;
      c.res = answer;
      return undefined;
    }
    log({ ...arrival, ...done, status: handled });
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

function faultAnswer(c: Context, status: number, headers: Record<string, string> = {}): Response {
  const message = 'The sandbox was asked to fail here.';
  return answerRefusal(
    c,
    new Refusal(status as ContentfulStatusCode, `fault_${status}`, message, { headers }),
  );
}

/** What the client sees of its request. */
function seenBy(answer: Response, now: number): Pick<RequestToLog, 'status' | 'retryAfterMs'> {
  if (answer === RESPONSE_ALREADY_SENT) return {};
  const wait = answer.headers.get('retry-after');
  if (wait === null) return { status: answer.status };
  const retryAfterMs = /^\d+$/.test(wait) ? Number(wait) * 1000 : Date.parse(wait) - now;
  return { status: answer.status, retryAfterMs };
}

/** Path and query of an absolute URL. */
function shortPath(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2)).slice(0, LONGEST_PATH);
}
