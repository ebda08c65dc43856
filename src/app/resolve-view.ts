/** What became of the doubts that were settled, on screen. Lines without line ends. */
import { printable } from '../domain/printable.ts';
import { countOf } from '../report/format.ts';
import { quoteArgument } from '../report/next-steps.ts';
import type { Style } from '../report/style.ts';
import { wrap } from '../report/text-block.ts';
import type { Settled } from './resolve.ts';

/** More than so many are counted, not listed. */
const LISTED = 20;

const WHAT_NEXT: Readonly<Record<Settled['action'], (count: number) => string>> = {
  adopt: (count) =>
    `${countOf(count, 'ticket')} adopted: the next run sends ${count === 1 ? 'its' : 'their'} messages and events.`,
  retry: (count) => `${countOf(count, 'ticket')} to be created by the next run.`,
  skip: (count) => `${countOf(count, 'ticket')} left out.`,
};

export interface SettledView {
  readonly settled: readonly Settled[];
  /** Tickets that are in doubt still. */
  readonly remaining: number;
  /** The command that lists them. */
  readonly list: string;
  /** Whether the target was read; else `retry` was a person's word. */
  readonly wasRead: boolean;
}

export function settledLines({ settled, remaining, list, wasRead }: SettledView, style: Style): string[] {
  const { symbols } = style;
  const lines: string[] = [];
  for (const action of ['adopt', 'retry', 'skip'] as const) {
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
  if (!wasRead && settled.some(({ action }) => action === 'retry'))
    lines.push(
      ...wrap('What is tried again and is in the target after all will be there twice.', style, {
        lead: `${symbols.warning} `,
        paintLead: style.yellow,
      }),
    );
  lines.push('');
  if (remaining === 0) lines.push('No ticket is in doubt any more. Run the import again to go on.');
  else
    lines.push(
      ...wrap(
        `${countOf(remaining, 'ticket')} ${remaining === 1 ? 'is' : 'are'} in doubt still: ${style.typed(list)}`,
        style,
        { paint: style.yellow },
      ),
    );
  return lines;
}

/** How to settle what was listed. */
export function howToSettle(first: string, flag: string, style: Style): string[] {
  const id = quoteArgument(printable(first));
  const ways: readonly (readonly [text: string, command: string])[] = [
    [
      'It is there: take it over, and the next run sends its messages and events.',
      `--adopt ${id}=<ticket id>`,
    ],
    ['It is not there: the next run creates it.', `--retry ${id}`],
    ['Leave it out for good.', `--skip ${id}`],
    ['Let the target be read, where it can be.', '--lookup'],
  ];
  return [
    '',
    style.bold('To settle them'),
    ...ways.flatMap(([text, command]) => [
      ...wrap(text, style, { indent: 2 }),
      `    ${style.cyan(style.typed(`helpdesk-import resolve${flag} ${command}`))}`,
    ]),
  ];
}
