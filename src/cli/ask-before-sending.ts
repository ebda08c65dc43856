/** The question before a command writes to a real helpdesk: in a terminal only, never with `--yes`. */
import { createInterface } from 'node:readline/promises';
import type { Settings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';

/** Whether to ask. */
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

/** True for a yes. Everything else is a no, also Ctrl-C, Ctrl-D and a closed terminal. */
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
      // A closed terminal may emit several errors.
      stdin.on('error', none);
      reader.question(question, { signal }).then(answered, none);
    });
    // The cursor is still behind the question.
    if (answer === undefined) stderr.write('\n');
    return answer?.trim();
  } finally {
    reader.close();
  }
}
