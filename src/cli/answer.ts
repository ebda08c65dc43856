/** What commands that look at something share: numbers that flags give, and the answer as JSON or on the screen. */
import { AppError } from '../domain/errors.ts';
import { createStyle, type Style } from '../present/terminal/style.ts';
import type { Parser } from '../settings/parsers.ts';
import type { CliContext, Flags } from './context.ts';
import { writeJson } from './show-error.ts';

/** For `--json` one object, else lines without line ends. */
export function answer(
  { stdout, env, commands }: Pick<CliContext, 'stdout' | 'env' | 'commands'>,
  flags: Flags,
  json: () => unknown,
  lines: (style: Style) => readonly string[],
): void {
  if (flags['json'] === true) {
    writeJson(stdout, json());
    return;
  }
  const style = createStyle({ stream: stdout, env, commands });
  stdout.write(`${lines(style).join('\n')}\n`);
}

/** Throws AppError `usage` where it is none. */
export function numberFlag(flags: Flags, name: string, parse: Parser<number>): number | undefined {
  const text = flags[name];
  if (typeof text !== 'string') return undefined;
  const parsed = parse(text);
  if ('value' in parsed) return parsed.value;
  throw new AppError('usage', `--${name} ${parsed.problem}.`);
}
