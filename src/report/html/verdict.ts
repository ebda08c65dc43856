/** What the report comes to, in one sentence and a few more: what a person who reads nothing else should know. Pure. */
import { countOf, formatCount, formatEstimate } from '../format.ts';
import type { ReportData } from './report-data.ts';

export interface Verdict {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly headline: string;
  /** Sentences behind it. */
  readonly lead: readonly string[];
}

export function verdictOf(data: ReportData): Verdict {
  return { ...headlineOf(data), lead: leadOf(data) };
}

function headlineOf(data: ReportData): Omit<Verdict, 'lead'> {
  const { tickets, kind, exitCode = 0, trial } = data;
  const all = countOf(tickets.read, 'ticket');
  const missing = tickets.rejected + tickets.failed + tickets.inDoubt;
  if (tickets.read === 0)
    return {
      tone: 'warn',
      headline:
        kind === 'checkpoint' ? 'The checkpoint knows no ticket yet.' : 'There is no ticket in the export.',
    };
  if (kind === 'dry-run') {
    const ready = tickets.pending + tickets.done;
    const left = tickets.read - tickets.skipped;
    return missing === 0
      ? { tone: 'good', headline: `${allOf(ready)} ready to import.` }
      : {
          tone: ready === 0 ? 'bad' : 'warn',
          headline: `${formatCount(ready)} of ${countOf(left, 'ticket')} ${are(ready)} ready to import.`,
        };
  }
  if (isStopped(data))
    return {
      tone: 'bad',
      headline: `The import stopped early: ${formatCount(tickets.done)} of ${all} ${are(tickets.done)} in the helpdesk.`,
    };
  if (kind === 'trial') {
    const checks = trial?.tickets.flatMap(({ checks: of }) => of) ?? [];
    const failed = checks.filter(({ ok }) => !ok).length;
    const count = countOf(trial?.tickets.length ?? 0, 'ticket');
    return failed === 0 && exitCode === 0
      ? { tone: 'good', headline: `The trial of ${count} passed all ${formatCount(checks.length)} checks.` }
      : failed === 0
        ? { tone: 'warn', headline: `The trial of ${count} is over, and not all is well with the export.` }
        : { tone: 'bad', headline: `The trial of ${count} failed ${countOf(failed, 'check')}.` };
  }
  if (missing === 0 && tickets.pending === 0)
    return { tone: 'good', headline: `${allOf(tickets.done)} in the helpdesk.` };
  const left = countOf(tickets.read - tickets.skipped, 'ticket');
  return {
    tone: 'warn',
    headline: `${formatCount(tickets.done)} of ${left} ${are(tickets.done)} in the helpdesk.`,
  };
}

/** The exit codes of a run that could not come to its end. */
export function isStopped({ exitCode = 0, stopped }: ReportData): boolean {
  return stopped !== undefined || [5, 6, 130, 143].includes(exitCode);
}

function leadOf(data: ReportData): string[] {
  const { tickets, kind, plan } = data;
  const isDry = kind === 'dry-run';
  const sentences: (string | false)[] = [
    isDry && 'Nothing was sent: this is what an import would do.',
    tickets.rejected > 0 &&
      `${countOf(tickets.rejected, 'ticket')} ${isDry ? 'would be' : tickets.rejected === 1 ? 'was' : 'were'} rejected, because something in ${tickets.rejected === 1 ? 'it' : 'them'} is not valid.`,
    tickets.failed > 0 &&
      `The helpdesk refused ${countOf(tickets.failed, 'ticket')} or parts of ${tickets.failed === 1 ? 'it' : 'them'}.`,
    tickets.inDoubt > 0 &&
      `${countOf(tickets.inDoubt, 'ticket')} may or may not be in the helpdesk, and wait to be settled.`,
    tickets.skipped > 0 &&
      `${countOf(tickets.skipped, 'ticket')} ${tickets.skipped === 1 ? 'is' : 'are'} left out on purpose.`,
    !isDry &&
      tickets.pending > 0 &&
      `${countOf(tickets.pending, 'ticket')} ${are(tickets.pending)} yet to come.`,
    isDry &&
      tickets.done > 0 &&
      `${formatCount(tickets.done)} of them ${are(tickets.done)} in the helpdesk already.`,
    isDry &&
      plan?.estimatedSeconds !== undefined &&
      plan.requests > 0 &&
      `Sending ${countOf(plan.requests, 'request')} takes about ${formatEstimate(plan.estimatedSeconds * 1000)} within the rate limit.`,
  ];
  return sentences.filter((sentence) => sentence !== false);
}

function allOf(count: number): string {
  return count === 1
    ? 'The one ticket is'
    : count === 2
      ? 'Both tickets are'
      : `All ${countOf(count, 'ticket')} are`;
}

function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}
