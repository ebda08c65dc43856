import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REAL_EXPORTS, SETTINGS, settingsFile } from './exports.ts';
import { countMarks } from './settings-text.ts';

const MOST_EDITS = 5;

describe('the settings of the genuine exports', () => {
  it.each(REAL_EXPORTS)(
    '$folder: at most five lines are edited, each is marked, no question stays open',
    (real) => {
      const text = readFileSync(settingsFile(real), 'utf8');
      expect(real.edits.length).toBeLessThanOrEqual(MOST_EDITS);
      expect(countMarks(text)).toBe(real.edits.length);
      expect(text.split('\n').filter((line) => !line.startsWith('#') && line.includes('TODO'))).toEqual([]);
    },
  );

  it('name no person: no address is in them', () => {
    const files = readdirSync(SETTINGS).filter((name) => name.endsWith('.yaml'));
    expect(files).toHaveLength(REAL_EXPORTS.length);
    const named = files.filter((name) => /\S@\S/.test(readFileSync(join(SETTINGS, name), 'utf8')));
    expect(named).toEqual([]);
  });
});
