/** `helpdesk-import doctor`: looks at everything an import needs. Ends with 0, or with 2, 5 or 6 as the import would. */

import { answer } from '../../cli/answer.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { type LoadedSettings, loadSettings } from '../../cli/load-settings.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { examineSetup, settingsFine } from './doctor.ts';
import {
  credentialNames,
  type DoctorCheck,
  doctorExitCode,
  doctorLines,
  failed,
  settingRows,
} from './doctor-view.ts';

export async function doctorCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const { env } = context;
  const { loaded, check } = await settingsOf(files, flags, context);
  using stop = listenForStop(context, () => undefined, READING);
  const checks = await examineSetup(
    {
      settings: loaded?.settings,
      settingsCheck: check,
      withAttachments: flags['attachments'] === true,
    },
    {
      ...portsOf(context, stop),
      emit: () => undefined,
      settingsFolder: loaded?.folder ?? context.cwd,
    },
  );
  const rows = loaded === undefined ? [] : settingRows(loaded.settings, loaded.origins);
  const credentials = credentialNames(env);
  const exitCode = doctorExitCode(checks);
  answer(
    context,
    flags,
    () => ({
      version: 1,
      ok: exitCode === 0,
      checks,
      settings: rows.map(({ key, value, where }) => ({ key, value: value ?? null, where })),
      credentials,
      exitCode,
    }),
    (style) => doctorLines(checks, rows, credentials, style),
  );
  return exitCode;
}

async function settingsOf(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<{ loaded?: LoadedSettings; check: DoctorCheck }> {
  try {
    const loaded = await loadSettings(files, flags, [], context);
    return { loaded, check: settingsFine(loaded.file, loaded.warnings) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { check: failed('settings', 2, error.message, error.hint, { lines: error.lines }) };
  }
}
