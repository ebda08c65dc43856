/** Fields that are set on the command line of a run, as `init` would write them. */

import { specOf } from '../../discover/fields.ts';
import { inspectExport } from '../../discover/inspection.ts';
import { AppError } from '../../domain/errors.ts';
import { openExport } from '../../source/open-export.ts';
import type { Reading } from '../../source/stage-csv.ts';
import { Editor } from './editor.ts';

interface Given extends Reading {
  readonly files: readonly string[];
  readonly from?: string | undefined;
  readonly mapping: unknown;
  readonly changes: readonly string[];
}

/** Tickets that are mapped to see what is open. */
const LOOKED_AT = 500;

export async function changedMapping(given: Given): Promise<unknown> {
  const { files, encoding, delimiter, skipLines, header, from, mapping, changes } = given;
  if (files.includes('-'))
    throw new AppError('usage', `--set ${changes[0]} needs files: standard input is read only once.`);
  const { signal } = new AbortController();
  await using opened = await openExport(files, { encoding, delimiter, skipLines, header, signal });
  using inspection = await inspectExport(opened, { from, signal });
  const editor = new Editor({ inspection, opened, flags: { from, encoding, delimiter }, files, signal });
  if (mapping !== undefined) await editor.resume(JSON.stringify({ mapping }));
  for (const change of changes) editor.change(change);
  const { shown, settings } = await editor.view(LOOKED_AT);
  const open = shown.filter(({ key, mark }) => mark !== undefined && specOf(key).of !== 'setting');
  if (open.length === 0) return settings.settings['mapping'];
  throw new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
    lines: open.map(({ key, label, mark }) => `${key} (${label}): ${mark}`),
    hint: 'Decide them with --set too, or in the table: `helpdesk-import init`',
  });
}
