/** Applies faults to every API request, and logs its effect and its answer before the answer is sent. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { bodyOf } from './core/body.ts';
import { answerRefusal, Refusal, type RequestKind, type SandboxEnv, type Service } from './core/request.ts';
import { FaultPicker, type FaultPlan, type FaultRule } from './faults/fault-plan.ts';
import type { StruckRequest } from './faults/faults.ts';
import type { RequestToLog } from './store/request-log.ts';

const LONGEST_PATH = 300;

export interface RequestRecorder {
  recorded(kind: RequestKind): MiddlewareHandler<SandboxEnv>;
  setFaults(plan: FaultPlan): void;
  idle(): Promise<void>;
}

export function createRequestRecorder(service: Service, plan: FaultPlan): RequestRecorder {
  const { store, clock } = service;
  let picker = new FaultPicker(plan);
  let active = 0;
  let onIdle: PromiseWithResolvers<void> | undefined;

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    active++;
    try {
      const done = await work();
      // No answer may be lost.
      await store.committed();
      return done;
    } finally {
      active--;
      if (active === 0) onIdle?.resolve();
    }
  }

  async function carryOutLate(
    c: Context<SandboxEnv>,
    next: Next,
    arrival: RequestToLog,
    { text, value }: FaultRule,
  ): Promise<void> {
    await clock.sleep(value * 1000, service.closing);
    await next();
    store.log.add({ ...arrival, ...c.get('effect'), fault: text });
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
        counted(() => carryOutLate(c, next, arrival, rule)).catch(() => undefined);
      }
      store.log.add({ ...arrival, ...seenBy(answer, arrival.at), fault: rule.text });
      return answer;
    }

    await next();

    const handled = c.res.status;
    const done = { handled, ...(handled < 400 ? c.get('effect') : undefined) };
    for (const { fault, text, value } of rules) {
      const answer = await fault.after?.(on, value);
      if (answer === undefined) continue;
      store.log.add({ ...arrival, ...done, ...seenBy(answer, arrival.at), fault: text });
      if (answer === c.res) return undefined;
      c.res = undefined;
      c.res = answer;
      return undefined;
    }
    store.log.add({ ...arrival, ...done, status: handled });
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

function seenBy(answer: Response, now: number): Pick<RequestToLog, 'status' | 'retryAfterMs'> {
  if (answer === RESPONSE_ALREADY_SENT) return {};
  const wait = answer.headers.get('retry-after');
  if (wait === null) return { status: answer.status };
  const retryAfterMs = /^\d+$/.test(wait) ? Number(wait) * 1000 : Date.parse(wait) - now;
  return { status: answer.status, retryAfterMs };
}

function shortPath(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2)).slice(0, LONGEST_PATH);
}
