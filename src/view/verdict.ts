/** What a run comes to, in a few sentences: the first line of the screen and of the report. */
import { type Block, heading, paragraph, present, type Tone } from './blocks.ts';
import { countOf, formatCount, formatEstimate } from './format.ts';
import { countOfCode } from './next-steps.ts';
import { planOf, type RunView } from './run-view.ts';

interface Verdict {
  readonly tone: Extract<Tone, 'good' | 'warn' | 'bad'>;
  readonly headline: string;
  /** What no count says. */
  readonly news: readonly string[];
  /** The counts again, in sentences: for a page. */
  readonly lead: readonly string[];
}

export function verdictBlocks(view: RunView): Block[] {
  const { tone, headline, news, lead } = verdictOf(view);
  return present<Block>([
    heading(headline, { level: 1, tone }),
    news.length > 0 && paragraph(news.join(' '), { look: 'lead' }),
    lead.length > 0 && paragraph(lead.join(' '), { look: 'lead', only: 'page' }),
  ]);
}

export function verdictOf(view: RunView): Verdict {
  const news = newsOf(view);
  const head = headlineOf(view);
  return {
    ...head,
    tone: head.tone === 'good' && news.some(({ isWarning }) => isWarning) ? 'warn' : head.tone,
    news: news.map(({ text }) => text),
    lead: leadOf(view),
  };
}

function headlineOf(view: RunView): Pick<Verdict, 'tone' | 'headline'> {
  const { tickets, kind, summary } = view;
  const missing = tickets.rejected + tickets.failed + tickets.inDoubt;
  const left = tickets.read - tickets.skipped;
  const some = (count: number, of: number) =>
    `${formatCount(count)} of ${countOf(of, 'ticket')} ${are(count)}`;
  if (tickets.read === 0)
    return {
      tone: 'warn',
      headline: kind === 'checkpoint' ? 'The checkpoint has no tickets yet.' : 'The export has no tickets.',
    };
  if (kind === 'dry-run') {
    const ready = tickets.pending + tickets.done;
    return missing === 0
      ? { tone: 'good', headline: `${allOf(ready)} ready to import.` }
      : { tone: ready === 0 ? 'bad' : 'warn', headline: `${some(ready, left)} ready to import.` };
  }
  if (isStopped(view))
    return {
      tone: 'bad',
      headline: `The import stopped early: ${some(tickets.done, tickets.read)} in the helpdesk.`,
    };
  if (kind === 'trial') {
    const { passed, failed } = checksOf(view);
    const count = countOf(summary?.trial?.tickets.length ?? 0, 'ticket');
    if (failed > 0)
      return { tone: 'bad', headline: `The trial of ${count} failed ${countOf(failed, 'check')}.` };
    return (summary?.exitCode ?? 0) === 0
      ? { tone: 'good', headline: `The trial of ${count} passed all ${formatCount(passed)} checks.` }
      : { tone: 'warn', headline: `The trial of ${count} finished with problems in the export.` };
  }
  if (left === 0) return { tone: 'good', headline: 'No ticket was to be imported.' };
  // Tickets that were deleted there since are imported, and not in the helpdesk.
  const where =
    summary !== undefined && countOfCode(summary, 'missing-in-target') > 0 ? 'imported' : 'in the helpdesk';
  return missing === 0 && tickets.pending === 0
    ? { tone: 'good', headline: `${allOf(tickets.done)} ${where}.` }
    : { tone: 'warn', headline: `${some(tickets.done, left)} ${where}.` };
}

/** The exit codes of a run that could not come to its end. */
function isStopped({ summary, stopped }: RunView): boolean {
  return stopped !== undefined || [5, 6, 130, 143].includes(summary?.exitCode ?? 0);
}

/** Checks of a trial. */
export function checksOf({ summary }: Pick<RunView, 'summary'>): { passed: number; failed: number } {
  const checks = summary?.trial?.tickets.flatMap((ticket) => ticket.checks) ?? [];
  const passed = checks.filter(({ ok }) => ok).length;
  return { passed, failed: checks.length - passed };
}

function newsOf({ kind, summary, tickets }: RunView): { text: string; isWarning: boolean }[] {
  if (summary === undefined || kind === 'dry-run') return [];
  const count = (code: string) => countOfCode(summary, code);
  const [changed, older] = [count('changed-since-import'), count('older-than-imported')];
  const missing = count('missing-in-target');
  return present([
    missing > 0 && {
      text: 'The helpdesk no longer has all of the imported tickets.',
      isWarning: true,
    },
    changed > 0 && {
      text: `${countOf(changed, 'ticket')} changed in the export since the import; the changes were not sent.`,
      isWarning: true,
    },
    older > 0 && {
      text: `This export has an older version of ${countOf(older, 'ticket')}; nothing was changed.`,
      isWarning: true,
    },
    summary.requests.changing === 0 &&
      changed + missing === 0 &&
      tickets.done > 0 && { text: 'Already imported; nothing to send.', isWarning: false },
  ]);
}

function leadOf(view: RunView): string[] {
  const { tickets, kind } = view;
  const plan = planOf(view);
  const isDry = kind === 'dry-run';
  return present([
    isDry && 'Nothing was sent: this is what an import would do.',
    tickets.rejected > 0 &&
      `${countOf(tickets.rejected, 'ticket')} ${isDry ? 'would be' : tickets.rejected === 1 ? 'was' : 'were'} rejected as invalid.`,
    tickets.failed > 0 &&
      `The helpdesk refused ${countOf(tickets.failed, 'ticket')} or parts of ${tickets.failed === 1 ? 'it' : 'them'}.`,
    tickets.inDoubt > 0 &&
      `${countOf(tickets.inDoubt, 'ticket')} may or may not be in the helpdesk and must be settled.`,
    tickets.skipped > 0 &&
      `${countOf(tickets.skipped, 'ticket')} ${tickets.skipped === 1 ? 'is' : 'are'} left out on purpose.`,
    !isDry &&
      tickets.pending > 0 &&
      `${countOf(tickets.pending, 'ticket')} ${are(tickets.pending)} still to be imported.`,
    isDry &&
      tickets.done > 0 &&
      `${formatCount(tickets.done)} of them ${are(tickets.done)} in the helpdesk already.`,
    isDry &&
      plan?.estimatedSeconds !== undefined &&
      `Sending ${countOf(plan.requests.total, 'request')} takes about ${formatEstimate(plan.estimatedSeconds * 1000)} within the rate limit.`,
  ]);
}

function allOf(count: number): string {
  if (count === 1) return 'The one ticket is';
  return count === 2 ? 'Both tickets are' : `All ${countOf(count, 'ticket')} are`;
}

export function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}
