/** What one of several processes may send, so that all of them together keep to the budget of the service. */
import type { Rate, Shard } from '../domain/limits.ts';

/**
 * The share of one shard in every budget: an equal one, and what cannot be divided goes to the first ones, so that the
 * shares add up to the whole and never to more. Where there are more shards than requests, each sends one in a window
 * that is longer by as much.
 */
export function shardShare(rates: readonly Rate[], shard: Shard | undefined): readonly Rate[] {
  if (shard === undefined || shard.count === 1) return rates;
  const { index, count } = shard;
  return rates.map(({ requests, seconds }) => {
    const share = Math.floor(requests / count) + (index <= requests % count ? 1 : 0);
    if (requests >= count) return { requests: share, seconds };
    return { requests: 1, seconds: Math.ceil((seconds * count) / requests) };
  });
}
