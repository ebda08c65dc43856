/** Progress of a long command on standard error, and its style. */

import type { Settings } from '../settings/settings.ts';
import { createScreen } from '../view/terminal/screen.ts';
import { createStyle, type Style } from '../view/terminal/style.ts';
import { wrap } from '../view/terminal/text-block.ts';
import type { CliContext } from './context.ts';

/** `noun`: what is counted; default: tickets. */
export async function openScreen({ output, run }: Settings, context: CliContext, noun?: string) {
  const { stderr, env, clock, commands } = context;
  const style: Style = createStyle({ stream: stderr, env, commands });
  const screen = await createScreen({
    ...output,
    stream: stderr,
    style,
    clock,
    env,
    budgets: run.rate,
    ...(noun !== undefined && { noun }),
  });
  return {
    screen,
    style,
    /** A sentence between lines of progress. */
    say: (message: string) => screen.print(wrap(message, style)),
    warn: (message: string) =>
      screen.print(wrap(message, style, { lead: 'Warning: ', paintLead: style.yellow })),
  };
}
