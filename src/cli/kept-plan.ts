/** `--plan`: where a dry run keeps its plan. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { isPlan } from '../plan/plan-file.ts';
import { rejectFoldersOf } from '../rejects/reject-folder.ts';
import type { Settings } from '../settings/settings.ts';
import { requireOutput } from './output-file.ts';

/** Throws AppError `usage` where there is no plan to keep, or it cannot be kept there. */
export function withKeptPlan(settings: Settings, path: string, force = false): Settings {
  const { mode, plan, source, output } = settings;
  const refuse = (message: string) => new AppError('usage', message);
  if (mode !== 'dry-run')
    throw refuse('--plan has an effect only with --dry-run: add --dry-run, or leave it out.');
  if (plan?.run !== undefined) throw refuse(`${plan.run} is a plan already: run it, or leave --plan out.`);
  if (path === '-') throw refuse('A plan is a file: name one with --plan.');
  if (rejectFoldersOf(source.files).length > 0)
    throw refuse('A plan is made of an export, not of a folder of rejects: import the rejects with run.');
  const others = [...source.files, output.checkpoint, output.report].flatMap((other) => other ?? []);
  if (others.some((other) => resolve(other) === resolve(path)))
    throw refuse(`--plan is ${path}, which is another file of this run: name another one.`);
  requireOutput({ path, name: `The plan ${path}`, isOurs: isPlan, isDatabase: true, force });
  requireWritable(dirname(resolve(path)), path);
  return { ...settings, plan: { keep: path } };
}

/** Before the export is read. */
function requireWritable(folder: string, path: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new AppError('usage', `The folder of ${path} cannot be written.`, {
      hint: 'Name a file in another folder.',
      cause,
    });
  }
}
