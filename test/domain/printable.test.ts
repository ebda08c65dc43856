import { describe, expect, it } from 'vitest';
import { codeFrame, markedAt } from '../../src/domain/frame.ts';
import { padText, printable, shorten, shortenStart, textWidth } from '../../src/domain/printable.ts';

describe('the width of a text on a terminal', () => {
  it.each([
    ['abc', 3],
    ['', 0],
    ['a\u0308', 1],
    ['日本語', 6],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['…', 1],
    ['مرحبا', 5],
    ['\u200b', 0],
  ])('%j takes %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('shortening', () => {
  it.each([shorten, shortenStart])(
    '%o bounds letters joined without end, which stand in two columns',
    (cut) => {
      const joined = '👩‍👩‍👧‍👦\u200d'.repeat(20_000);
      expect(cut(joined, 40).length).toBeLessThan(1000);
      expect(cut(`${joined} and more`, 40).length).toBeLessThan(1000);
      expect(cut('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 4)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦');
    },
  );

  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%j to %i columns is %j', (text, width, expected) => {
    const short = shorten(text, width);
    expect(short).toBe(expected);
    expect(textWidth(short)).toBeLessThanOrEqual(width);
  });

  it('pads by columns, not by characters', () => {
    expect(padText('日本', 6)).toBe('日本  ');
    expect(padText('日本', 6, 'right')).toBe('  日本');
    expect(padText('toolong', 3)).toBe('toolong');
  });
});

describe('what comes from outside cannot steer the terminal', () => {
  it.each([
    ['\u001b[2Jgone', '�[2Jgone'],
    ['a\r\nb\tc\nd', 'a b c d'],
    ['bell\u0007', 'bell�'],
    ['\u009b31m', '�31m'],
    ['user\u202etxt.exe', 'user�txt.exe'],
    ['\ud800', '�'],
    ['fine ä 日本 👍', 'fine ä 日本 👍'],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

describe('a marked line', () => {
  it('is shown with its number and a mark below the bad part', () => {
    expect(codeFrame({ line: 12, column: 3, length: 4, text: '  tagg: imp' })).toBe(
      '  12 |   tagg: imp\n     |   ^^^^',
    );
  });

  it('the mark is right below wide characters and behind tabs', () => {
    expect(codeFrame({ line: 1, column: 4, length: 2, text: '日本\tab' })).toBe(
      '   1 | 日本 ab\n     |      ^^',
    );
  });

  it('a line of megabytes is cut around the mark', () => {
    const text = `${'a'.repeat(500_000)}BAD${'b'.repeat(500_000)}`;
    const [line, mark] = codeFrame({ line: 1, column: 500_001, length: 3, text }).split('\n');
    expect(line).toMatch(/^ {3}1 \| …a+BADb+…$/);
    expect(line?.length).toBeLessThan(110);
    expect(line?.indexOf('BAD')).toBe(mark?.indexOf('^^^'));
  });

  it.each([
    ['abc\ndef\nghi', 4, 2, { line: 2, column: 1, length: 2, text: 'def' }],
    ['abc\r\ndef\r\n', 7, 99, { line: 2, column: 3, length: 1, text: 'def' }],
    ['abc', 3, 1, { line: 1, column: 4, length: 1, text: 'abc' }],
    ['abc\n', 4, 1, { line: 2, column: 1, length: 1, text: '' }],
    ['', 9, 1, { line: 1, column: 1, length: 1, text: '' }],
    ['\nabc', 0, 1, { line: 1, column: 1, length: 1, text: '' }],
  ])('%j at offset %i', (text, offset, length, expected) => {
    expect(markedAt(text, offset, length)).toEqual(expected);
  });
});
