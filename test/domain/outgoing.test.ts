/** What leaves the program: nothing that steers a terminal, whatever it was made of. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outgoing, printable, printableJson } from '../../src/domain/printable.ts';

const STEERING = /[^\P{Cc}\n\r\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
const anyText = fc.string({ unit: 'binary', maxLength: 200 });

describe('written texts', () => {
  it('to a file or a pipe has no control character but line ends and tabs', () => {
    fc.assert(fc.property(anyText, (text) => !STEERING.test(outgoing(text, false))));
  });

  it('to a terminal keeps colours and nothing else that begins with an escape', () => {
    expect(outgoing('\u001b[1mbold\u001b[22m \u001b]0;title\u0007 \u001bc \u009b31m', true)).toBe(
      '\u001b[1mbold\u001b[22m \ufffd]0;title\ufffd \ufffdc \ufffd31m',
    );
  });

  it('as JSON is the same data without a control character', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const shown = printableJson(JSON.stringify({ value, text }, null, 2));
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify({ value, text })));
        return !STEERING.test(shown);
      }),
    );
  });

  it('is short: a text of an export takes at most 4,000 characters and a few words', () => {
    for (const unit of ['a', '👩‍👩‍👧‍👦', '\u0000', '\u0301', 'é'])
      expect(Buffer.byteLength(printable(unit.repeat(1_000_000)))).toBeLessThan(17_000);
  });
});
