/**
 * Plays a fault on a real connection. `playBefore` stands in the place of the handler; `playAfter` spoils the answer of
 * a handler that has done its work. Where the answer is written past the framework, the framework is told so.
 */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { bearerToken, tokenExpired } from '../auth/credentials.ts';
import { answerRefusal } from '../core/refusal.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { changeData } from './change-data.ts';
import type { FaultDeed } from './fault-plan.ts';

/** What the client will be told: its status, undefined for none, and the wait that it is asked for. */
export function toldStatus(deed: FaultDeed, handled: number | undefined): number | undefined {
  switch (deed.do) {
    case 'answer':
    case 'lie':
      return deed.status;
    case 'late':
      return deed.answer.do === 'answer' ? deed.answer.status : undefined;
    case 'expire-token':
      return 401;
    case 'reset':
    case 'close':
    case 'silence':
      return undefined;
    default:
      return handled;
  }
}

export function askedWaitMs(deed: FaultDeed): number | undefined {
  return deed.do === 'answer' && deed.retryAfter !== undefined ? deed.retryAfter.seconds * 1000 : undefined;
}

/** The answer in the place of the handler's; undefined for a fault that lets the handler run. */
export function playBefore(service: Service, c: Context<SandboxEnv>, deed: FaultDeed): Response | undefined {
  switch (deed.do) {
    case 'racy-contacts':
      c.set('racyMs', deed.ms);
      return undefined;
    case 'expire-token': {
      const token = bearerToken(c.req.header('authorization'));
      if (token !== undefined) service.store.tokens.expire(token, service.clock.now());
      return answerRefusal(c, tokenExpired());
    }
    case 'answer':
      return faultAnswer(service, c, deed);
    case 'lie':
      return c.body(deed.body, deed.status as ContentfulStatusCode, { 'content-type': deed.type });
    case 'half':
      c.set('isHalf', true);
      return undefined;
    case 'data':
      changeData(service.store, deed.become, deed.tickets, service.clock.now());
      return undefined;
    default:
      return breakOff(c, deed);
  }
}

/** What a gateway says at once of a request that the application goes on with; undefined: nothing yet. */
export function playLate(
  service: Service,
  c: Context<SandboxEnv>,
  { answer }: Extract<FaultDeed, { do: 'late' }>,
): Response | undefined {
  if (answer.do === 'wait') return undefined;
  return answer.do === 'answer' ? faultAnswer(service, c, answer) : breakOff(c, answer);
}

/** The spoiled answer in the place of `answer`. */
export async function playAfter(
  service: Service,
  c: Context<SandboxEnv>,
  deed: FaultDeed,
  answer: Response,
): Promise<Response> {
  switch (deed.do) {
    case 'slow':
      await service.clock.sleep(deed.ms, service.closing);
      return answer;
    case 'answer':
      return faultAnswer(service, c, deed);
    case 'truncate':
      return truncated(c, answer);
    case 'garbage':
      return new Response('\u0000<html>{"ticket": {"id"', { status: answer.status, headers: answer.headers });
    default:
      return breakOff(c, deed);
  }
}

function faultAnswer(
  service: Service,
  c: Context<SandboxEnv>,
  deed: Extract<FaultDeed, { do: 'answer' }>,
): Response {
  const headers: Record<string, string> = {};
  if (deed.retryAfter !== undefined) {
    const { seconds, as } = deed.retryAfter;
    headers['retry-after'] =
      as === 'seconds'
        ? String(Math.ceil(seconds))
        : // A date has whole seconds: rounded up, so that obeying it is never too early.
          new Date(Math.ceil(service.clock.now() / 1000 + seconds) * 1000).toUTCString();
  }
  const status = deed.status as ContentfulStatusCode;
  return c.json(
    { error: `fault_${status}`, message: 'The sandbox was asked to fail here.' },
    status,
    headers,
  );
}

/** Ends the exchange without an answer. */
function breakOff(c: Context<SandboxEnv>, deed: FaultDeed): Response {
  const { socket } = c.env.incoming;
  if (deed.do === 'reset') socket.resetAndDestroy();
  if (deed.do === 'close') socket.end();
  return RESPONSE_ALREADY_SENT;
}

/** Announces the whole answer, writes half of it and closes. */
async function truncated(c: Context<SandboxEnv>, answer: Response): Promise<Response> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { outgoing } = c.env;
  const { socket } = c.env.incoming;
  outgoing.writeHead(answer.status, {
    'content-type': answer.headers.get('content-type') ?? 'application/json',
    'content-length': Math.max(bytes.length, 1),
  });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => socket.end());
  return RESPONSE_ALREADY_SENT;
}
