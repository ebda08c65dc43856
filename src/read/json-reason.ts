/** The text of a JSON object without its own `_reason`, every other character as it stands. */

import { REASON } from './csv-row.ts';
import { JsonCursor, JsonDefect } from './json-cursor.ts';
import { members } from './json-elements.ts';

/** A text that is not an object comes back as it is. */
export function cutReasonKey(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const cursor = new JsonCursor({ bytes, base: 0, ended: true }, 0);
  /** Where each member ends, and the one that is to go. */
  let end = -1;
  let cut: { from: number; to: number; first: boolean } | undefined;
  const walk = (function* () {
    if ((yield* cursor.peek()) !== 0x7b) return;
    const brace = cursor.offset;
    yield* members(cursor, function* (key) {
      const first = end < 0;
      const from = first ? brace + 1 : end;
      yield* cursor.skipValue();
      end = cursor.offset;
      if (key === REASON) cut = { from, to: end, first };
    });
  })();
  try {
    while (!walk.next().done);
  } catch (defect) {
    if (!(defect instanceof JsonDefect)) throw defect;
    return text;
  }
  if (cut === undefined) return text;
  const before = bytes.toString('utf8', 0, cut.from);
  const after = bytes.toString('utf8', cut.to);
  return before + (cut.first ? after.replace(/^\s*,/, '') : after);
}
