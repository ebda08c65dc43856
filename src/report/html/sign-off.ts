/**
 * What a support lead should be sure of before the import: the questions that this export raises, each with where to
 * look, and a line to sign. Only a dry run has it; afterwards there is nothing left to decide.
 */
import { countOf, formatCount, formatEstimate } from '../format.ts';
import { html, Markup } from './markup.ts';
import type { Section } from './page-parts.ts';
import type { ReportData } from './report-data.ts';

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
  const { tickets, problems, loss, content, mapping, conversations, plan, skippedBecause } = data;
  const list: (Markup | false | undefined)[] = [
    tickets.rejected > 0 &&
      html`${countOf(tickets.rejected, 'ticket')} would not be imported. Correct them first, or go on without them: see <a href="#problems">Problems</a>.`,
    tickets.skipped > 0 &&
      html`${countOf(tickets.skipped, 'ticket')} ${tickets.skipped === 1 ? 'is' : 'are'} left out on purpose${skippedBecause.length > 0 && ` (${skippedBecause.map(({ reason, count }) => `${formatCount(count)} ${reason}`).join(', ')})`}: is that as intended?`,
    mapping.length > 0 &&
      html`Statuses, priorities and authors become what <a href="#mapping">What becomes what</a> says.`,
    loss !== undefined &&
      lossParts(loss) > 0 &&
      html`Some of the source will not arrive, and some agents may be unknown: see <a href="#loss">What will not arrive</a>.`,
    (problems?.warnings ?? 0) > 0 &&
      html`${countOf(problems?.warnings ?? 0, 'warning')} will stop nothing, but may point to a mistake in the export or the mapping.`,
    (content?.contacts.merged.total ?? 0) > 0 &&
      html`${countOf(content?.contacts.merged.total ?? 0, 'contact')} with several names will have the newest one: see <a href="#contacts">Contacts</a>.`,
    conversations.length > 0 &&
      html`The <a href="#conversations">sample conversations</a> read right: who wrote what, in which order, when, and what is internal.`,
    plan?.estimatedSeconds !== undefined &&
      plan.requests > 0 &&
      html`The import takes about ${formatEstimate(plan.estimatedSeconds * 1000)} at least: is there a time in which nobody changes the old system?`,
    html`A trial comes first: it imports a few tickets and checks them in the real helpdesk.`,
  ];
  return list.filter((question) => question instanceof Markup);
}

function lossParts(loss: NonNullable<ReportData['loss']>): number {
  return Object.values(loss).reduce((sum: number, rows: readonly unknown[]) => sum + rows.length, 0);
}
