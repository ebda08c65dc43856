import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../../src/settings/resolve-settings.ts';
import { parseSettingsFile } from '../../src/settings/settings-file.ts';
import { ALL_SETTINGS, settingsJsonSchema } from '../../src/settings/table/table.ts';
import { settingsReference } from '../docs/settings-reference.ts';

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
          properties: { batchSize: { description: expect.stringContaining('in flight'), default: 100 } },
        },
      },
    });
  });
});
