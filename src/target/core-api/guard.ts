/** While the target is down nothing goes out but a probe (pace/breaker.ts). */
import type { Clock } from '../../domain/clock.ts';
import type { ApiRequest, Exchange, Reply } from '../http/exchange.ts';
import type { Breaker, ProbeResult } from '../pace/breaker.ts';
import { type Sign, saysDown } from './classify.ts';
import { askedPause } from './pacer.ts';
import { signOf } from './sign-of.ts';

export interface Guard {
  /** A promise to wait for while the target is down, which rejects as the breaker's does; else nothing. */
  pass(signal: AbortSignal): Promise<void> | undefined;
  /** A reply came. Gives what it is to the caller. */
  came(reply: Reply, sign: Sign): Reply;
}

export function createGuard(breaker: Breaker, clock: Clock): Guard {
  let answered = false;
  return {
    pass: (signal) => (breaker.open ? breaker.pass(signal) : undefined),
    came(reply, sign) {
      if (reply.type === 'answer') answered = true;
      // A name that has never been found is a slip of the pen, and waiting for it helps nobody.
      else if (reply.code === 'ENOTFOUND' && !answered) return { ...reply, reason: 'hopeless' };
      if (saysDown(sign)) breaker.down(causeOf(reply), pauseOf(reply, clock));
      else if (reply.type === 'answer') breaker.up();
      return reply;
    },
  };
}

/** A probe that sends this read. Whatever answers is up, even if it refuses; only "down" is down. */
export function probeWith(exchange: Exchange, request: ApiRequest, clock: Clock) {
  return async (signal: AbortSignal): Promise<ProbeResult> => {
    const reply = await exchange(request, signal);
    if (reply.type === 'answer' && !saysDown(signOf(reply, request.kind))) return { up: true };
    return { up: false, cause: causeOf(reply), notBeforeMs: pauseOf(reply, clock) };
  };
}

function causeOf(reply: Reply): string {
  return reply.type === 'answer' ? `it answers with ${reply.status}` : reply.message;
}

function pauseOf(reply: Reply, clock: Clock): number {
  return reply.type === 'answer' ? (askedPause(reply, clock) ?? 0) : 0;
}
