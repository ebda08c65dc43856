/** The end of a run on screen: what became of the tickets, what was sent, where the rest is, and what to do next. */

import { padText, printable, textWidth } from '../../domain/printable.ts';
import type { Problem } from '../../domain/problem.ts';
import type { SourceFrame } from '../../domain/source.ts';
import type { Outcome } from '../../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import type { Summary, TrialCheck, TrialChecklist, TrialTicket } from '../../summary/summary.ts';
import { countOf, formatCount, formatDuration, formatRate } from '../format.ts';
import { countOfCode, type NextStepContext, nextSteps, stepLines } from '../next-steps.ts';
import { outcomeTableLines } from './outcome-table.ts';
import { problemLines } from './problem-view.ts';
import type { Style } from './style.ts';
import { factLines, heading, wrap } from './text-block.ts';

interface SummaryViewOptions extends NextStepContext {
  /** `--quiet`: the verdict, the counts and the errors. */
  readonly quiet?: boolean;
  /** Lines of the export, by the examples of the summary's groups of problems. */
  readonly frames?: ReadonlyMap<Problem, SourceFrame> | undefined;
  /** Kinds of problems that an earlier run showed in full; `--verbose` shows them again. */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  /** The checklist for the human eye, of a trial. */
  readonly checklist?: TrialChecklist | undefined;
  /** `--verbose`: checks that passed, too. */
  readonly verbose?: boolean;
}

/** Lines without line ends. */
export function summaryLines(summary: Summary, style: Style, options: SummaryViewOptions): string[] {
  if (options.quiet === true) return quietLines(summary, style, options);
  const steps = nextSteps(summary, options);
  return [
    ...headline(summary, style),
    '',
    ...countLines(summary, style),
    ...heading(summary.mode === 'dry-run' ? 'What was read' : 'What was read and sent', style),
    ...factLines(
      factRows(summary).map(([label, text]) => ({ label, text })),
      style,
    ),
    ...problemLines({ groups: summary.problemGroups }, style, {
      frames: options.frames,
      shownBefore: options.verbose === true ? undefined : options.shownBefore,
    }),
    ...(summary.trial === undefined
      ? []
      : trialLines(summary.trial.tickets, options.checklist, style, options.verbose)),
    ...(steps.length === 0 ? [] : heading('Next', style)),
    ...stepLines(steps, style),
  ];
}

/** What went well is told by counts alone; what did not is told as without `--quiet`. */
function quietLines(summary: Summary, style: Style, { frames }: SummaryViewOptions): string[] {
  const failedChecks = (summary.trial?.tickets ?? []).filter(({ checks }) => checks.some(({ ok }) => !ok));
  const errors = summary.problemGroups.filter(({ severity }) => severity === 'error');
  return [
    ...headline(summary, style),
    '',
    ...countLines(summary, style),
    ...problemLines({ groups: errors }, style, { frames }),
    ...(failedChecks.length === 0 ? [] : trialLines(failedChecks, undefined, style)),
  ];
}

function headline(summary: Summary, style: Style): string[] {
  const { symbols } = style;
  const say = (symbol: string, paint: (text: string) => string, text: string) =>
    wrap(text, style, { lead: `${symbol} `, paintLead: paint, paint });
  const { tickets, exitCode, mode } = summary;
  const all = countOf(tickets.read, 'ticket');
  if (mode === 'dry-run' && exitCode === 0)
    return say(symbols.tick, style.green, `The dry run found nothing to reject in ${all}.`);
  if (mode === 'dry-run' && exitCode === 3)
    return say(
      symbols.warning,
      style.yellow,
      `The dry run would reject ${formatCount(tickets.rejected)} of ${all}.`,
    );
  if (exitCode === 0)
    return mode === 'trial'
      ? say(symbols.tick, style.green, 'The trial is in the target, and all checks passed.')
      : countOfCode(summary, CHANGED) === 0
        ? say(symbols.tick, style.green, doneText(summary))
        : say(symbols.warning, style.yellow, doneText(summary));
  if (mode === 'trial' && exitCode === 3)
    return say(symbols.warning, style.yellow, 'The trial finished with problems.');
  const settled = `${formatCount(tickets.done)} of ${all} done`;
  const older = countOfCode(summary, 'older-than-imported');
  if (exitCode === 3 && older > 0)
    return say(
      symbols.warning,
      style.yellow,
      `Finished with problems: ${countOf(older, 'ticket')} of this export ${older === 1 ? 'is' : 'are'} older than what was imported, and ${older === 1 ? 'was' : 'were'} left as ${older === 1 ? 'it is' : 'they are'}.`,
    );
  return exitCode === 3 || exitCode === 4
    ? say(symbols.warning, style.yellow, `Finished with problems: ${settled}.`)
    : say(symbols.cross, style.red, `Stopped early: ${settled}.`);
}

/** `All 12 tickets are done.`, and whether this run had anything to do. */
function doneText(summary: Summary): string {
  const { tickets, requests, problemGroups } = summary;
  if (tickets.read === 0) return 'The export has no tickets.';
  const skipped = tickets.skipped === 0 ? '' : `, ${formatCount(tickets.skipped)} skipped`;
  if (tickets.done === 0) return `No ticket was to be imported${skipped}.`;
  const done = tickets.done === 1 ? '1 ticket is' : `All ${countOf(tickets.done, 'ticket')} are`;
  if (problemGroups.some(({ code }) => code === 'missing-in-target'))
    return `Imported ${countOf(tickets.done, 'ticket')}${skipped}, but the target does not have all of them any more.`;
  const changed = countOfCode(summary, CHANGED);
  if (changed > 0)
    return `${done} imported${skipped}, but ${formatCount(changed)} of them changed in the export since, and the changes were not sent.`;
  const nothing = requests.changing === 0 ? ' Already imported; nothing to send.' : '';
  return `${done} done${skipped}.${nothing}`;
}

/** Tickets whose changes in the export this run did not send. */
const CHANGED = 'changed-since-import';

function countLines({ tickets, mode }: Summary, style: Style): string[] {
  const meaning = (outcome: Outcome) => {
    const { meaning: usual, meaningInDryRun = usual } = OUTCOME_VIEWS[outcome];
    return mode === 'dry-run' ? meaningInDryRun : usual;
  };
  return outcomeTableLines(
    { counts: tickets, meaning, total: { label: 'read', count: tickets.read } },
    style,
  );
}

function factRows(summary: Summary): [label: string, text: string][] {
  const { contacts, attachments, requests, durationMs, mode } = summary;
  const isDry = mode === 'dry-run';
  const parts = (...texts: readonly (string | false)[]) => texts.filter((text) => text !== false).join(', ');
  const rows: (readonly [label: string, text: string | undefined | false])[] = [
    ...(['messages', 'events'] as const).map((label) => {
      const { read, sent, orphans } = summary[label];
      return [
        label,
        parts(
          `${formatCount(read)} read`,
          !isDry && `${formatCount(sent)} in the target`,
          orphans > 0 && `${formatCount(orphans)} without their ticket`,
        ),
      ] as const;
    }),
    [
      'fields',
      summary.updates !== undefined &&
        summary.updates.found > 0 &&
        parts(
          `${countOf(summary.updates.found, 'ticket')} changed in the export`,
          !isDry && `${formatCount(summary.updates.sent)} updated`,
        ),
    ],
    ['contacts', `${formatCount(contacts.distinct)} different`],
    [
      'attachments',
      attachments.read > 0 &&
        parts(
          `${formatCount(attachments.read)} read`,
          attachments.checked > 0 && `${formatCount(attachments.checked)} checked`,
          attachments.unreachable > 0 && `${formatCount(attachments.unreachable)} cannot be reached`,
        ),
    ],
    [
      'requests',
      !isDry &&
        parts(
          `${formatCount(requests.sent)} sent`,
          requests.sent > requests.changing &&
            `${formatCount(requests.sent - requests.changing)} of them to read`,
          requests.retried > 0 && `${formatCount(requests.retried)} of them again`,
          requests.rateLimited > 0 && `${formatCount(requests.rateLimited)} turned away by the rate limit`,
          durationMs >= 1000 && requests.sent > 0 && formatRate((requests.sent / durationMs) * 1000),
        ),
    ],
    [
      'open first',
      summary.openFirst &&
        `${formatCount(summary.openFirst.done)} of ${countOf(summary.openFirst.tickets, 'open and pending ticket')} in the target after ${formatDuration(summary.openFirst.afterMs)}`,
    ],
    [
      'notes',
      summary.notes > 0 &&
        `${countOf(summary.notes, 'ticket')} with an internal note of fields that have no place in the helpdesk`,
    ],
    [
      'plan',
      summary.planFile &&
        `${summary.planFile.path}${isDry ? ", which holds customers' messages: only you can read it" : ''}`,
    ],
    ['digest', summary.planFile?.digest],
    ['run tag', summary.runTag],
    ['time', formatDuration(durationMs)],
    ['target', summary.target],
    ['layout', summary.layout],
    ['checkpoint', !isDry && summary.checkpoint],
    ['rejects', summary.rejects],
    ['report', summary.report],
  ];
  return rows.filter((row): row is [string, string] => typeof row[1] === 'string');
}

/** Lines. Checks that passed are only counted, unless `verbose`. */
function trialLines(
  tickets: readonly TrialTicket[],
  checklist: TrialChecklist | undefined,
  style: Style,
  verbose = false,
): string[] {
  if (tickets.length === 0) return [];
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
    ...heading('Please check in the target', style),
    ...overall.flatMap((item) => wrap(printable(item), style, box)),
    ...tickets.flatMap(({ ticketId, subject, look }) => [
      ...wrap(printable(`${ticketId}  ${subject}`), style, { ...box, paint: style.bold }),
      ...wrap(printable(look.join(' ')), style, { indent: 4 }),
    ]),
  ];
}
