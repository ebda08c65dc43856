/** Answers go to standard output; progress, warnings and questions to standard error. */
import { createInterface } from 'node:readline/promises';
import type { AppError } from '../domain/errors.ts';
import { printable, screenText } from '../domain/printable.ts';
import type { Settings } from '../settings/settings.ts';
import type { Block } from '../view/blocks.ts';
import { blockLines } from '../view/terminal/blocks.ts';
import { errorLines } from '../view/terminal/error-view.ts';
import { createScreen } from '../view/terminal/screen.ts';
import { createStyle, type Style, wrap } from '../view/terminal/style.ts';
import type { CliContext, Flags, OutputStream } from './context.ts';
import { writeJson } from './show-error.ts';

type Output = Pick<CliContext, 'stdout' | 'env' | 'commands'>;

export function answer(context: Output, flags: Flags, result: unknown, blocks: readonly Block[]): void {
  if (flags['json'] === true) writeJson(context.stdout, result);
  else print(blocks, context);
}

export function print(
  blocks: readonly Block[],
  context: Output,
  stream: OutputStream = context.stdout,
): void {
  const lines = blockLines(blocks, styleOf(stream, context));
  if (lines.length > 0) stream.write(`${screenText(lines)}\n`);
}

/** One line. */
export function sayLine(message: string, { stderr }: Pick<CliContext, 'stderr'>): void {
  stderr.write(`${printable(message)}\n`);
}

/** With `--json` the screen goes to standard error. */
export function showEnd(
  context: CliContext,
  { json, quiet }: Pick<Settings['output'], 'json' | 'quiet'>,
  result: unknown,
  stoppedBy: AppError | undefined,
  blocks: readonly Block[],
): void {
  if (json) writeJson(context.stdout, result);
  const stream = json ? context.stderr : context.stdout;
  const style = styleOf(stream, context);
  const why = stoppedBy === undefined ? [] : errorLines(stoppedBy, style);
  const screen = json && quiet ? [] : blockLines(blocks, style);
  const lines = [...why, ...(why.length > 0 && screen.length > 0 ? [''] : []), ...screen];
  if (lines.length > 0) stream.write(`${screenText(lines)}\n`);
}

export function styleOf(stream: OutputStream, { env, commands }: Omit<Output, 'stdout'>): Style {
  return createStyle({ stream, env, commands });
}

/** Default noun: tickets. */
export async function openScreen({ output, run }: Settings, context: CliContext, noun = 'ticket') {
  const { stderr: stream, env, clock } = context;
  const style = styleOf(stream, context);
  const screen = await createScreen({ ...output, stream, style, clock, env, budgets: run.rate, noun });
  return {
    screen,
    [Symbol.dispose]: () => screen.close(),
    say: (message: string) => screen.print(wrap(message, style)),
    warn: (message: string) =>
      screen.print(wrap(message, style, { lead: 'Warning: ', paintLead: style.yellow })),
  };
}

/** Never with `--yes`. */
export function shouldConfirm(
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

/** Everything else is a no, also Ctrl-C, Ctrl-D and a closed terminal. */
export async function askYesOrNo(
  question: string,
  { stdin, stderr, env }: CliContext,
  signal: AbortSignal,
): Promise<boolean> {
  // The cursor stays behind the question.
  const asked = screenText(wrap(`${question} [y/N]`, createStyle({ stream: stderr, env })));
  const reader = createInterface({ input: stdin, output: stderr });
  try {
    const typed = await new Promise<string | undefined>((answered) => {
      const none = () => answered(undefined);
      reader.once('close', none).once('SIGINT', none).on('error', none);
      stdin.on('error', none);
      reader.question(`${asked} `, { signal }).then(answered, none);
    });
    if (typed === undefined) stderr.write('\n');
    return /^y(es)?$/i.test(typed?.trim() ?? '');
  } finally {
    reader.close();
  }
}
