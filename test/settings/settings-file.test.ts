import { describe, expect, it } from 'vitest';
import type { AppError } from '../../src/domain/errors.ts';
import { resolveSettings } from '../../src/settings/resolve-settings.ts';
import { parseSettingsFile } from '../../src/settings/settings-file.ts';
import { rowsOf } from '../support/rows.ts';

const { notYaml, values } = rowsOf<{
  notYaml: [string, string, string, string][];
  values: [string, string, string][];
}>(import.meta.dirname, 'mistakes.yaml');

/** With what the values are complained about. */
function complaints(text: string): string {
  const file = parseSettingsFile(text, 'helpdesk-import.yaml');
  try {
    resolveSettings({ flags: {}, env: {}, file });
    return '';
  } catch (error) {
    return (error as AppError).lines.join('\n');
  }
}

it('an open value is said once', () => {
  const shown = complaints('customersWithoutEmail: { synthesize: TODO }');
  expect(shown.match(/customersWithoutEmail\.synthesize/g)).toHaveLength(1);
});

describe('a settings file that is not YAML is explained, with the line shown', () => {
  it.each(notYaml)('%s', (_, text, position, message) => {
    const shown = complaints(text);
    expect(shown).toContain(`helpdesk-import.yaml:${position}: `);
    expect(shown).toContain(message);
    expect(shown).toMatch(/\n {5}\| +\^+$/m);
  });

  it('brackets nested thousands deep are refused, with few lines', () => {
    const shown = complaints(`a: ${'['.repeat(20_000)}`);
    expect(shown).toContain('nested much too deeply');
    expect(shown.split('\n').length).toBeLessThan(20);
  });

  it.each([
    ['keys', `mapping:\n  name: x\n  ${'? '.repeat(5000)}\n  title: y`],
    ['values', `a: b\n${': '.repeat(5000)}\nb: c`],
    ['lists', `${'- '.repeat(30_000)}\n a: b`],
    ['sections', `mapping: ${'{a: '.repeat(150)}1${'}'.repeat(150)}`],
  ])('%s nested without end are a complaint', (_, text) => {
    expect(complaints(text)).toContain('nested much too deeply');
  });

  it('a key with line ends makes no line of its own', () => {
    const shown = complaints('"x\\n✓ All is well\\n\\r\\u2028ok": 1\nsource:\n  "from\\nok": 1\n');
    expect(shown.split('\n').filter((line) => /^(✓|ok)/.test(line))).toEqual([]);
    expect(shown).not.toMatch(/[\r\u2028]/);
  });

  it('a file of many megabytes is taken for the export', () => {
    expect(complaints('x'.repeat(5_000_000))).toBe(
      'helpdesk-import.yaml: This is far too long for a settings file. Is it the export?',
    );
  });
});

describe('a value outside the schema is named with the allowed ones', () => {
  it.each(values)('%j', (text, position, message) => {
    const shown = complaints(text);
    expect(shown).toContain(`helpdesk-import.yaml:${position}: `);
    expect(shown).toContain(message);
    expect(shown.match(/helpdesk-import\.yaml:/g)).toHaveLength(1);
  });

  it('a key that may be a token is not repeated: its place is enough', () => {
    const token = ['sk', 'live', '51HabcDEFghiJKLmnop'].join('_');
    const shown = complaints(`target:\n  baseUrl: https://helpdesk.example.com\n  ${token}: x\n`);
    expect(shown).toContain('3:3');
    expect(shown).toContain(`A key of ${token.length} characters is not a key of target.`);
    expect(shown).not.toContain('51Habc');
  });
});

describe('a mapping that its language checks', () => {
  const check = (mapping: unknown) =>
    JSON.stringify(mapping).includes('wrong')
      ? [{ path: ['ticket', 'subject'], message: 'No such table.' }]
      : [];

  it.each([
    ['mapping:\n  ticket:\n    subject: wrong\n', 'h.yaml:3:5: mapping.ticket.subject: No such table.'],
    ['mapping:\n  ticket:\n    subject: right\n', undefined],
    ['run: {}\n', undefined],
  ])('%j', (text, expected) => {
    const { complaints: found } = parseSettingsFile(text, 'h.yaml', check);
    expect(found.map(({ place, message }) => `${place}: ${message}`)).toEqual(
      expected === undefined ? [] : [expected],
    );
  });

  it('is not checked while it is incomplete', () => {
    const { complaints: found } = parseSettingsFile('mapping:\n  a: wrong\n  b: TODO\n', 'h.yaml', check);
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining('mapping.b is still to be decided'),
    ]);
  });
});

describe('a decision that was left open', () => {
  it('is named at every place, and a name that begins so is a name', () => {
    const shown = complaints(
      'source:\n  timezone: TODO\nagents:\n  TODO team: agt_1\n  TODO: agt_2\nmapping:\n  status:\n    from: TODO list\n    waiting: [x, TODO]\n',
    );
    const places = shown.match(/^helpdesk-import.*$/gm);
    expect(places).toEqual([
      'helpdesk-import.yaml:2:13: source.timezone is still to be decided: replace TODO with the value, or delete the line.',
      'helpdesk-import.yaml:9:18: mapping.status.waiting[1] is still to be decided: replace TODO with the value, or delete the line.',
    ]);
  });

  it('in a comment or within a word is ignored', () => {
    expect(complaints('# TODO: later\nsource:\n  from: TODOist # TODO\n')).toBe('');
  });
});

describe('a settings file without a complaint', () => {
  it.each([
    ['empty', ''],
    ['only comments', '# nothing yet\n'],
    ['sections whose keys are commented out', 'run:\n  # timeout: 5\ntarget:\nsource:\n  from:\n'],
    ['with a byte order mark', '\ufeffrun:\n  timeout: 5\n'],
    ['with Windows line ends', 'run:\r\n  timeout: 5\r\n  rate: 1000/60\r\n'],
  ])('%s', (_, text) => {
    expect(complaints(text)).toBe('');
  });

  it('keeps long numeric agent ids to the last digit', () => {
    const { value } = parseSettingsFile('agents:\n  36000000000000000012345: agt_1\n', 'x');
    expect(value.agents).toEqual({ '36000000000000000012345': 'agt_1' });
  });

  it('resolves paths against its own folder', () => {
    const file = parseSettingsFile('', 'conf/h.yaml');
    expect(file.resolve('export')).toBe('conf/export');
    expect(file.resolve('/export')).toBe('/export');
    expect(file.resolve('-')).toBe('-');
    expect(parseSettingsFile('', 'h.yaml').resolve('export')).toBe('export');
  });
});
