/** How a fault comes over a real connection. Where the answer is written past the framework, the framework is told so. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { bearerToken, tokenExpired } from '../auth/credentials.ts';
import { answerRefusal, Refusal } from '../core/refusal.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { changeData } from './change-data.ts';
import type { Stricken } from './faults.ts';

export function stricken(
  { store, clock, closing }: Service,
  c: Context<SandboxEnv>,
  answered: Response,
): Stricken {
  const breakOff: Stricken['breakOff'] = (how) => {
    const { socket } = c.env.incoming;
    if (how === 'reset') socket.resetAndDestroy();
    if (how === 'close') socket.end();
    return RESPONSE_ALREADY_SENT;
  };
  return {
    now: clock.now(),
    answered,
    answer: (status, headers = {}) =>
      answerRefusal(
        c,
        new Refusal(
          status as ContentfulStatusCode,
          `fault_${status}`,
          'The sandbox was asked to fail here.',
          {
            headers,
          },
        ),
      ),
    say: (status, body, type) => c.body(body, status, { 'content-type': type }),
    breakOff,
    /** Announces the whole answer, writes half of it and closes. */
    async truncate() {
      const bytes = Buffer.from(await answered.arrayBuffer());
      const { outgoing } = c.env;
      outgoing.writeHead(answered.status, {
        'content-type': answered.headers.get('content-type') ?? 'application/json',
        'content-length': Math.max(bytes.length, 1),
      });
      outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => breakOff('close'));
      return RESPONSE_ALREADY_SENT;
    },
    expireToken() {
      const token = bearerToken(c.req.header('authorization'));
      if (token !== undefined) store.tokens.expire(token, clock.now());
      return answerRefusal(c, tokenExpired());
    },
    wait: (ms) => clock.sleep(ms, closing),
    tell: (what) => c.set('reported', { ...c.get('reported'), ...what }),
    become: (data, tickets) => changeData(store, data, tickets, clock.now()),
  };
}
