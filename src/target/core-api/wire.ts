/**
 * One attempt: what it may have to wait for, the exchange, and who hears of the reply.
 *
 * The guard, the pacer and the observer could each be an Exchange around the next one. But nearly always there is nothing to
 * wait for, and three promises more for each request, kept until its answer comes, cost more than all that these do.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Guard } from './guard.ts';
import type { Observer } from './observer.ts';
import type { Pacer } from './pacer.ts';
import { signOf } from './sign-of.ts';

export interface WireOptions {
  /** Without it requests go out even while the target is down. */
  readonly guard?: Guard | undefined;
  readonly pacer: Pacer;
  readonly observer: Observer;
  readonly clock: Clock;
}

export function overWire(transport: Exchange, { guard, pacer, observer, clock }: WireOptions): Exchange {
  return async (request, signal) => {
    signal.throwIfAborted();
    const opened = guard?.pass(signal);
    if (opened !== undefined) {
      await opened;
      signal.throwIfAborted();
    }
    const turn = pacer.turn(signal);
    if (turn !== undefined) await turn;
    pacer.leaving();
    const sentAt = clock.monotonic();
    const together = observer.sent();
    try {
      const reply = await transport(request, signal, () => pacer.wentOut(sentAt));
      const sign = signOf(reply, request.kind);
      observer.came(request, reply, sign, sentAt, together);
      pacer.came(reply);
      return guard === undefined ? reply : guard.came(reply, sign);
    } finally {
      observer.over();
    }
  };
}
