import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { expandIdList } from '../../src/settings/parsers.ts';
import { resolveSettings } from '../../src/settings/resolve-settings.ts';
import { loadSettingsFile, parseSettingsFile } from '../../src/settings/settings-file.ts';
import { ALL_SETTINGS, settingsJsonSchema } from '../../src/settings/table/table.ts';

import { settingsReference } from '../docs/settings-reference.ts';

const folder = await mkdtemp(join(tmpdir(), 'settings-'));
afterAll(() => rm(folder, { recursive: true }));
const pathOf = (name: string) => join(folder, name);

describe('the reference of settings', () => {
  const rows = settingsReference();

  it('has every setting of the file, each with a sentence', () => {
    const inFile = ALL_SETTINGS.filter(({ description }) => description !== undefined);
    expect(rows.map(({ key }) => key).toSorted()).toEqual(inFile.map(({ name }) => name).toSorted());
    expect(new Set(ALL_SETTINGS.map(({ name }) => name)).size).toBe(ALL_SETTINGS.length);
    expect(rows.filter(({ description }) => !/^.{10,}\.$/.test(description))).toEqual([]);
    expect(rows.filter(({ allowed }) => allowed.includes('anything'))).toEqual([]);
  });

  it('has defaults and examples that the program itself takes', () => {
    for (const { key, byDefault, example } of rows) {
      for (const value of [byDefault, example]) {
        if (value === undefined) continue;
        const text = key.includes('.') ? `${key.replace('.', ':\n  ')}: ${value}` : `${key}: ${value}`;
        const file = parseSettingsFile(text, 'x.yaml');
        expect(file.complaints, text).toEqual([]);
        expect(() => resolveSettings({ flags: {}, env: {}, file }), text).not.toThrow();
      }
    }
  });

  it('has the defaults that hold', () => {
    const written = rows.filter(({ byDefault }) => byDefault !== undefined);
    const text = written.map(
      ({ key, byDefault }) => `${key.replace('.', ': { ')}: ${byDefault}${key.includes('.') ? ' }' : ''}`,
    );
    const bare = resolveSettings({ flags: {}, env: {} }).settings;
    for (const line of text)
      expect(
        resolveSettings({ flags: {}, env: {}, file: parseSettingsFile(line, 'x') }).settings,
        line,
      ).toEqual(bare);
  });
});

describe('the JSON schema for editors', () => {
  it('lists every key with its description, and no others', () => {
    const schema = settingsJsonSchema();
    expect(schema).toMatchObject({
      title: 'Settings of helpdesk-import',
      additionalProperties: false,
      properties: {
        run: {
          additionalProperties: false,
          properties: { batchSize: { description: expect.stringContaining('per batch'), default: 100 } },
        },
      },
    });
  });
});

describe('loading', () => {
  it('the default file may be absent, a named one may not', async () => {
    const options = { hint: 'Name another.', pathOf };
    expect(await loadSettingsFile(undefined, options)).toBeUndefined();
    await expect(loadSettingsFile('none.yaml', options)).rejects.toMatchObject({
      code: 'configuration',
      message: 'The settings file none.yaml does not exist.',
    });
  });

  it('a folder in the place of the file is explained', async () => {
    await expect(loadSettingsFile('.', { hint: '', pathOf })).rejects.toMatchObject({
      code: 'configuration',
      message: 'The settings file . cannot be read (EISDIR).',
    });
  });

  it('the default file is taken when it is there', async () => {
    await writeFile(pathOf('helpdesk-import.yaml'), 'run: { timeout: 5 }');
    const file = await loadSettingsFile(undefined, { hint: '', pathOf });
    expect(file?.value.run?.timeout).toBe(5);
  });
});

describe('--only', () => {
  it('takes ids and files of ids, each id once', async () => {
    await writeFile(pathOf('ids.txt'), '\ufeff7\r\n\r\n 8 \r\n1\r\n');
    expect(await expandIdList(['1', '@ids.txt', '2'], pathOf)).toEqual(['1', '7', '8', '2']);
  });

  it.each([
    ['@none.txt', 'The list of tickets none.txt does not exist.'],
    ['@empty.txt', 'The list of tickets empty.txt is empty.'],
  ])('%s is refused', async (entry, message) => {
    await writeFile(pathOf('empty.txt'), '\n');
    await expect(expandIdList([entry], pathOf)).rejects.toMatchObject({ code: 'usage', message });
  });
});
