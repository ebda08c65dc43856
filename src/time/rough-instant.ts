/** A written time as a number to compare others with, where its zone and the order of day and month are not known. */
import { offsetMillis, readTime, wallMillis } from './written-time.ts';

/** Dates of two numbers have the day first but where that cannot be, or where the clock has halves of a day. */
export function roughInstant(text: string): number | undefined {
  const time = readTime(text.trim());
  if (time === undefined) return undefined;
  if (time.kind === 'instant') return time.millis;
  const hasHalves = /[ap]\.?\s?m\.?\s*$/i.test(text);
  const parts =
    time.kind === 'parts'
      ? time.parts
      : time.date.withOrder(time.date.dots || (time.date.second <= 12 && !hasHalves));
  const offset = parts.offset === undefined ? 0 : (offsetMillis(parts.offset, 24) ?? 0);
  const wall = wallMillis(parts);
  return wall === undefined ? undefined : wall - offset;
}
