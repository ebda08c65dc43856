import { countOf, formatCount } from '../domain/printable.ts';
import { OUTCOMES, type Outcome } from '../domain/ticket-state.ts';
import { checksOf, type Facts, type TrialTicket } from '../plan/facts.ts';
import * as b from './blocks.ts';
import { formatBytes, formatDuration, formatRate, formatShare, wholeShares } from './format.ts';
import { lostBlocks } from './loss.ts';
import { stepBlocks } from './next-steps.ts';
import { OUTCOME_VIEWS } from './outcomes.ts';
import { problemBlocks } from './problems.ts';
import type { View } from './run-view.ts';
import { verdictBlocks } from './verdict.ts';

interface SummaryOptions {
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
}

export function summaryBlocks(
  view: View,
  { quiet = false, verbose = false }: SummaryOptions = {},
): b.Block[] {
  const { facts: known, frames } = view;
  const groups = known.problemGroups;
  const shownBefore = verbose ? undefined : view.shownBefore;
  const head = [...verdictBlocks(known), ...outcomeBlocks(known)];
  const trial = known.trial?.tickets ?? [];
  if (quiet)
    return b.blocks(
      head,
      problemBlocks(
        groups.filter(({ severity }) => severity === 'error'),
        { frames, shownBefore },
      ),
      trialBlocks(
        trial.filter(({ checks }) => checks.some(({ ok }) => !ok)),
        known,
      ),
    );
  const isDry = known.mode === 'dry-run';
  return b.blocks(
    head,
    !isDry && b.heading('What was read and sent'),
    b.facts([...(isDry ? [] : contentFacts(known)), ...sentFacts(known), ...placeFacts(known)]),
    !isDry && lostBlocks(known),
    problemBlocks(groups, { frames, shownBefore }),
    trialBlocks(trial, known, verbose),
    checklistBlocks(view),
    stepBlocks(view.next),
  );
}

interface OutcomeTable {
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly isDry?: boolean;
  readonly total: { readonly label: string; readonly count: number };
}

export function outcomeTable({ counts, isDry = false, total }: OutcomeTable): b.Block {
  const of = (outcome: Outcome) => counts[outcome] ?? 0;
  const shown = OUTCOMES.filter((outcome) => of(outcome) > 0 || (outcome === 'done' && !isDry));
  const sum = shown.reduce((all, outcome) => all + of(outcome), 0);
  // If more was read than has an outcome, shares are of all.
  const shares =
    total.count === 0
      ? []
      : sum === total.count
        ? wholeShares(shown.map(of))
        : shown.map((outcome) => formatShare(of(outcome), total.count));
  return b.table({
    columns: ['Outcome', b.counts('Tickets'), b.counts('Share'), b.remark('Meaning')],
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

const MOST_REASONS = 4;

export function outcomeBlocks({ tickets, mode, skipped: reasons }: Facts): b.Block[] {
  const named = b.present([
    ...reasons.slice(0, MOST_REASONS).map(({ reason, count }) => `${formatCount(count)} ${reason}`),
    reasons.length > MOST_REASONS && 'and for other reasons',
  ]);
  return b.blocks(
    outcomeTable({
      counts: tickets,
      isDry: mode === 'dry-run',
      total: { label: mode === 'checkpoint' ? 'all' : 'read', count: tickets.read },
    }),
    named.length > 0 && b.paragraph(`Left out: ${named.join(', ')}.`, { look: 'more' }),
  );
}

function some(count: number | undefined, words: string): string | false {
  return count !== undefined && count > 0 && `${formatCount(count)} ${words}`;
}

export function contentFacts(of: Facts): (b.Fact | false)[] {
  if (of.export.digest === '') return [];
  const { mode, known, messages, events, attachments, contacts, kept, files } = of;
  const { longest } = messages;
  const { stored, missing, links } = attachments;
  const lost = (count: number) => some(count, 'without their ticket');
  const fact = (label: string, count: number, ...remarks: (string | false | undefined)[]): b.Fact => ({
    label,
    value: formatCount(count),
    remarks: b.present(remarks),
  });
  return [
    fact(
      'messages',
      messages.read,
      mode !== 'dry-run' && `${formatCount(messages.sent)} in the helpdesk`,
      messages.internal > 0 && countOf(messages.internal, 'internal note'),
      lost(messages.orphans),
      longest && `longest thread ${formatCount(longest.messages)} in ticket ${longest.externalId}`,
    ),
    fact(
      'events',
      events.read,
      mode !== 'dry-run' && !known.isCutOff && `${formatCount(events.sent)} in the helpdesk`,
      known.isCutOff && 'the number in the helpdesk was not recorded',
      lost(events.orphans),
    ),
    fact('contacts', contacts.distinct, some(contacts.merged, 'with several names')),
    fact(
      'attachments',
      attachments.read,
      attachments.bytes > 0 && formatBytes(attachments.bytes),
      some(stored, 'stored'),
      files === undefined ? links > 0 && countOf(links, 'link') : some(files.wanted, 'to fetch'),
      some(missing, 'missing'),
      some(attachments.checked, 'checked'),
      some(attachments.unreachable, 'unreachable'),
    ),
    kept.tickets > 0 && fact('notes', kept.tickets, 'tickets with an internal note of their unmapped fields'),
  ];
}

export function changedKinds({ found, messages, events }: NonNullable<Facts['updates']>): string[] {
  return b.present([
    some(found, 'with a new status, priority, assignee or tags'),
    some(messages, 'with other messages'),
    some(events, 'with other events'),
  ]);
}

export function sentFacts({
  mode,
  tickets,
  requests,
  durationMs,
  updates,
  openFirst,
}: Facts): (b.Fact | false)[] {
  if (mode === 'checkpoint' || mode === 'dry-run') return [];
  const { sent, changing, retried, rateLimited } = requests;
  return [
    updates !== undefined &&
      changedKinds(updates).length > 0 && {
        label: 'changed',
        value: countOf(tickets.update, 'ticket'),
        remarks: changedKinds(updates),
      },
    {
      label: 'requests',
      value: formatCount(sent),
      remarks: b.present([
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

function placeFacts(known: Facts): (b.Fact | false)[] {
  const { runTag, target, layout, checkpoint, rejects, report, planFile, mode } = known;
  const isDry = mode === 'dry-run';
  const places: Readonly<Record<string, string | undefined>> = {
    'run tag': runTag,
    helpdesk: target,
    layout: isDry ? undefined : layout,
    checkpoint: isDry ? undefined : checkpoint,
    rejects,
    plan: planFile && `${planFile.path}, which holds customers' messages: only you can read it`,
    report,
  };
  return Object.entries(places).map(([label, value]) => value !== undefined && { label, value });
}

/** Passed checks are only counted, unless `verbose`. */
function trialBlocks(tickets: readonly TrialTicket[], known: Facts, verbose = false): b.Block[] {
  if (tickets.length === 0) return [];
  const { failed } = checksOf(known);
  const verdict = failed === 0 ? 'all checks passed' : `${countOf(failed, 'check')} failed`;
  return b.blocks(
    b.heading(`Trial: ${countOf(tickets.length, 'ticket')}, ${verdict}`),
    tickets.map((ticket) => {
      const { externalId, ticketId, why } = ticket;
      const where = ticketId === undefined ? ', not in the helpdesk' : `, in the helpdesk: ${ticketId}`;
      return [
        b.heading(`${externalId}${where}`, { level: 3 }),
        b.paragraph(why.join('; '), { tone: 'soft' }),
        checkBlocks(ticket, verbose),
      ];
    }),
  );
}

export function checkBlocks({ checks }: TrialTicket, verbose = false): b.Block[] {
  const passed = checks.filter(({ ok }) => ok).length;
  const items = checks
    .filter(({ ok }) => verbose || !ok)
    .map(({ name, ok, detail }) => ({ lead: name, text: detail, tone: ok ? 'good' : 'bad' }) as const);
  const sum = { text: `${countOf(passed, 'check')} passed`, tone: 'good' } as const;
  return b.blocks(
    !verbose && passed > 0 && b.list('checks', [sum]),
    items.length > 0 && b.list('checks', items),
  );
}

function checklistBlocks({ checklist }: View): b.Block[] {
  const { overall = [], tickets = [] } = checklist ?? {};
  const columns = ['ticket', b.flexible('subject'), b.flexible('requester'), 'status'];
  return b.section(
    'Check in the helpdesk',
    tickets.length > 0 && [
      b.table({
        columns: [...columns, b.counts('messages'), b.counts('notes')],
        rows: tickets.map((one) => [
          one.ticketId,
          one.subject,
          one.requester,
          one.status,
          one.messages,
          one.notes,
        ]),
      }),
      b.paragraph(
        'In each: the right people, the order of the messages, what is internal, and that attachments open.',
      ),
    ],
    overall.length > 0 && b.list('boxes', overall),
  );
}
