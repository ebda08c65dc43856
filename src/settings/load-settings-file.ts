/** `helpdesk-import.yaml` from the disk. What reads YAML and judges it is loaded only where there is a file. */
import type { z } from 'zod';
import { readSmallFile, SmallFileError, whyUnread } from '../disk/small-file.ts';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';
import type { MappingCheck, SettingsFile } from './settings-file.ts';
import { SETTINGS_FILE } from './table/table.ts';

/** What judges the sections that are written in a language of their own. */
export interface SectionChecks {
  readonly mapping?: z.ZodType | MappingCheck;
  readonly usageEvents?: MappingCheck;
}

const SECTIONS: readonly (keyof SectionChecks)[] = ['mapping', 'usageEvents'];

/**
 * Reads the settings file. `named`: without it the file of the default name is taken if it is
 * there. `checks` is asked only where the file names such a section. Throws AppError `configuration` when a named file cannot be read.
 */
export async function loadSettingsFile(
  named: string | undefined,
  options: {
    /** What to do about one that is not there. */
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
    throw new AppError(
      'configuration',
      `The settings file ${printable(name)} ${why}.${isExport ? ' Is it the export?' : ''}`,
      {
        hint: options.hint,
        cause: error,
      },
    );
  }
  const { parseSettingsFile } = await import('./settings-file.ts');
  const isAsked = SECTIONS.some((section) => text.includes(section));
  const { mapping, usageEvents } = (isAsked ? await options.checks?.() : undefined) ?? {};
  return parseSettingsFile(text, name, mapping, usageEvents);
}
