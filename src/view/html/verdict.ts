/** What the report comes to, in a few sentences; and what a support lead should be sure of before the import. Pure. */

import { html } from 'hono/html';
import { countOf, formatCount, formatEstimate } from '../format.ts';
import { cut, type Markup, type Section } from './page-parts.ts';
import { planOf, type ReportData } from './report-data.ts';

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
      headline: kind === 'checkpoint' ? 'The checkpoint knows no ticket yet.' : 'The export has no tickets.',
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
    const failed = failedChecks(data);
    const count = countOf(trial?.tickets.length ?? 0, 'ticket');
    return failed === 0 && exitCode === 0
      ? { tone: 'good', headline: `The trial of ${count} passed all ${formatCount(checks.length)} checks.` }
      : failed === 0
        ? { tone: 'warn', headline: `The trial of ${count} finished with problems in the export.` }
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

function failedChecks({ trial }: ReportData): number {
  return trial?.tickets.flatMap(({ checks }) => checks.filter(({ ok }) => !ok)).length ?? 0;
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
 * What a support lead should be sure of: the questions that this report raises, each with where to look, and a line to
 * sign. Before an import that is whether to begin; after it, whether to accept what came of it.
 */
export function signOffSection(data: ReportData): Section | undefined {
  if (data.tickets.read === 0) return undefined;
  const isDry = data.kind === 'dry-run';
  return {
    id: 'sign-off',
    title: isDry ? 'Before you sign this off' : 'Before you accept it',
    content: html`${isDry && html`<p class="intro">Imported tickets cannot be deleted; undo can close and empty those nobody has edited. These are the points to check for this export.</p>`}
<ul class="signoff">${(isDry ? questions(data) : acceptance(data)).map((question) => html`<li><span>${question}</span></li>`)}</ul>
<div class="signatures"><span>Name</span><span>Date</span><span>Decision</span></div>`,
  };
}

function questions(data: ReportData): Markup[] {
  const { tickets, problems, survey, conversations } = data;
  const plan = planOf(data);
  return present([
    tickets.rejected > 0 &&
      html`${countOf(tickets.rejected, 'ticket')} would not be imported. Correct them first, or go on without them: see ${problems !== undefined && problems.total > 0 ? html`<a href="#problems">Problems</a>` : 'the rejects'}.`,
    tickets.skipped > 0 &&
      html`${countOf(tickets.skipped, 'ticket')} ${are(tickets.skipped)} left out on purpose: is that as intended?`,
    (survey?.mapping.length ?? 0) > 0 &&
      html`Statuses, priorities and authors become what is listed under “<a href="#mapping">What becomes what</a>”.`,
    (problems?.warnings ?? 0) > 0 &&
      html`${countOf(problems?.warnings ?? 0, 'warning')} do not stop the import, but may point to a mistake in the export or the mapping.`,
    conversations.length > 0 &&
      html`The <a href="#conversations">sample conversations</a> read right: who wrote what, in which order, when, and what is internal.`,
    plan?.estimatedSeconds !== undefined &&
      html`The import takes about ${formatEstimate(plan.estimatedSeconds * 1000)} at least: is there a time when nobody changes the old system?`,
    html`A trial comes first: it imports a few tickets and checks them in the real helpdesk.`,
  ]);
}

function acceptance(data: ReportData): Markup[] {
  const { tickets, kind, conversations, noConversations, inDoubt, failed } = data;
  const failures = failedChecks(data);
  const hasSamples = conversations.length > 0 || noConversations !== undefined;
  return present([
    tickets.rejected > 0 &&
      html`${countOf(tickets.rejected, 'ticket')} ${tickets.rejected === 1 ? 'was' : 'were'} rejected: corrected and imported, or not needed.`,
    failed.total > 0 &&
      html`${countOf(failed.total, 'ticket')} that the helpdesk refused ${are(failed.total)} settled: see <a href="#failed">the reasons</a>.`,
    inDoubt.total > 0 &&
      html`${countOf(inDoubt.total, 'ticket')} in doubt ${are(inDoubt.total)} settled: see <a href="#in-doubt">what to look for</a>.`,
    tickets.pending > 0 && html`${countOf(tickets.pending, 'ticket')} ${are(tickets.pending)} yet to come.`,
    failures > 0 &&
      html`${countOf(failures, 'failed check')} of the trial ${are(failures)} explained: see <a href="#conversations">the tickets</a>.`,
    hasSamples &&
      html`The ${kind === 'trial' ? 'tickets of the trial' : 'sample tickets'} look right in the helpdesk: <a href="#conversations">compare them</a>.`,
    html`No customer got a message because of the import.`,
    html`${kind === 'trial' ? 'The import of all tickets may begin.' : 'The old system may be closed for writing.'}`,
  ]);
}

function present<T>(list: readonly (T | false | undefined)[]): T[] {
  return list.filter((entry): entry is T => entry !== false && entry !== undefined);
}

/** What the import leaves behind, a line each; the tables behind it are `lossSection`. */
export function lostSection({
  kind,
  tickets,
  loss,
  survey,
  mergedContacts,
  attachmentChecks,
}: ReportData): Section | undefined {
  const merged = mergedContacts?.total ?? survey?.contacts.merged ?? 0;
  const lost = survey?.orphans;
  const cells = loss?.unusedColumns.reduce((sum, { filled }) => sum + filled, 0) ?? 0;
  const sum = (rows: readonly { readonly count: number }[] = []) =>
    rows.reduce((all, { count }) => all + count, 0);
  const lines = present<string>([
    tickets.rejected > 0 && `${countOf(tickets.rejected, 'rejected ticket')}, until corrected`,
    (loss?.unusedColumns.length ?? 0) > 0 &&
      `${countOf(loss?.unusedColumns.length ?? 0, 'column')} that no rule uses, with ${countOf(cells, 'value')}`,
    (loss?.notHeld.length ?? 0) > 0 &&
      `${countOf(sum(loss?.notHeld), 'value')} that the helpdesk has no place for (${cut((loss?.notHeld ?? []).map(({ what }) => what).join(', '), 120)})`,
    (loss?.unmappedValues.length ?? 0) > 0 &&
      `${countOf(loss?.unmappedValues.length ?? 0, 'value')} in no value map, in ${countOf(sum(loss?.unmappedValues), 'place')}`,
    (loss?.agentsWithoutId.length ?? 0) > 0 &&
      `the names of ${countOf(loss?.agentsWithoutId.length ?? 0, 'agent')} without an agent id`,
    (loss?.unknownAuthors.length ?? 0) > 0 &&
      `the role of ${countOf(loss?.unknownAuthors.length ?? 0, 'author')} known neither as agent nor as customer`,
    (lost?.messages ?? 0) + (lost?.events ?? 0) > 0 &&
      `${countOf(lost?.messages ?? 0, 'message')} and ${countOf(lost?.events ?? 0, 'event')} whose ticket is not in the export`,
    merged > 0 && `older names of ${countOf(merged, 'contact')}; the newest one is taken`,
    (attachmentChecks?.unreachable ?? 0) > 0 &&
      `${countOf(attachmentChecks?.unreachable ?? 0, 'attachment')} that cannot be opened`,
  ]);
  if (survey === undefined) return undefined;
  const isOver = (kind === 'run' || kind === 'checkpoint') && tickets.pending === 0;
  return {
    id: 'lost',
    title: isOver ? 'What was lost' : 'What will be lost',
    content:
      lines.length === 0
        ? html`<p>Nothing of the tickets that are imported.</p>`
        : html`<ul class="lost">${lines.map((line) => html`<li>${line}</li>`)}</ul>${
            loss !== undefined &&
            Object.values(loss).some((rows: readonly unknown[]) => rows.length > 0) &&
            html`<p class="more">Value by value in “<a href="#loss">What will not arrive</a>”.</p>`
          }`,
  };
}
