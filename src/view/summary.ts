/** The end of a run on screen: what happened to the tickets, what was sent, where the rest is, and what to do next. */
import { OUTCOMES, type Outcome } from '../domain/ticket-state.ts';
import { OUTCOME_VIEWS, type TrialTicket } from '../summary/summary.ts';
import {
  type Block,
  blocks,
  counts as countColumn,
  type Fact,
  facts,
  heading,
  list,
  paragraph,
  plainText,
  present,
  remark,
  section,
  table,
} from './blocks.ts';
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
  formatShare,
  wholeShares,
} from './format.ts';
import { stepBlocks } from './next-steps.ts';
import { problemBlocks } from './problems.ts';
import type { RunView } from './run-view.ts';
import { checksOf, verdictBlocks } from './verdict.ts';

interface SummaryOptions {
  /** `--quiet`: the verdict, the counts and the errors. */
  readonly quiet?: boolean | undefined;
  /** `--verbose`: checks that passed, too. */
  readonly verbose?: boolean | undefined;
}

export function summaryBlocks(
  view: RunView,
  { quiet = false, verbose = false }: SummaryOptions = {},
): Block[] {
  const { kind, problems, summary } = view;
  const head = [...verdictBlocks(view), ...outcomeBlocks(view)];
  const trial = summary?.trial?.tickets ?? [];
  if (quiet)
    return blocks(
      head,
      problemBlocks(problems.filter(({ severity }) => severity === 'error')),
      trialBlocks(
        trial.filter(({ checks }) => checks.some(({ ok }) => !ok)),
        view,
      ),
    );
  const isDry = kind === 'dry-run';
  return blocks(
    head,
    !isDry && heading('What was read and sent'),
    facts([...(isDry ? [] : contentFacts(view)), ...sentFacts(view), ...placeFacts(view)]),
    problemBlocks(problems),
    trialBlocks(trial, view, verbose),
    checklistBlocks(view),
    stepBlocks(view.next),
  );
}

interface OutcomeTable {
  /** Those that are left out are 0. */
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly isDry?: boolean;
  /** The last row, of which the others are shares. */
  readonly total: { readonly label: string; readonly count: number };
}

/** A row for `done` and for every other outcome that has tickets, and one for all of them. */
export function outcomeTable({ counts, isDry = false, total }: OutcomeTable): Block {
  const of = (outcome: Outcome) => counts[outcome] ?? 0;
  const shown = OUTCOMES.filter((outcome) => of(outcome) > 0 || (outcome === 'done' && !isDry));
  const sum = shown.reduce((all, outcome) => all + of(outcome), 0);
  // What is read may be more than what has an outcome: then these are shares of all, and no whole.
  const shares =
    total.count === 0
      ? []
      : sum === total.count
        ? wholeShares(shown.map(of))
        : shown.map((outcome) => formatShare(of(outcome), total.count));
  return table({
    columns: ['Outcome', countColumn('Tickets'), countColumn('Share'), remark('Meaning')],
    bar: shown.map((outcome) => ({ swatch: OUTCOME_VIEWS[outcome].swatch, count: of(outcome) })),
    rows: shown.map((outcome, index) => {
      const { word, tone, swatch, meaning, dryMeaning } = OUTCOME_VIEWS[outcome];
      return [
        { text: word, tone: of(outcome) > 0 ? tone : 'soft', swatch },
        formatCount(of(outcome)),
        { text: shares[index] ?? '', tone: 'soft' },
        { text: isDry ? dryMeaning : meaning, tone: 'soft' },
      ];
    }),
    sum: [total.label, { text: formatCount(total.count), tone: 'strong' }, '', ''],
  });
}

/** Reasons for leaving tickets out that are named. */
const MOST_REASONS = 4;

export function outcomeBlocks({ tickets, kind, survey }: RunView): Block[] {
  const reasons = (survey?.skippedBecause ?? []).toSorted((a, b) => b.count - a.count);
  const named = present([
    ...reasons.slice(0, MOST_REASONS).map(({ reason, count }) => `${formatCount(count)} ${reason}`),
    reasons.length > MOST_REASONS && 'and for other reasons',
  ]);
  return blocks(
    outcomeTable({
      counts: tickets,
      isDry: kind === 'dry-run',
      total: { label: kind === 'checkpoint' ? 'all' : 'read', count: tickets.read },
    }),
    named.length > 0 && paragraph(`Left out: ${named.join(', ')}.`, { look: 'more' }),
  );
}

/** `12 unreachable`, unless there are 0. */
function some(count: number | undefined, words: string): string | false {
  return count !== undefined && count > 0 && `${formatCount(count)} ${words}`;
}

/** What is in the export, and how much of it is in the helpdesk. */
export function contentFacts({ kind, survey, summary }: RunView): (Fact | false)[] {
  if (survey === undefined) return [];
  const { messages, events, attachments, contacts, orphans, longestThread: longest } = survey;
  const sent = kind === 'dry-run' ? undefined : summary;
  const lost = (count: number) => some(count, 'without their ticket');
  const fact = (label: string, count: number, ...remarks: (string | false | undefined)[]): Fact => ({
    label,
    value: formatCount(count),
    remarks: present(remarks),
  });
  return [
    fact(
      'messages',
      messages.read,
      sent !== undefined && `${formatCount(sent.messages.sent)} in the helpdesk`,
      messages.internal > 0 && countOf(messages.internal, 'internal note'),
      lost(orphans.messages),
      longest && `longest thread ${formatCount(longest.messages)} in ticket ${longest.externalId}`,
    ),
    fact(
      'events',
      events.read,
      sent !== undefined && `${formatCount(sent.events.sent)} in the helpdesk`,
      lost(orphans.events),
    ),
    fact('contacts', contacts.distinct, some(contacts.merged, 'with several names')),
    fact(
      'attachments',
      attachments.read,
      attachments.bytes > 0 && formatBytes(attachments.bytes),
      some(summary?.attachments.checked, 'checked'),
      some(summary?.attachments.unreachable, 'unreachable'),
    ),
    survey.notes > 0 && fact('notes', survey.notes, 'tickets with an internal note of their unmapped fields'),
  ];
}

/** What was sent, and how long that took. */
export function sentFacts({ kind, summary }: RunView): (Fact | false)[] {
  if (summary === undefined || kind === 'dry-run') return [];
  const { requests, durationMs, updates, openFirst } = summary;
  const { sent, changing, retried, rateLimited } = requests;
  return [
    updates !== undefined &&
      updates.found > 0 && {
        label: 'fields',
        value: formatCount(updates.found),
        remarks: [`${formatCount(updates.sent)} updated in the helpdesk`],
      },
    {
      label: 'requests',
      value: formatCount(sent),
      remarks: present([
        some(sent - changing, 'to read'),
        retried > 0 && countOf(retried, 'retry', 'retries'),
        some(rateLimited, 'rate limited'),
        durationMs >= 1000 && sent > 0 && formatRate((sent / durationMs) * 1000),
      ]),
    },
    openFirst !== undefined && {
      label: 'open first',
      value: `${formatCount(openFirst.done)} of ${formatCount(openFirst.tickets)}`,
      remarks: [`open and pending tickets in the helpdesk after ${formatDuration(openFirst.afterMs)}`],
    },
    { label: 'time', value: formatDuration(durationMs) },
  ];
}

/** Where everything is. */
function placeFacts({ summary, layout, kind, files }: RunView): (Fact | false)[] {
  const { runTag, target, checkpoint, rejects, report, planFile } = summary ?? {};
  const isDry = kind === 'dry-run';
  const isKept = isDry && planFile !== undefined && !files.includes(planFile.path);
  const secret = isKept ? ", which holds customers' messages: only you can read it" : '';
  const places: Readonly<Record<string, string | undefined>> = {
    'run tag': runTag,
    target,
    layout: isDry ? undefined : layout,
    checkpoint: isDry ? undefined : checkpoint,
    rejects,
    plan: planFile && `${planFile.path}${secret}`,
    report,
  };
  return Object.entries(places).map(([label, value]) => value !== undefined && { label, value });
}

/** Checks that passed are only counted, unless `verbose`. */
function trialBlocks(tickets: readonly TrialTicket[], view: RunView, verbose = false): Block[] {
  if (tickets.length === 0) return [];
  const { failed } = checksOf(view);
  const verdict = failed === 0 ? 'all checks passed' : `${countOf(failed, 'check')} failed`;
  return blocks(
    heading(`Trial: ${countOf(tickets.length, 'ticket')}, ${verdict}`),
    tickets.map((ticket) => {
      const { externalId, ticketId, why } = ticket;
      const where = ticketId === undefined ? ', not in the helpdesk' : `, in the helpdesk: ${ticketId}`;
      return [
        heading(`${externalId}${where}`, { level: 3 }),
        paragraph(why.join('; '), { tone: 'soft' }),
        checkBlocks(ticket, verbose),
      ];
    }),
  );
}

/** Failed checks in full, passed ones by their number. */
export function checkBlocks({ checks }: TrialTicket, verbose = false): Block[] {
  const passed = checks.filter(({ ok }) => ok).length;
  const items = checks
    .filter(({ ok }) => verbose || !ok)
    .map(({ name, ok, detail }) => ({ lead: name, text: detail, tone: ok ? 'good' : 'bad' }) as const);
  const sum = { text: `${countOf(passed, 'check')} passed`, tone: 'good' } as const;
  return blocks(!verbose && passed > 0 && list('checks', [sum]), items.length > 0 && list('checks', items));
}

/** A box for each ticket, to be ticked when all that is said of it is seen. */
function checklistBlocks({ checklist }: RunView): Block[] {
  const { overall = [], tickets = [] } = checklist ?? {};
  const boxes = [
    ...overall,
    ...tickets.map(({ ticketId, subject, look }) => ({
      text: { text: plainText(`${ticketId}  ${subject}`), tone: 'strong' as const },
      below: [paragraph(look.join(' '))],
    })),
  ];
  return section('Check in the helpdesk', boxes.length > 0 && list('boxes', boxes));
}
