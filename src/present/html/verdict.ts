/** What the report comes to, in a few sentences; and what a support lead should be sure of before the import. Pure. */

import { html } from 'hono/html';
import { countOf, formatCount, formatEstimate } from '../terminal/format.ts';
import type { Markup, Section } from './page-parts.ts';
import { leftOutBecause, planOf, type ReportData } from './report-data.ts';

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
function isStopped({ exitCode = 0, stopped }: ReportData): boolean {
  return stopped !== undefined || [5, 6, 130, 143].includes(exitCode);
}

function leadOf(data: ReportData): string[] {
  const { tickets, kind } = data;
  const plan = planOf(data);
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
      `Sending ${countOf(plan.requests.total, 'request')} takes about ${formatEstimate(plan.estimatedSeconds * 1000)} within the rate limit.`,
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

/**
 * What a support lead should be sure of before the import: the questions that this export raises, each with where to
 * look, and a line to sign. Only a dry run has it; afterwards there is nothing left to decide.
 */
export function signOffSection(data: ReportData): Section | undefined {
  if (data.kind !== 'dry-run' || data.tickets.read === 0) return undefined;
  return {
    id: 'sign-off',
    title: 'Before you sign this off',
    content: html`<p class="intro">An import cannot be undone. These are the points that this export raises.</p>
<ul class="signoff">${questions(data).map((question) => html`<li><span>${question}</span></li>`)}</ul>
<div class="signatures"><span>Name</span><span>Date</span><span>Decision</span></div>`,
  };
}

function questions(data: ReportData): Markup[] {
  const { tickets, problems, loss, survey, mergedContacts, conversations } = data;
  const [plan, skippedBecause] = [planOf(data), leftOutBecause(data)];
  const merged = mergedContacts?.total ?? survey?.contacts.merged ?? 0;
  const list: (Markup | false | undefined)[] = [
    tickets.rejected > 0 &&
      html`${countOf(tickets.rejected, 'ticket')} would not be imported. Correct them first, or go on without them: see <a href="#problems">Problems</a>.`,
    tickets.skipped > 0 &&
      html`${countOf(tickets.skipped, 'ticket')} ${tickets.skipped === 1 ? 'is' : 'are'} left out on purpose${skippedBecause.length > 0 && ` (${skippedBecause.map(({ reason, count }) => `${formatCount(count)} ${reason}`).join(', ')})`}: is that as intended?`,
    (survey?.mapping.length ?? 0) > 0 &&
      html`Statuses, priorities and authors become what <a href="#mapping">What becomes what</a> says.`,
    loss !== undefined &&
      lossParts(loss) > 0 &&
      html`Some of the source will not arrive, and some agents may be unknown: see <a href="#loss">What will not arrive</a>.`,
    (problems?.warnings ?? 0) > 0 &&
      html`${countOf(problems?.warnings ?? 0, 'warning')} will stop nothing, but may point to a mistake in the export or the mapping.`,
    merged > 0 &&
      html`${countOf(merged, 'contact')} with several names will have the newest one: see <a href="#contacts">Contacts</a>.`,
    conversations.length > 0 &&
      html`The <a href="#conversations">sample conversations</a> read right: who wrote what, in which order, when, and what is internal.`,
    plan?.estimatedSeconds !== undefined &&
      html`The import takes about ${formatEstimate(plan.estimatedSeconds * 1000)} at least: is there a time in which nobody changes the old system?`,
    html`A trial comes first: it imports a few tickets and checks them in the real helpdesk.`,
  ];
  return list.filter((question) => question !== false && question !== undefined);
}

function lossParts(loss: NonNullable<ReportData['loss']>): number {
  return Object.values(loss).reduce((sum: number, rows: readonly unknown[]) => sum + rows.length, 0);
}
