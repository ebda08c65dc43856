/** What a run comes to, in a few sentences: the first line of the screen and of the report. */
import { type Block, blocks, heading, paragraph, present, type Tone } from './blocks.ts';
import { countOf, formatCount, formatEstimate } from './format.ts';
import { countOfCode } from './next-steps.ts';
import { planOf, type RunView } from './run-view.ts';

interface Headline {
  readonly tone: Extract<Tone, 'good' | 'warn' | 'bad'>;
  readonly headline: string;
}

export function verdictBlocks(view: RunView): Block[] {
  const { tone, headline, news } = verdictOf(view);
  const lead = leadOf(view);
  return blocks(
    heading(headline, { level: 1, tone }),
    news.length > 0 && paragraph(news.join(' '), { look: 'lead' }),
    lead.length > 0 && paragraph(lead.join(' '), { look: 'lead', only: 'page' }),
  );
}

/** `news`: what no count says. A good end with a warning is not good. */
export function verdictOf(view: RunView): Headline & { readonly news: readonly string[] } {
  const { kind, summary, tickets } = view;
  const head = headlineOf(view);
  if (summary === undefined || kind === 'dry-run') return { ...head, news: [] };
  const [changed, older, missing] = [
    countOfCode(summary, 'changed-since-import'),
    countOfCode(summary, 'older-than-imported'),
    countOfCode(summary, 'missing-in-target'),
  ];
  const isIdle = summary.requests.changing === 0 && changed + missing === 0 && tickets.done > 0;
  return {
    ...head,
    tone: head.tone === 'good' && changed + older + missing > 0 ? 'warn' : head.tone,
    news: present([
      missing > 0 && 'The helpdesk no longer has all of the imported tickets.',
      changed > 0 &&
        `${countOf(changed, 'ticket')} changed in the export since the import; the changes were not sent.`,
      older > 0 && `This export has an older version of ${countOf(older, 'ticket')}; nothing was changed.`,
      isIdle && 'Already imported; nothing to send.',
    ]),
  };
}

function headlineOf(view: RunView): Headline {
  const { tickets, kind, summary } = view;
  const { read, done, pending } = tickets;
  const missing = tickets.rejected + tickets.failed + tickets.inDoubt;
  const left = read - tickets.skipped;
  const some = (count: number, of: number) =>
    `${formatCount(count)} of ${countOf(of, 'ticket')} ${are(count)}`;
  if (read === 0)
    return {
      tone: 'warn',
      headline: kind === 'checkpoint' ? 'The checkpoint has no tickets yet.' : 'The export has no tickets.',
    };
  if (kind === 'dry-run') {
    const ready = pending + done;
    return missing === 0
      ? { tone: 'good', headline: `${allOf(ready)} ready to import.` }
      : { tone: ready === 0 ? 'bad' : 'warn', headline: `${some(ready, left)} ready to import.` };
  }
  // A run that could not come to its end.
  if (view.stopped !== undefined || [5, 6, 130, 143].includes(summary?.exitCode ?? 0))
    return { tone: 'bad', headline: `The import stopped early: ${some(done, read)} in the helpdesk.` };
  if (kind === 'trial') {
    const { passed, failed } = checksOf(view);
    const trial = `The trial of ${countOf(summary?.trial?.tickets.length ?? 0, 'ticket')}`;
    if (failed > 0) return { tone: 'bad', headline: `${trial} failed ${countOf(failed, 'check')}.` };
    return (summary?.exitCode ?? 0) === 0
      ? { tone: 'good', headline: `${trial} passed all ${formatCount(passed)} checks.` }
      : { tone: 'warn', headline: `${trial} finished with problems in the export.` };
  }
  if (left === 0) return { tone: 'good', headline: 'No ticket was to be imported.' };
  // Tickets that were deleted there since are imported, and not in the helpdesk.
  const isGone = summary !== undefined && countOfCode(summary, 'missing-in-target') > 0;
  const where = isGone ? 'imported' : 'in the helpdesk';
  return missing + pending === 0
    ? { tone: 'good', headline: `${allOf(done)} ${where}.` }
    : { tone: 'warn', headline: `${some(done, left)} ${where}.` };
}

/** Checks of a trial. */
export function checksOf({ summary }: Pick<RunView, 'summary'>): { passed: number; failed: number } {
  const checks = summary?.trial?.tickets.flatMap((ticket) => ticket.checks) ?? [];
  const passed = checks.filter(({ ok }) => ok).length;
  return { passed, failed: checks.length - passed };
}

/** The counts again, in sentences: for a page. */
function leadOf(view: RunView): string[] {
  const { tickets, kind } = view;
  const { rejected, failed, inDoubt, skipped, pending, done } = tickets;
  const plan = planOf(view);
  const isDry = kind === 'dry-run';
  return present([
    isDry && 'Nothing was sent: this is what an import would do.',
    rejected > 0 &&
      `${countOf(rejected, 'ticket')} ${isDry ? 'would be' : rejected === 1 ? 'was' : 'were'} rejected as invalid.`,
    failed > 0 &&
      `The helpdesk refused ${countOf(failed, 'ticket')} or parts of ${failed === 1 ? 'it' : 'them'}.`,
    inDoubt > 0 && `${countOf(inDoubt, 'ticket')} may or may not be in the helpdesk and must be settled.`,
    skipped > 0 && `${countOf(skipped, 'ticket')} ${are(skipped)} left out on purpose.`,
    !isDry && pending > 0 && `${countOf(pending, 'ticket')} ${are(pending)} still to be imported.`,
    isDry && done > 0 && `${formatCount(done)} of them ${are(done)} in the helpdesk already.`,
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
