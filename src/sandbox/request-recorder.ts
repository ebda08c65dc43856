/** Applies faults to every API request, and reports its effect and its answer before the answer is sent. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import * as requests from './core/request.ts';
import { FaultPicker, type FaultPlan, type StruckRequest } from './faults.ts';

export interface SeenRequest extends requests.Effect {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly kind: requests.RequestKind;
  /** Undefined if it got no status. */
  readonly status?: number | undefined;
  /** As typed, e.g. `reset-after:10@create`. */
  readonly fault?: string | undefined;
}

export type RequestRecorder = ReturnType<typeof createRequestRecorder>;

export function createRequestRecorder(
  service: requests.Service,
  plan: FaultPlan,
  report: (request: SeenRequest) => void = () => undefined,
) {
  let picker = new FaultPicker(plan);
  let active = 0;
  let onIdle: PromiseWithResolvers<void> | undefined;

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    active++;
    try {
      const done = await work();
      // No answer may be lost.
      await service.store.committed();
      return done;
    } finally {
      active--;
      if (active === 0) onIdle?.resolve();
    }
  }

  async function answer(
    kind: requests.RequestKind,
    c: Context<requests.SandboxEnv>,
    next: Next,
  ): Promise<Response | undefined> {
    const { method, url } = c.req;
    const arrival = { method, path: url.slice(url.indexOf('/', url.indexOf('//') + 2)), kind };
    const end = (effect: requests.Effect | undefined, status: number | undefined, fault?: string) =>
      report({ ...arrival, effect: 'none', ...effect, status, fault });
    const on: StruckRequest = { c, service, answer: (status, headers) => faultAnswer(c, status, headers) };
    const rules = picker.next(kind);
    for (const { fault, text, value } of rules) {
      const early = await fault.before?.(on, value);
      if (early === undefined) continue;
      if (fault.isLate === true) {
        await requests.bodyOf(c, service.maxBodyBytes);
        const late = async () => {
          await service.clock.sleep(value * 1000, service.closing);
          await next();
          end(c.get('effect'), undefined, text);
        };
        counted(late).catch(() => undefined);
      }
      end(undefined, statusOf(early), text);
      return early;
    }
    await next();
    const effect = c.res.status < 400 ? c.get('effect') : undefined;
    for (const { fault, text, value } of rules) {
      const changed = await fault.after?.(on, value);
      if (changed === undefined) continue;
      end(effect, statusOf(changed), text);
      if (changed === c.res) return undefined;
      c.res = undefined;
      c.res = changed;
      return undefined;
    }
    end(effect, c.res.status);
    return undefined;
  }

  return {
    recorded:
      (kind: requests.RequestKind): MiddlewareHandler<requests.SandboxEnv> =>
      (c, next) =>
        counted(() => answer(kind, c, next)) as Promise<Response>,
    idle() {
      if (active === 0) return Promise.resolve();
      onIdle ??= Promise.withResolvers<void>();
      return onIdle.promise;
    },
    setFaults(newPlan: FaultPlan) {
      picker = new FaultPicker(newPlan);
    },
  };
}

function faultAnswer(c: Context, status: number, headers: Record<string, string> = {}): Response {
  const message = 'The sandbox was asked to fail here.';
  return requests.answerRefusal(
    c,
    new requests.Refusal(status as ContentfulStatusCode, `fault_${status}`, message, { headers }),
  );
}

function statusOf(answer: Response): number | undefined {
  return answer === RESPONSE_ALREADY_SENT ? undefined : answer.status;
}
