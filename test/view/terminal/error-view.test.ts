import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { resolveSettings } from '../../../src/settings/resolve-settings.ts';
import { parseSettingsFile } from '../../../src/settings/settings-file.ts';
import { errorJson, errorLines, renderError } from '../../../src/view/terminal/error-view.ts';
import { testStyle } from './sink.ts';

const shown = (error: unknown, width = 80, options = {}) =>
  errorLines(error, testStyle(width), options).join('\n');

function settingsError(): unknown {
  try {
    resolveSettings({
      flags: { quiet: true, verbose: true },
      env: {},
      file: parseSettingsFile('runn: {}\nrun:\n  rate: [often]\n', 'helpdesk-import.yaml'),
    });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('an error names the event, the place and the remedy', () => {
  it('settings: every complaint with its marked line', () => {
    expect(shown(settingsError())).toMatchInlineSnapshot(`
      "Error: The settings have 3 errors.
        helpdesk-import.yaml:1:1
        "runn" is not a setting. Did you mean "run"?
           1 | runn: {}
             | ^^^^
        helpdesk-import.yaml:3:10
        run.rate must be requests/seconds, such as 1000/60 for a thousand requests in
        any minute, not "often".
           3 |   rate: [often]
             |          ^^^^^
        • --quiet and --verbose cannot be combined: leave out one of them.
      → Nothing was sent. Correct these lines and run the same command again."
    `);
  });

  it('a lost target', () => {
    const error = new AppError('unreachable', 'The helpdesk https://helpdesk.example.com does not answer.', {
      hint: 'Look whether it is up. Then run the same command again: it continues where it stopped.',
      cause: new Error('connect ECONNREFUSED', { cause: new Error('deeper') }),
    });
    expect(shown(error, 60)).toMatchInlineSnapshot(`
      "Error: The helpdesk https://helpdesk.example.com does not
             answer.
      → Look whether it is up. Then run the same command again: it
        continues where it stopped."
    `);
    expect(shown(error, 60)).not.toContain('ECONNREFUSED');
    expect(shown(error, 60, { verbose: true })).toContain('because of Error: connect ECONNREFUSED\n');
    expect(shown(error, 60, { verbose: true })).toContain('because of Error: deeper');
  });

  it('an interruption is no error', () => {
    expect(shown(new AppError('interrupted', 'Interrupted.'))).toBe('Interrupted.');
  });
});

describe('a defect is reported as one, with its stack', () => {
  it.each([
    ['a thrown Error', new TypeError('x is not a function')],
    ['an internal AppError', new AppError('internal', 'x is not a function')],
  ])('%s', (_, error) => {
    const text = shown(error);
    expect(text).toContain('x is not a function');
    expect(text).toMatch(/\n {2}at .*error-view\.test/);
    expect(text).toContain('This is a bug in helpdesk-import');
  });

  it('something thrown that is no Error', () => {
    expect(shown('boom')).toContain('Error: boom');
    expect(shown(undefined)).toContain('Error: undefined');
  });

  it('a user mistake never shows a stack', () => {
    expect(shown(new AppError('usage', 'No such file.'))).toBe('Error: No such file.');
  });
});

it('what an error quotes cannot steer the terminal', () => {
  const error = new AppError('source', 'Bad \u001b[2J name', {
    lines: ['a\u001b[31m.csv:1:2: x\u0007'],
    hint: '\u009b1A',
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
  expect(shown(error)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

it('a cause that goes round in circles ends', () => {
  const error = new AppError('source', 'x');
  Object.defineProperty(error, 'cause', { value: error });
  expect(shown(error, 80, { verbose: true }).split('\n').length).toBeLessThan(12);
});

it('renderError takes its style from stream and environment', () => {
  const error = new AppError('usage', 'No such file.');
  expect(renderError(error, { stream: { isTTY: true }, env: {} })).toContain('\u001b[31m');
  expect(renderError(error, { stream: {}, env: {} })).toBe('Error: No such file.');
});

it('a value with line ends makes no line of its own, in any part of an error', () => {
  const value = 'a\n✓ All is well\r\u2028\u0085Error: none';
  const error = new AppError('source', value, {
    hint: value,
    lines: [value, `f:1:2: ${value}`],
    cause: value,
  });
  const lines = renderError(error, {
    verbose: true,
    env: {},
    stream: { isTTY: false, write: () => true } as never,
  }).split('\n');
  expect(lines.filter((line) => /^(✓|Error: none)/.test(line.trim()))).toEqual([]);
});

it.each([
  ['source', undefined],
  ['internal', expect.stringContaining('This is a bug')],
] as const)('in JSON only an internal error calls itself a bug: %s', (code, hint) => {
  const commands = { inText: (text: string) => text } as never;
  expect(errorJson(new AppError(code, 'The files hold no rows.'), 'init', 2, commands)).toMatchObject({
    error: hint === undefined ? { code } : { code, hint },
  });
  const { error } = errorJson(new AppError(code, 'x'), 'init', 2, commands) as { error: object };
  expect('hint' in error).toBe(hint !== undefined);
});
