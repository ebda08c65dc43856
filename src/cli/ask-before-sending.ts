/** The one question of a command that writes to a real service: asked in a terminal only, and never with `--yes`. */
import { createInterface } from 'node:readline/promises';
import type { Settings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';

/** Whether there is somebody to ask, and something to ask about. */
export function isAsked(
  settings: Pick<Settings, 'assumeYes' | 'sandbox' | 'source'>,
  { stdin, stderr }: CliContext,
): boolean {
  return (
    stdin.isTTY === true &&
    stderr.isTTY === true &&
    !settings.assumeYes &&
    settings.sandbox === undefined &&
    !settings.source.files.includes('-')
  );
}

/** True for a yes; whatever else is typed is a no. */
export async function askYesOrNo(question: string, { stdin, stderr }: CliContext): Promise<boolean> {
  const reader = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await reader.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
