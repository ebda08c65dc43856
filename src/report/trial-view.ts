/** A trial on screen: each ticket with why it was chosen and what the checks say, then what a person should look at. */
import { padText, printable, textWidth } from '../domain/printable.ts';
import { countOf } from './format.ts';
import type { Style } from './style.ts';
import type { TrialTicket } from './summary.ts';
import { heading, wrap } from './text-block.ts';

/** Lines; `checklist`: one thing to look at each. */
export function trialLines(
  tickets: readonly TrialTicket[],
  checklist: readonly string[],
  style: Style,
): string[] {
  const failed = tickets.flatMap(({ checks }) => checks).filter(({ ok }) => !ok).length;
  const verdict =
    failed === 0 ? style.green('all checks passed') : style.red(`${countOf(failed, 'check')} failed`);
  return [
    '',
    `${style.bold(`Trial: ${countOf(tickets.length, 'ticket')}`)}, ${verdict}`,
    ...tickets.flatMap((ticket) => ticketLines(ticket, style)),
    ...(checklist.length === 0 ? [] : heading('For your own eyes, in the target', style)),
    ...checklist.flatMap((item) =>
      wrap(printable(item), style, { indent: 2, lead: `${style.symbols.box} ` }),
    ),
  ];
}

function ticketLines(ticket: TrialTicket, style: Style): string[] {
  const { symbols } = style;
  const where = ticket.ticketId === undefined ? 'not in the target' : `${symbols.arrow} ${ticket.ticketId}`;
  const widest = Math.max(0, ...ticket.checks.map(({ name }) => textWidth(name)));
  return [
    '',
    `  ${style.bold(printable(ticket.externalId))} ${style.dim(printable(where))}`,
    ...ticket.why.flatMap((why) =>
      wrap(printable(why), style, { indent: 4, lead: `${symbols.bullet} `, paint: style.dim }),
    ),
    ...ticket.checks.flatMap(({ name, ok, detail }) =>
      wrap(printable(detail), style, {
        indent: 4,
        lead: `${ok ? symbols.tick : symbols.cross} ${padText(printable(name), widest)}  `,
        paintLead: ok ? style.green : style.red,
      }),
    ),
  ];
}
