import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REAL_EXPORTS, SETTINGS, settingsFile } from './exports.ts';

/** Changes of a person, and exports that may need more. */
const MOST = 4;
const MORE = 4;

describe('the settings of the genuine exports', () => {
  it('need four changes at most, but for four exports', () => {
    expect(REAL_EXPORTS.filter(({ set }) => set.length > MOST).length).toBeLessThanOrEqual(MORE);
  });

  it.each(REAL_EXPORTS)('$folder: nothing stays open', (real) => {
    const text = readFileSync(settingsFile(real), 'utf8');
    expect(text.split('\n').filter((line) => !line.startsWith('#') && line.includes('TODO'))).toEqual([]);
  });

  it('name no person: no address is in them', () => {
    const files = readdirSync(SETTINGS).filter((name) => name.endsWith('.yaml'));
    expect(files).toHaveLength(REAL_EXPORTS.length);
    const named = files.filter((name) => /\S@\S/.test(readFileSync(join(SETTINGS, name), 'utf8')));
    expect(named).toEqual([]);
  });
});
