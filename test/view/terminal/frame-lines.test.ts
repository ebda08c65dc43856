import { describe, expect, it } from 'vitest';
import { shortenStart, textWidth } from '../../../src/domain/printable.ts';
import type { SourceFrame } from '../../../src/domain/source.ts';
import { frameLines } from '../../../src/view/terminal/blocks.ts';
import { testStyle } from './sink.ts';

const frame = (parts: Partial<SourceFrame> = {}): SourceFrame => ({
  file: 'tickets.csv',
  line: 12,
  column: 3,
  before: '1,',
  marked: 'bad',
  after: ',x',
  cutBefore: false,
  cutAfter: false,
  ...parts,
});
const lines = (parts: Partial<SourceFrame>, width = 50) =>
  frameLines(frame(parts), testStyle(width), 2, (text) => text).join('\n');

describe('a line of the export on screen', () => {
  it.each([
    ['a short one', {}, '    12 | 1,bad,x\n       |   ^^^'],
    ['an empty cell', { marked: '' }, '    12 | 1,,x\n       |   ^'],
    [
      'wide characters, which take two columns',
      { before: '返信,', marked: '不正', after: ',😀' },
      '    12 | 返信,不正,😀\n       |      ^^^^',
    ],
    ['accents as marks of their own', { before: 'e\u0301,' }, '    12 | e\u0301,bad,x\n       |   ^^^'],
    ['tabs', { before: 'a\t', after: '\tb' }, '    12 | a bad b\n       |   ^^^'],
    [
      'control characters and marks of direction, made visible',
      { before: '\u001b[31m\u202e,' },
      '    12 | �[31m�,bad,x\n       |        ^^^',
    ],
    ['a line that goes on', { cutBefore: true, cutAfter: true }, '    12 | …1,bad,x…\n       |    ^^^'],
    ['a line number of many digits', { line: 1234567 }, '  1234567 | 1,bad,x\n          |   ^^^'],
  ])('%s', (_, parts, expected) => {
    expect(lines(parts)).toBe(expected);
  });

  it('a long line is cut around its mark', () => {
    expect(
      lines({ before: 'abcdefghij'.repeat(9), marked: 'bad cell', after: 'klmnopqrst'.repeat(9) }, 60),
    ).toBe(
      [
        '    12 | …jabcdefghijabcdefghijbad cellklmnopqrstklmnopqrst…',
        '       |                       ^^^^^^^^',
      ].join('\n'),
    );
  });

  it('it is as wide as the terminal at most, wherever the mark is and however long it is', () => {
    const parts = ['', 'x', 'ab,'.repeat(11), '顧客'.repeat(60), '😀e\u0301\t'.repeat(100)];
    for (const before of parts)
      for (const marked of parts)
        for (const after of parts)
          for (const width of [40, 80, 120]) {
            const shown = frameLines(frame({ before, marked, after }), testStyle(width), 11, (text) => text);
            for (const line of shown) expect(textWidth(line)).toBeLessThanOrEqual(Math.min(width, 110));
            expect(shown[1]).toContain('^');
            const whole =
              11 +
              7 +
              [before, marked, after].reduce((sum, text) => sum + textWidth(text.replaceAll('\t', ' ')), 0);
            if (whole <= Math.min(width, 110)) expect(shown[0]).not.toContain('…');
          }
  });

  it.each([
    ['abcdef', 4, '…def'],
    ['abc', 3, 'abc'],
    ['顧客返信', 5, '…返信'],
    ['顧客返信', 4, '…信'],
    ['abc', 0, ''],
  ])('the end of %s within %i columns is %s', (text, width, expected) => {
    expect(shortenStart(text, width)).toBe(expected);
  });
});
