/** A trial on screen: each ticket with why it was chosen and what the checks say, then what a person should look at. */
import { padText, printable, textWidth } from '../../domain/printable.ts';
import { countOf } from './format.ts';
import type { Style } from './style.ts';
import type { TrialCheck, TrialTicket } from './summary.ts';
import { heading, wrap } from './text-block.ts';

/** What a person should look at, as sentences. */
export interface TrialChecklist {
  readonly tickets: readonly {
    readonly ticketId: string;
    readonly subject: string;
    readonly look: readonly string[];
  }[];
  /** What concerns the whole trial. */
  readonly overall: readonly string[];
}

/** Lines. Checks that passed are only counted, unless `verbose`. */
export function trialLines(
  tickets: readonly TrialTicket[],
  checklist: TrialChecklist | undefined,
  style: Style,
  verbose = false,
): string[] {
  const failed = tickets.flatMap(({ checks }) => checks).filter(({ ok }) => !ok).length;
  const verdict =
    failed === 0 ? style.green('all checks passed') : style.red(`${countOf(failed, 'check')} failed`);
  return [
    '',
    `${style.bold(`Trial: ${countOf(tickets.length, 'ticket')}`)}, ${verdict}`,
    ...tickets.flatMap((ticket) => ticketLines(ticket, style, verbose)),
    ...(checklist === undefined ? [] : checklistLines(checklist, style)),
  ];
}

function ticketLines(ticket: TrialTicket, style: Style, verbose: boolean): string[] {
  const { symbols } = style;
  const where = ticket.ticketId === undefined ? 'not in the target' : `${symbols.arrow} ${ticket.ticketId}`;
  const passed = ticket.checks.filter(({ ok }) => ok).length;
  const shown = verbose ? ticket.checks : ticket.checks.filter(({ ok }) => !ok);
  return [
    '',
    `  ${style.bold(printable(ticket.externalId))} ${style.dim(printable(where))}`,
    ...wrap(printable(ticket.why.join('; ')), style, { indent: 4, paint: style.dim }),
    ...(verbose || passed === 0
      ? []
      : [`    ${style.green(`${symbols.tick} ${countOf(passed, 'check')} passed`)}`]),
    ...checkLines(shown, style),
  ];
}

function checkLines(checks: readonly TrialCheck[], style: Style): string[] {
  const { symbols } = style;
  const widest = Math.max(0, ...checks.map(({ name }) => textWidth(name)));
  return checks.flatMap(({ name, ok, detail }) =>
    wrap(printable(detail), style, {
      indent: 4,
      lead: `${ok ? symbols.tick : symbols.cross} ${padText(printable(name), widest)}  `,
      paintLead: ok ? style.green : style.red,
    }),
  );
}

/** A box for each ticket, to be ticked when all that is said of it is seen. */
function checklistLines({ tickets, overall }: TrialChecklist, style: Style): string[] {
  const box = { indent: 2, lead: `${style.symbols.box} ` };
  return [
    ...heading('For your own eyes, in the target', style),
    ...overall.flatMap((item) => wrap(printable(item), style, box)),
    ...tickets.flatMap(({ ticketId, subject, look }) => [
      ...wrap(printable(`${ticketId}  ${subject}`), style, { ...box, paint: style.bold }),
      ...wrap(printable(look.join(' ')), style, { indent: 4 }),
    ]),
  ];
}
