import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DATA, hasData, REAL_EXPORTS, SETTINGS, settingsFile } from './exports.ts';
import { countMarks, settingsText } from './settings-text.ts';
import { written } from './write-settings.ts';

/** Folders of the data that hold no tickets. */
const NO_TICKETS = ['csv_nasty', 'json_nasty'];
const MOST_EDITS = 5;

describe('the settings of the real exports', () => {
  it.each(REAL_EXPORTS)(
    '$folder: at most five lines are edited, each is marked, none is left open',
    (real) => {
      const text = readFileSync(settingsFile(real), 'utf8');
      expect(real.edits.length).toBeLessThanOrEqual(MOST_EDITS);
      expect(countMarks(text)).toBe(real.edits.length);
      expect(text.split('\n').filter((line) => !line.startsWith('#') && line.includes('TODO'))).toEqual([]);
    },
  );

  it('name no person: no address stands in them', () => {
    const files = readdirSync(SETTINGS).filter((name) => name.endsWith('.yaml'));
    expect(files).toHaveLength(REAL_EXPORTS.length);
    const named = files.filter((name) => /\S@\S/.test(readFileSync(join(SETTINGS, name), 'utf8')));
    expect(named).toEqual([]);
  });
});

describe.runIf(hasData)('a real export', { timeout: 60_000 }, () => {
  it('stands in the table, whatever its folder', () => {
    const folders = readdirSync(DATA, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !NO_TICKETS.includes(entry.name))
      .map(({ name }) => name);
    const known = new Set(REAL_EXPORTS.map((real) => real.folder.split('/')[0]));
    expect(folders.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(REAL_EXPORTS)(
    '$folder: its settings are what init writes, but for the edited lines',
    async (real) => {
      const settings = parse(readFileSync(settingsFile(real), 'utf8'));
      expect(settings).toEqual(parse(settingsText(await written(real), real)));
    },
  );
});
