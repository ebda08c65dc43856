/** The one question of a command that writes to a real service: asked in a terminal only, and never with `--yes`. */
import { createInterface } from 'node:readline/promises';
import type { Settings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';

/** Whether there is somebody to ask, and something to ask about. */
export function isAsked(
  settings: Pick<Settings, 'yes' | 'sandbox' | 'source'>,
  { stdin, stderr }: CliContext,
): boolean {
  return (
    stdin.isTTY === true &&
    stderr.isTTY === true &&
    !settings.yes &&
    settings.sandbox === undefined &&
    !settings.source.files.includes('-')
  );
}

/** True for a yes; whatever else is typed is a no, and so are Ctrl-C, Ctrl-D and a terminal that is gone. */
export async function askYesOrNo(
  question: string,
  context: CliContext,
  signal: AbortSignal,
): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(`${question} [y/N] `, context, signal)) ?? '');
}

async function askLine(
  question: string,
  { stdin, stderr }: CliContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reader = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await new Promise<string | undefined>((answered) => {
      const none = () => answered(undefined);
      reader.once('close', none).once('SIGINT', none).on('error', none);
      // It stays: a terminal that is gone may say so more than once.
      stdin.on('error', none);
      reader.question(question, { signal }).then(answered, none);
    });
    // The cursor stands behind the question still.
    if (answer === undefined) stderr.write('\n');
    return answer?.trim();
  } finally {
    reader.close();
  }
}
