import { describe, expect, it } from 'vitest';
import { wantsBar } from '../../../src/view/terminal/screen.ts';
import { createStyle } from '../../../src/view/terminal/style.ts';
import { createSink } from './sink.ts';

const terminal = { isTTY: true, columns: 80 };
const pipe = {};

describe('colours', () => {
  it.each([
    ['a terminal', terminal, {}, true],
    ['a pipe', pipe, {}, false],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR is ignored', terminal, { NO_COLOR: '' }, true],
    ['FORCE_COLOR in a pipe', pipe, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR goes before NO_COLOR', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['an empty FORCE_COLOR is unset', pipe, { FORCE_COLOR: '' }, false],
    ['FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ])('%s', (_, stream, env, expected) => {
    const style = createStyle({ stream, env });
    expect(style.color).toBe(expected);
    expect(style.red('x')).toBe(expected ? '\u001b[31mx\u001b[39m' : 'x');
  });
});

describe('symbols and width', () => {
  it.each([
    [{}, '✓'],
    [{ LANG: 'de_DE.UTF-8' }, '✓'],
    [{ LANG: 'C' }, '+'],
    [{ LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, '+'],
    [{ LC_ALL: '', LANG: 'C.UTF-8' }, '✓'],
    [{ TERM: 'linux' }, '+'],
  ])('%j has the tick %s', (env, tick) => {
    expect(createStyle({ stream: terminal, env }).symbols.tick).toBe(tick);
  });

  it.each([
    [{ columns: 132 }, {}, 132],
    [{ columns: 10 }, {}, 40],
    [{}, { COLUMNS: '72' }, 72],
    [{}, {}, 100],
    [{}, { COLUMNS: 'wide' }, 100],
  ])('%j %j is %i columns wide', (stream, env, width) => {
    expect(createStyle({ stream, env }).width).toBe(width);
  });
});

describe('the bar is for a person at a terminal', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { CI: 'true' }, false],
    [true, { CI: 'false' }, true],
    [true, { TERM: 'dumb' }, false],
  ])('terminal %s, %j: %s', (isTTY, env, expected) => {
    expect(wantsBar(createSink(isTTY), env)).toBe(expected);
  });
});
