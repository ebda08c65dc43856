/** Removes personal data (`--redact`) from the data, not the page. Counts, times, IDs and names of files and columns stay. */
import type { Problem } from '../domain/problem.ts';
import type { Facts } from '../facts/facts.ts';
import { detailsWithout } from '../facts/recorded.ts';
import { adviceFor } from './problems.ts';
import type { ReportData } from './run-view.ts';

const HIDDEN = '(hidden)';
const ADDRESS = /[^\s@"'<>()[\],;:]{1,64}@[^\s@"'<>()[\],;:]{1,255}/g;

export function redactReport(data: ReportData): ReportData {
  const { mergedContacts, facts, checklist, inDoubt, failed } = data;
  const redacted: ReportData = {
    ...data,
    redacted: true,
    files: data.files.map((path) => path.split(/[/\\]/).at(-1) ?? path),
    facts: redactFacts(facts),
    mergedContacts: mergedContacts && {
      ...mergedContacts,
      rows: mergedContacts.rows.map((row) => ({ ...row, email: HIDDEN, name: HIDDEN })),
    },
    // A line has other values of the record too.
    problems: data.problems.map(({ frame: _, examples = [], ...group }) => ({
      ...group,
      example: redactProblem(group.example),
      examples: examples.map(redactProblem),
    })),
    inDoubt: { ...inDoubt, rows: inDoubt.rows.map((row) => ({ ...row, reason: undefined })) },
    failed: { ...failed, rows: failed.rows.map((row) => ({ ...row, reason: sentenceFor(row.code) })) },
    checklist: checklist && { overall: checklist.overall, tickets: [] },
    conversations: [],
    noConversations:
      data.conversations.length === 0 ? data.noConversations : 'Sample conversations are hidden.',
  };
  const scrub = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.includes('@') ? value.replace(ADDRESS, '(address)') : value;
  return JSON.parse(JSON.stringify(redacted, scrub)) as ReportData;
}

export function redactFacts(facts: Facts): Facts {
  const { trial, people, details, problems, problemGroups } = facts;
  const { look } = people;
  return {
    ...facts,
    people: {
      ...people,
      agents: people.agents.map(({ name: _, ...agent }) => ({
        ...agent,
        agent: HIDDEN,
        id: agent.id && HIDDEN,
      })),
      look: look && {
        ...look,
        failure: look.failure && 'It failed.',
        agents: { ...look.agents, unknown: [] },
        team: look.team && { ...look.team, first: look.team.first.map(({ id }) => ({ id })) },
      },
    },
    details: detailsWithout(details, HIDDEN),
    lost: facts.lost.map((loss) =>
      loss.code === 'texts' ? { ...loss, what: 'texts that nothing reads' } : loss,
    ),
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

export function redactProblem(problem: Problem): Problem {
  return { ...problem, message: sentenceFor(problem.code) };
}

function sentenceFor(code: string): string {
  const title = adviceFor(code)?.title;
  return title === undefined ? `Details are hidden (${code}).` : `${title}.`;
}
