/** Text of strangers in the YAML that the program writes: settings, and lines of settings that it shows to copy. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingsText } from '../../src/discover/settings-text.ts';
import { yamlLine } from '../../src/domain/text/yaml.ts';
import { parseSettingsFile } from '../../src/settings/settings-file.ts';
import { fixtures } from '../support/cli.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { rowsOf } from '../support/rows.ts';
import { type Seeded, seeded } from '../support/seeded.ts';
import { init } from './support.ts';

const PARTS = rowsOf<string[]>(import.meta.dirname, 'hostile-parts.json');
const hostile = (random: Seeded) =>
  Array.from({ length: random.between(1, 6) }, () => random.pick(PARTS)).join('');

/** As it is in the file, with the characters that UTF-8 has. */
const saved = (text: string) => Buffer.from(text).toString();
const uncommented = (text: string) => text.slice(text.lastIndexOf('\n# agents:\n')).replaceAll(/^# ?/gm, '');

describe('500 hostile names, headers, cells and agents', () => {
  const random = seeded(53);
  it('load as they are', () => {
    for (let n = 0; n < 500; n++) {
      const [file, header, cell, agent, about] = Array.from({ length: 5 }, () => hostile(random));
      const isOpen = [file, header, cell].some((text) => /^TODO\b/.test(text ?? ''));
      const map = JSON.parse(`{${JSON.stringify(cell)}:"open"}`) as object;
      const settings = {
        source: { files: [file], timezone: 'TODO' },
        mapping: { ticket: { subject: header, status: { column: header, map } }, nulls: [cell, cell] },
      };
      const comments = [{ path: ['source', 'timezone'], text: `${cell}: ${header}` }];
      const agents = [{ agent: agent ?? '', count: 2 }];
      const proposed = { settings, comments, agents };
      const inputs = {
        proposed,
        schema: 's.json',
        about: [`of ${file}`, about ?? ''],
        changes: [cell ?? ''],
      };
      const text = settingsText(inputs);
      const loaded = parseSettingsFile(saved(text), 'x.yaml');
      if (!isOpen) expect(loaded.value).toEqual({ ...settings, source: { files: [file] } });
      expect(loaded.complaints.length).toBeGreaterThan(0);
      expect(parse(saved(uncommented(text)))).toEqual({
        agents: JSON.parse(`{${JSON.stringify(agent)}:null}`),
      });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/);

      const before = { text, proposed };
      const edited = { ...settings, unmapped: header, source: { ...settings.source, from: cell } };
      const again = settingsText({ ...inputs, proposed: { settings: edited, comments, agents }, before });
      expect(parse(saved(again), { logLevel: 'silent' })).toEqual(edited);

      const words = new Map([[header, new Map([[cell, 'public']])]]);
      const meant = JSON.parse(`{"words":{${JSON.stringify(header)}:{${JSON.stringify(cell)}:"public"}}}`);
      expect(parse(saved(yamlLine({ words })))).toEqual(meant);
      expect(yamlLine({ words })).not.toContain('\n');
      expect(yamlLine({ words })).not.toMatch(/[\r\u0085\u2028\u2029]/);
    }
  });
});

const ROWS = 'id,subject,email,text\n1,Late,a@example.org,Where is it?\n2,Broken,b@example.org,It broke.\n';

it.each([
  'a\ntarget: {baseUrl: "http:\\x2f\\x2f127.0.0.1:1"}\n#.csv',
  'a\rtarget: {tag: x}\r#.csv',
  'a\u2028target: x\u0085.csv',
  'a\\b.csv',
  '# a: "b".csv',
])('init saves a file called %j as it is, and no other setting', async (name) => {
  using folder = folderOfTest();
  writeFileSync(folder.join(name), ROWS);
  const { code, stderr } = await init(folder.path, [folder.join(name)], { yes: true });
  expect(code, stderr).toBe(0);
  const { value } = parseSettingsFile(readFileSync(folder.join('helpdesk-import.yaml'), 'utf8'), 'x.yaml');
  expect(value).toMatchObject({ source: { files: [folder.join(name)] } });
  expect(Object.keys(value).sort()).toEqual(['mapping', 'source', 'unmapped'].filter((key) => key in value));
});

it.each(['parked', '__proto__'])('init writes the unknown status %j of a known layout', async (word) => {
  using folder = folderOfTest();
  cpSync(join(fixtures, 'layouts/jira-tables'), folder.path, { recursive: true });
  const issues = folder.join('issue.csv');
  writeFileSync(issues, readFileSync(issues, 'utf8').replace('h1. Failed,3,', `h1. Failed,${word},`));
  const flags = { yes: true, set: [`ticket.status:${word}=open`] };
  const { code, stderr } = await init(folder.path, [folder.path], flags);
  expect(code, stderr).toBe(0);
  const { value } = parseSettingsFile(readFileSync(folder.join('helpdesk-import.yaml'), 'utf8'), 'x.yaml');
  const values = JSON.parse(`{${JSON.stringify(word)}:"open"}`);
  expect(value).toMatchObject({ mapping: { extends: 'jira-tables', maps: { status: { values } } } });
});
