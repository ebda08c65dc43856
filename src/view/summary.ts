/** Counts of an import: outcomes, contents, requests, and the checks of a trial. */

import { countOf, formatCount } from '../domain/printable.ts';
import { OUTCOMES, type Outcome } from '../domain/ticket-state.ts';
import { checksOf, type Facts, type TrialTicket } from '../plan/facts.ts';
import * as b from './blocks.ts';
import { formatBytes, formatDuration, formatRate, formatShare, wholeShares } from './format.ts';

interface OutcomeView {
  readonly word: string;
  readonly tone: b.Tone;
  readonly swatch: b.Swatch;
  readonly meaning: string;
  readonly dryMeaning: string;
}

function outcome(
  ...[word, tone, swatch, meaning, dryMeaning = meaning]: [string, b.Tone, b.Swatch, string, string?]
): OutcomeView {
  return { word, tone, swatch, meaning, dryMeaning };
}

export const OUTCOME_VIEWS: Readonly<Record<Outcome, OutcomeView>> = {
  done: outcome('done', 'good', 'done', 'in the helpdesk, complete'),
  rejected: outcome('rejected', 'bad', 'rejected', 'invalid, not sent', 'invalid, would not be sent'),
  failed: outcome('failed', 'bad', 'failed', 'refused by the helpdesk, or incomplete there'),
  inDoubt: outcome('in doubt', 'warn', 'doubt', 'sent, outcome unknown'),
  skipped: outcome('skipped', 'soft', 'skipped', 'left out by filters or rules'),
  pending: outcome('pending', 'soft', 'ready', 'not sent yet', 'valid, ready to import'),
};

export const END_WORDS: Readonly<Record<number, string>> = {
  0: 'all done',
  1: 'an internal error',
  2: 'refused to go on',
  3: 'some rejected, failed or not updated',
  4: 'some in doubt',
  5: 'permission refused',
  6: 'stopped early',
  130: 'interrupted',
  143: 'terminated',
};

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

/** Customers whose address is made up, and those who may be there twice. */
export function customersOf({
  distinct,
  made = 0,
  byName = 0,
  namesakes = 0,
}: Facts['contacts']): (string | false)[] {
  if (made === 0) return [];
  return [
    `${formatCount(distinct - made)} with their address`,
    `${formatCount(made)} made up`,
    byName > 0 && `${formatCount(byName)} known by name alone`,
    namesakes > 0 && `${formatCount(namesakes)} under the name of a customer who has an address`,
  ];
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
    events.read + events.orphans > 0 &&
      fact(
        'events',
        events.read,
        mode !== 'dry-run' && !known.isCutOff && `${formatCount(events.sent)} in the helpdesk`,
        known.isCutOff && 'the number in the helpdesk was not recorded',
        lost(events.orphans),
      ),
    fact(
      'customers',
      contacts.distinct,
      ...customersOf(contacts),
      some(contacts.merged, 'with several names'),
    ),
    attachments.read > 0 &&
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
    kept.tickets > 0 && fact('notes', kept.tickets, 'one a ticket, with its unmapped fields'),
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

/** `isSandbox`: its address ended with the run. */
export function placeFacts(known: Facts, isSandbox = false): (b.Fact | false)[] {
  const { runTag, target, layout, checkpoint, rejects, report, planFile, mode } = known;
  const isDry = mode === 'dry-run';
  const places: Readonly<Record<string, string | undefined>> = {
    'run tag': runTag,
    helpdesk: isSandbox ? undefined : target,
    layout: isDry ? undefined : layout,
    checkpoint: isDry ? undefined : checkpoint,
    rejects,
    plan: planFile && `${planFile.path}, which holds customers' messages: only you can read it`,
    report,
  };
  return Object.entries(places).map(([label, value]) => value !== undefined && { label, value });
}

/** Passed checks are only counted, unless `verbose`. */
export function trialBlocks(known: Facts, { quiet = false, verbose = false } = {}): b.Block[] {
  const { tickets = [] } = known.trial ?? {};
  const { failed } = checksOf(known);
  const isFlawed = ({ checks }: TrialTicket) => checks.some(({ ok }) => !ok);
  const shown = quiet ? tickets.filter(isFlawed) : tickets;
  const verdict = failed === 0 ? 'all checks passed' : `${countOf(failed, 'check')} failed`;
  return b.section(
    `Trial: ${countOf(tickets.length, 'ticket')}, ${verdict}`,
    shown.length > 0 &&
      b.table({
        columns: [
          'ticket',
          'in the helpdesk',
          b.flexible('subject'),
          b.flexible('customer'),
          'status',
          b.counts('checks'),
          b.remark('why'),
        ],
        rows: shown.map((one) => {
          const passed = one.checks.filter(({ ok }) => ok).length;
          return [
            one.externalId,
            one.ticketId ?? { text: 'no', tone: 'bad' },
            one.subject ?? '',
            one.customer ?? '',
            one.status ?? '',
            isFlawed(one)
              ? { text: `${one.checks.length - passed} failed`, tone: 'bad' }
              : { text: `${passed} passed`, tone: 'good' },
            one.why.join('; '),
          ];
        }),
      }),
    shown
      .filter((ticket) => verbose || isFlawed(ticket))
      .map((ticket) => [
        b.heading(`Ticket ${ticket.externalId}`, { level: 3 }),
        checkBlocks(ticket, verbose),
      ]),
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
