/** `helpdesk-import.yaml` from the disk. The YAML parser is loaded only for a file. */
import { readSmallFile, SmallFileError, whyUnread } from '../disk/small-file.ts';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';
import type { SectionChecks, SettingsFile } from './settings-file.ts';
import { SETTINGS_FILE } from './table/table.ts';

/**
 * Reads the settings file, by default the one with the default name, if any. Throws AppError `configuration` if a named file cannot be read.
 */
export async function loadSettingsFile(
  named: string | undefined,
  options: {
    /** What to do about a missing one. */
    readonly hint: string;
    readonly pathOf: (name: string) => string;
    readonly checks?: () => Promise<SectionChecks>;
  },
): Promise<SettingsFile | undefined> {
  const name = named ?? SETTINGS_FILE;
  let text: string;
  try {
    text = readSmallFile(options.pathOf(name), BOUNDS.settings.most);
  } catch (error) {
    const why = whyUnread(error);
    if (why === 'does not exist' && named === undefined) return undefined;
    const isExport = error instanceof SmallFileError && error.code === 'too large';
    const message = `The settings file ${printable(name)} ${why}.${isExport ? ' Is it the export?' : ''}`;
    throw new AppError('configuration', message, { hint: options.hint, cause: error });
  }
  const { parseSettingsFile } = await import('./settings-file.ts');
  const isAsked = /mapping|usageEvents/.test(text);
  return parseSettingsFile(text, name, isAsked ? await options.checks?.() : undefined);
}
