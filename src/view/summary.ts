/** The end of a run on screen: what happened to the tickets, what was sent, where the rest is, and what to do next. */
import type { TrialTicket } from '../summary/summary.ts';
import {
  type Block,
  type Fact,
  facts,
  heading,
  type Item,
  list,
  paragraph,
  plainText,
  present,
} from './blocks.ts';
import { countOf, formatBytes, formatCount, formatDuration, formatRate } from './format.ts';
import { stepBlocks } from './next-steps.ts';
import { outcomeTable } from './outcomes.ts';
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
  const head = [...verdictBlocks(view), ...outcomeBlocks(view)];
  const trial = view.summary?.trial?.tickets ?? [];
  if (quiet)
    return [
      ...head,
      ...problemBlocks(view.problems.filter(({ severity }) => severity === 'error')),
      ...trialBlocks(trial.filter(({ checks }) => checks.some(({ ok }) => !ok))),
    ];
  return [
    ...head,
    ...(view.kind === 'dry-run' ? [] : [heading('What was read and sent')]),
    facts([...(view.kind === 'dry-run' ? [] : contentFacts(view)), ...workFacts(view)]),
    ...problemBlocks(view.problems),
    ...trialBlocks(trial, view, verbose),
    ...stepBlocks(view.next),
  ];
}

/** Reasons for leaving tickets out that are named. */
const MOST_REASONS = 4;

export function outcomeBlocks({ tickets, kind, survey }: RunView): Block[] {
  const reasons = (survey?.skippedBecause ?? []).toSorted((a, b) => b.count - a.count);
  const named = reasons.slice(0, MOST_REASONS).map(({ reason, count }) => `${formatCount(count)} ${reason}`);
  if (reasons.length > MOST_REASONS) named.push('and for other reasons');
  return present<Block>([
    outcomeTable({
      counts: tickets,
      isDry: kind === 'dry-run',
      total: { label: kind === 'checkpoint' ? 'all' : 'read', count: tickets.read },
    }),
    named.length > 0 && paragraph(`Left out: ${named.join(', ')}.`, { look: 'more' }),
  ]);
}

/** What is in the export, and how much of it is in the helpdesk. */
export function contentFacts({ kind, survey, summary }: RunView): (Fact | false)[] {
  if (survey === undefined) return [];
  const { messages, events, attachments, contacts, orphans, longestThread } = survey;
  const isSent = summary !== undefined && kind !== 'dry-run';
  const lost = (count: number) => count > 0 && `${formatCount(count)} without their ticket`;
  const remarks = (...parts: readonly (string | false | undefined)[]) => present(parts);
  return [
    {
      label: 'messages',
      value: formatCount(messages.read),
      remarks: remarks(
        isSent && `${formatCount(summary.messages.sent)} in the helpdesk`,
        messages.internal > 0 && countOf(messages.internal, 'internal note'),
        lost(orphans.messages),
        longestThread &&
          `longest thread ${formatCount(longestThread.messages)} in ticket ${longestThread.externalId}`,
      ),
    },
    {
      label: 'events',
      value: formatCount(events.read),
      remarks: remarks(isSent && `${formatCount(summary.events.sent)} in the helpdesk`, lost(orphans.events)),
    },
    {
      label: 'contacts',
      value: formatCount(contacts.distinct),
      remarks: remarks(contacts.merged > 0 && `${formatCount(contacts.merged)} with several names`),
    },
    {
      label: 'attachments',
      value: formatCount(attachments.read),
      remarks: remarks(
        attachments.bytes > 0 && formatBytes(attachments.bytes),
        summary !== undefined &&
          summary.attachments.checked > 0 &&
          `${formatCount(summary.attachments.checked)} checked`,
        summary !== undefined &&
          summary.attachments.unreachable > 0 &&
          `${formatCount(summary.attachments.unreachable)} unreachable`,
      ),
    },
    survey.notes > 0 && {
      label: 'notes',
      value: formatCount(survey.notes),
      remarks: ['tickets with an internal note of their unmapped fields'],
    },
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
        sent > changing && `${formatCount(sent - changing)} to read`,
        retried > 0 && countOf(retried, 'retry', 'retries'),
        rateLimited > 0 && `${formatCount(rateLimited)} rate limited`,
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

/** The same and where everything is. */
function workFacts(view: RunView): (Fact | false)[] {
  const { summary, layout, kind, files } = view;
  const { runTag, target, checkpoint, rejects, report, planFile } = summary ?? {};
  const where: [string, string | undefined][] = [
    ['run tag', runTag],
    ['target', target],
    ['layout', kind === 'dry-run' ? undefined : layout],
    ['checkpoint', kind === 'dry-run' ? undefined : checkpoint],
    ['rejects', rejects],
    [
      'plan',
      planFile &&
        `${planFile.path}${kind === 'dry-run' && !files.includes(planFile.path) ? ", which holds customers' messages: only you can read it" : ''}`,
    ],
    ['report', report],
  ];
  return [
    ...sentFacts(view),
    ...where.map(([label, value]): Fact | false => value !== undefined && { label, value }),
  ];
}

/** Lines. Checks that passed are only counted, unless `verbose`. */
function trialBlocks(tickets: readonly TrialTicket[], view?: RunView, verbose = false): Block[] {
  if (tickets.length === 0) return [];
  const { failed } = checksOf({ summary: view?.summary });
  const verdict = failed === 0 ? 'all checks passed' : `${countOf(failed, 'check')} failed`;
  const count = countOf(tickets.length, 'ticket');
  return [
    heading(view === undefined ? `Trial: ${count} with failed checks` : `Trial: ${count}, ${verdict}`),
    ...tickets.flatMap((ticket): Block[] => [
      heading(
        ticket.ticketId === undefined
          ? `${ticket.externalId}, not in the helpdesk`
          : `${ticket.externalId}, in the helpdesk: ${ticket.ticketId}`,
        { level: 3 },
      ),
      paragraph(ticket.why.join('; '), { tone: 'soft' }),
      ...checkBlocks(ticket, verbose),
    ]),
    ...checklistBlocks(view),
  ];
}

/** Failed checks in full, passed ones by their number. */
export function checkBlocks({ checks }: TrialTicket, verbose = false): Block[] {
  if (checks.length === 0) return [];
  const passed = checks.filter(({ ok }) => ok);
  const shown = verbose ? checks : checks.filter(({ ok }) => !ok);
  const items = shown.map(
    ({ name, ok, detail }): Item => ({ lead: name, text: detail, tone: ok ? 'good' : 'bad' }),
  );
  const sum: Item = { text: `${countOf(passed.length, 'check')} passed`, tone: 'good' };
  return present<Block>([
    !verbose && passed.length > 0 && list('checks', [sum]),
    items.length > 0 && list('checks', items),
  ]);
}

/** A box for each ticket, to be ticked when all that is said of it is seen. */
function checklistBlocks(view: RunView | undefined): Block[] {
  const { checklist } = view ?? {};
  if (checklist === undefined || checklist.overall.length + checklist.tickets.length === 0) return [];
  return [
    heading('Check in the helpdesk'),
    list('boxes', [
      ...checklist.overall.map((text) => ({ text })),
      ...checklist.tickets.map(({ ticketId, subject, look }) => ({
        text: { text: plainText(`${ticketId}  ${subject}`), tone: 'strong' as const },
        below: [paragraph(look.join(' '))],
      })),
    ]),
  ];
}
