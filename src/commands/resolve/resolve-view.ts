/** What became of the doubts that were settled, on screen. Lines without line ends. */
import { printable } from '../../domain/printable.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { countOf } from '../../view/format.ts';
import { type NextStep, stepLines } from '../../view/next-steps.ts';
import type { Style } from '../../view/terminal/style.ts';
import { wrap } from '../../view/terminal/text-block.ts';
import type { Settled } from './resolve-actions.ts';

/** More than so many are counted, not listed. */
const LISTED = 20;

const WHAT_NEXT: Readonly<Record<Settled['action'], (count: number) => string>> = {
  adopt: (count) =>
    `${countOf(count, 'ticket')} adopted: the next run sends ${count === 1 ? 'its' : 'their'} messages and events.`,
  retry: (count) => `${countOf(count, 'ticket')} to be created by the next run.`,
  skip: (count) => `${countOf(count, 'ticket')} left out.`,
  release: (count) =>
    `${countOf(count, 'ticket')} in doubt again: use --adopt to link ${count === 1 ? 'it to the right ticket' : 'them to the right tickets'}, or --retry if the target has none.`,
};

export interface SettledView {
  readonly settled: readonly Settled[];
  /** Tickets that are in doubt still. */
  readonly remaining: number;
  /** The command that lists them. */
  readonly list: string;
  /** The command of the import, where it is known. */
  readonly again: string | undefined;
}

export interface SettleCommands {
  readonly again: string | undefined;
  readonly command: (...more: string[]) => string;
}

export function settledLines({ settled, remaining, list, again }: SettledView, style: Style): string[] {
  const { symbols } = style;
  const lines: string[] = [];
  for (const action of ['adopt', 'retry', 'skip', 'release'] as const) {
    const those = settled.filter((one) => one.action === action);
    if (those.length === 0) continue;
    lines.push(style.green(`${symbols.tick} ${WHAT_NEXT[action](those.length)}`));
    if (those.length > LISTED) continue;
    for (const { externalId, ticketId } of those)
      lines.push(
        `    ${printable(externalId)}${ticketId === undefined ? '' : ` ${symbols.arrow} ${printable(ticketId)}`}`,
      );
  }
  if (settled.length === 0) lines.push('Nothing could be settled.');
  if (settled.some(({ action }) => action === 'retry'))
    lines.push(
      ...wrap(
        'The next run looks for the tag of each first. Where the target does not show it, a ticket that is there after all will be there twice.',
        style,
        {
          lead: `${symbols.warning} `,
          paintLead: style.yellow,
        },
      ),
    );
  const steps: NextStep[] =
    remaining === 0
      ? [{ text: 'No tickets are in doubt any longer. Run the import again to continue:', command: again }]
      : [
          {
            text: `${countOf(remaining, 'ticket')} ${remaining === 1 ? 'is' : 'are'} in doubt still:`,
            command: list,
          },
        ];
  return [...lines, '', ...stepLines(steps, style)];
}

/** How to settle what was listed: what the program can find out first, what only a person can know last. */
export function howToSettle(first: string, { again, command }: SettleCommands, style: Style): string[] {
  const id = quoteArgument(printable(first));
  return [
    '',
    style.bold('To settle them'),
    ...stepLines(
      [
        ...(again === undefined
          ? []
          : [{ text: 'First run the import again: it looks for them in the target.', command: again }]),
        {
          text: 'You found it in the target: take it over, and the next run sends its messages and events.',
          command: command(`--adopt ${id}=<ticket id>`),
        },
        {
          text: 'You looked for it in the target, and it is not there: the next run creates it.',
          command: command(`--retry ${id}`),
        },
        { text: 'Leave it out for good.', command: command(`--skip ${id}`) },
      ],
      style,
    ),
  ];
}
