/** `--plan`: where a dry run keeps its plan. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { requireOutput } from '../../cli/output-file.ts';
import { AppError } from '../../domain/errors.ts';
import { keepingPlan } from '../../import/plan-settings.ts';
import { isPlan } from '../../plan/plan-file.ts';
import type { Settings } from '../../settings/settings.ts';

/** Throws AppError `usage` where the plan cannot be kept there. */
export function withKeptPlan(settings: Settings, path: string, force = false): Settings {
  const keeping = keepingPlan(settings, path);
  requireOutput({ path, name: `The plan ${path}`, isOurs: isPlan, isDatabase: true, force });
  requireWritable(dirname(resolve(path)), path);
  return keeping;
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
