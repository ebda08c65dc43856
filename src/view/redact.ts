/**
 * Views without personal data (`--redact`): addresses, names, subjects, bodies and whatever a problem quotes. It works on
 * the data and not on the page, so what is hidden is not in the page. Sample conversations are left out.
 *
 * What stays: counts, times, statuses, external IDs and ticket IDs (needed to look a ticket up), names of
 * files, columns and mapped values. Addresses among those are hidden too.
 */
import type { Problem } from '../domain/problem.ts';
import type { LossReport } from '../domain/survey.ts';
import type { Summary } from '../summary/summary.ts';
import { adviceFor } from './problems.ts';
import type { ReportData } from './run-view.ts';

const HIDDEN = '(hidden)';
const ADDRESS = /[^\s@"'<>()[\],;:]{1,64}@[^\s@"'<>()[\],;:]{1,255}/g;

export function redactReport(data: ReportData): ReportData {
  const { mergedContacts, loss, summary, checklist, inDoubt, failed } = data;
  const redacted: ReportData = {
    ...data,
    redacted: true,
    files: data.files.map((path) => path.split(/[/\\]/).at(-1) ?? path),
    summary: summary && redactSummary(summary),
    mergedContacts: mergedContacts && {
      ...mergedContacts,
      rows: mergedContacts.rows.map((row) => ({ ...row, email: HIDDEN, name: HIDDEN })),
    },
    // Without its line of the export, which has other values of the record too.
    problems: data.problems.map(({ frame: _, examples = [], ...group }) => ({
      ...group,
      example: redactProblem(group.example),
      examples: examples.map(redactProblem),
    })),
    loss: loss && redactLossReport(loss),
    inDoubt: { ...inDoubt, rows: inDoubt.rows.map((row) => ({ ...row, reason: undefined })) },
    failed: { ...failed, rows: failed.rows.map((row) => ({ ...row, reason: sentenceFor(row.code) })) },
    // What to look at in a single ticket names its people.
    checklist: checklist && { overall: checklist.overall, tickets: [] },
    conversations: [],
    noConversations:
      data.conversations.length === 0 ? data.noConversations : 'Sample conversations are hidden.',
  };
  // Every text, without the addresses in it.
  const scrub = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.includes('@') ? value.replace(ADDRESS, '(address)') : value;
  return JSON.parse(JSON.stringify(redacted, scrub)) as ReportData;
}

/** What `--json` and the screen show, redacted; external IDs and counts stay. */
export function redactSummary(summary: Summary): Summary {
  const { trial, look, problems, problemGroups } = summary;
  return {
    ...summary,
    // Without the names and addresses of agents.
    look: look && {
      ...look,
      failure: look.failure && 'It failed.',
      agents: { ...look.agents, unknown: [] },
      team: look.team && { ...look.team, first: look.team.first.map(({ id }) => ({ id })) },
    },
    problems: problems.map(redactProblem),
    problemGroups: problemGroups.map((group) => ({ ...group, example: redactProblem(group.example) })),
    trial: trial && {
      tickets: trial.tickets.map(({ checks, ...ticket }) => ({
        ...ticket,
        checks: checks.map(({ name, ok }) => ({ name, ok, detail: ok ? 'Passed.' : 'Failed.' })),
      })),
    },
  };
}

/** A problem without the values that its sentence quotes: its place stays, and what holds for all of its kind. */
export function redactProblem(problem: Problem): Problem {
  return { ...problem, message: sentenceFor(problem.code) };
}

function sentenceFor(code: string): string {
  const title = adviceFor(code)?.title;
  return title === undefined ? `Details are hidden (${code}).` : `${title}.`;
}

/** Fields whose values are of a fixed set in every source; others may hold anything. */
const CATEGORIES = new Set(['status', 'priority', 'actorType', 'actor', 'contentType', 'type']);

export function redactLossReport(loss: LossReport): LossReport {
  const isCategory = (field: string) => CATEGORIES.has(field.split('.').at(-1) ?? '');
  return {
    ...loss,
    unmappedValues: loss.unmappedValues.map((row) =>
      isCategory(row.field) ? row : { ...row, value: HIDDEN },
    ),
    agentsWithoutId: loss.agentsWithoutId.map(({ count, fallback }) => ({
      agent: HIDDEN,
      count,
      fallback: fallback && HIDDEN,
    })),
    unknownAuthors: loss.unknownAuthors.map(({ count }) => ({ author: HIDDEN, count })),
  };
}
