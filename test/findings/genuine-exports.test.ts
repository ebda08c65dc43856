/** What is said of exports that are mapped as they should be: the fixtures of the built-in layouts. A false alarm is a defect. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { surveyNeeds } from '../../src/commands/init/survey-needs.ts';
import { detectBuiltin } from '../../src/mapping/platforms/builtin-layouts.ts';
import { openExport } from '../../src/source/open-export.ts';
import { fixtures } from '../support/cli.ts';

const LAYOUTS = join(fixtures, 'layouts');
const signal = new AbortController().signal;
/** Beside the export in its folder. */
const OWN = ['expected.json', 'settings.json'];

it.each(readdirSync(LAYOUTS))('the export of %s gives no finding', async (layout) => {
  const folder = join(LAYOUTS, layout);
  const inputs = readdirSync(folder)
    .filter((name) => !OWN.includes(name))
    .map((name) => join(folder, name));
  expect(inputs.every((path) => statSync(path).size > 0)).toBe(true);
  await using files = await openExport(inputs, { signal });
  const detection = detectBuiltin(
    files.files.map(({ outline }) => outline),
    layout,
  );
  const { findings } = await surveyNeeds(files, detection, { folder, signal, now: new Date('2026-01-01') });
  expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
});
