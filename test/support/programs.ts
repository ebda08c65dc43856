/** Programs that some tests need and a machine may lack: their tests are skipped, and one line names what is missing. */
import { existsSync } from 'node:fs';

export const PROGRAMS = {
  Chromium: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
} as const;

export type Program = keyof typeof PROGRAMS;

export function isInstalled(program: Program): boolean {
  return existsSync(PROGRAMS[program]);
}

/** The line about what is missing; undefined where all is there. */
export function missingLine(isThere: (program: Program) => boolean): string | undefined {
  const missing = (Object.keys(PROGRAMS) as Program[]).filter((program) => !isThere(program));
  if (missing.length === 0) return undefined;
  return `Tests that need ${missing.join(', ')} are skipped: not installed (.ci/install installs what is missing).`;
}
