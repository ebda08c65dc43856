/** The answer of a command, as JSON or on the screen. */
import { createStyle, type Style } from '../view/terminal/style.ts';
import type { CliContext, Flags } from './context.ts';
import { writeJson } from './show-error.ts';

/** One object with `--json`, otherwise lines. */
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
