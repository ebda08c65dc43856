/**
 * Views without personal data (`--redact`): addresses, names, subjects, bodies and whatever a problem quotes. It works on
 * the data and not on the page, so what is hidden is not in the page. Sample conversations are left out.
 *
 * What stays: counts, times, statuses, external IDs and ticket IDs (needed to look a ticket up), names of
 * files, columns and mapped values. Addresses among those are hidden too.
 */
import type { Problem } from '../domain/problem.ts';
import type { LossReport, TargetLook } from '../domain/survey.ts';
import type { ProblemGroup } from '../summary/problem-log.ts';
import type { Summary, TrialTicket } from '../summary/summary.ts';
import { adviceFor } from './problems.ts';
import type { ReportData, ShownGroup } from './run-view.ts';

const HIDDEN = '(hidden)';

export function redactReport(data: ReportData): ReportData {
  const { mergedContacts, loss, summary, checklist } = data;
  return scrubbed({
    ...data,
    redacted: true,
    files: data.files.map(baseName),
    summary: summary && redactSummary(summary),
    mergedContacts: mergedContacts && {
      ...mergedContacts,
      rows: mergedContacts.rows.map((row) => ({ ...row, email: HIDDEN, name: HIDDEN })),
    },
    // Without its line of the export, which has other values of the record too.
    problems: data.problems.map(
      ({ frame: _, examples = [], ...group }): ShownGroup => ({
        ...redactGroup(group),
        examples: examples.map(redactProblem),
      }),
    ),
    loss: loss && redactLossReport(loss),
    inDoubt: {
      ...data.inDoubt,
      rows: data.inDoubt.rows.map(({ externalId, tag, sentAt }) => ({ externalId, tag, sentAt })),
    },
    failed: {
      ...data.failed,
      rows: data.failed.rows.map((ticket) => ({ ...ticket, reason: sentenceFor(ticket.code) })),
    },
    // What to look at in a single ticket names its people.
    checklist: checklist && { overall: checklist.overall, tickets: [] },
    conversations: [],
    noConversations:
      data.conversations.length === 0 ? data.noConversations : 'Sample conversations are hidden.',
  });
}

/** What `--json` and the screen show, redacted; external IDs and counts stay. */
export function redactSummary(summary: Summary): Summary {
  const { trial, look } = summary;
  return {
    ...summary,
    ...(look === undefined ? {} : { look: redactLook(look) }),
    problems: summary.problems.map(redactProblem),
    problemGroups: summary.problemGroups.map(redactGroup),
    trial: trial && { tickets: trial.tickets.map(redactTrialTicket) },
  };
}

/** Without the names and addresses of agents. */
function redactLook(look: TargetLook): TargetLook {
  const { failure, agents, team } = look;
  return {
    ...look,
    failure: failure && 'It failed.',
    agents: { ...agents, unknown: [] },
    team: team && { ...team, first: team.first.map(({ id }) => ({ id })) },
  };
}

/** A problem without the values that its sentence quotes: its place stays, and what holds for all of its kind. */
export function redactProblem(problem: Problem): Problem {
  return { ...problem, message: sentenceFor(problem.code) };
}

function redactGroup(group: ProblemGroup): ProblemGroup {
  return { ...group, example: redactProblem(group.example) };
}

function sentenceFor(code: string): string {
  const title = adviceFor(code)?.title;
  return title === undefined ? `Details are hidden (${code}).` : `${title}.`;
}

/** Fields whose values are of a fixed set in every source; others may hold anything. */
const CATEGORIES = new Set(['status', 'priority', 'actorType', 'actor', 'contentType', 'type']);

export function redactLossReport(loss: LossReport): LossReport {
  return {
    ...loss,
    unmappedValues: loss.unmappedValues.map((row) => ({
      ...row,
      value: CATEGORIES.has(row.field.split('.').at(-1) ?? '') ? row.value : HIDDEN,
    })),
    agentsWithoutId: loss.agentsWithoutId.map((row) => ({
      ...row,
      agent: HIDDEN,
      fallback: row.fallback && HIDDEN,
    })),
    unknownAuthors: loss.unknownAuthors.map((row) => ({ ...row, author: HIDDEN })),
  };
}

function redactTrialTicket(ticket: TrialTicket): TrialTicket {
  return {
    ...ticket,
    checks: ticket.checks.map(({ name, ok }) => ({ name, ok, detail: ok ? 'Passed.' : 'Failed.' })),
  };
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

const ADDRESS = /[^\s@"'<>()[\],;:]{1,64}@[^\s@"'<>()[\],;:]{1,255}/g;

/** Every text of the data, without the addresses in it. */
function scrubbed(data: ReportData): ReportData {
  const scrub = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.includes('@') ? value.replace(ADDRESS, '(address)') : value;
  return JSON.parse(JSON.stringify(data, scrub)) as ReportData;
}
