/** Answers go to standard output; progress, warnings and questions to standard error. */
import { createInterface } from 'node:readline';
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
  if (flags['json'] === true) writeJson(context, result);
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
export function sayLine(
  message: string,
  { stderr, commands }: Pick<CliContext, 'stderr' | 'commands'>,
): void {
  stderr.write(`${printable(commands.inText(message))}\n`);
}

/** With `--json` the screen goes to standard error. */
export function showEnd(
  context: CliContext,
  { json, quiet }: Pick<Settings['output'], 'json' | 'quiet'>,
  result: unknown,
  stoppedBy: AppError | undefined,
  blocks: readonly Block[],
): void {
  if (json) writeJson(context, result);
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

/** Trimmed; undefined at the end of the input. */
export type Ask = (question: string) => Promise<string | undefined>;

/** Room for what is typed behind a prompt. */
const ANSWER = 8;

/** Lines typed ahead answer the next questions. */
export function askOnTerminal(
  { stdin, stderr, env }: Pick<CliContext, 'stdin' | 'stderr' | 'env'>,
  signal: AbortSignal,
): Ask & Disposable {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  const typed = lines[Symbol.asyncIterator]();
  const stop = new AbortController();
  const end = () => {
    stop.abort();
    lines.close();
  };
  lines.on('SIGINT', end);
  signal.addEventListener('abort', end, { once: true });
  const ask = async (question: string): Promise<string | undefined> => {
    if (stop.signal.aborted) return undefined;
    const style = createStyle({ stream: stderr, env });
    lines.setPrompt(`${screenText(wrap(question.trim(), { ...style, width: style.width - ANSWER }))} `);
    lines.prompt();
    const { value } = await typed.next().catch(() => ({ value: undefined }));
    return stop.signal.aborted ? undefined : value?.trim();
  };
  return Object.assign(ask, { [Symbol.dispose]: () => lines.close() });
}

/** Everything else is a no, also Ctrl-C, Ctrl-D and a closed terminal. */
export async function askYesOrNo(
  question: string,
  context: CliContext,
  signal: AbortSignal,
): Promise<boolean> {
  using ask = askOnTerminal(context, signal);
  const typed = await ask(`${question} [y/N]`);
  if (typed === undefined) context.stderr.write('\n');
  return /^y(es)?$/i.test(typed ?? '');
}
