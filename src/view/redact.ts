/** Removes personal data (`--redact`) from the data, not the page. Counts, times, IDs and names of files and columns stay. */

import type { Problem } from '../domain/problem.ts';
import { wordsOf } from '../domain/text/problem-words.ts';
import type { Facts } from '../plan/facts.ts';
import { detailsWithout } from '../plan/recorded.ts';
import type { View } from './run-view.ts';

const HIDDEN = '(hidden)';
const ADDRESS = /[^\s@"'<>()[\],;:]{1,64}@[^\s@"'<>()[\],;:]{1,255}/g;

/** Without lines of the export, which have other values of the record too, and without its texts. */
export function redactView({ facts, next, samples }: View): View {
  return {
    facts: redactFacts(facts),
    next: scrubbed(next),
    samples: samples && {
      conversations: [],
      none: samples.conversations.length === 0 ? samples.none : 'Sample conversations are hidden.',
    },
  };
}

export function redactFacts(facts: Facts): Facts {
  const { trial, people, problems, problemGroups, failed, inDoubt } = facts;
  const { look } = people;
  const redacted: Facts = {
    ...facts,
    marks: facts.marks && {
      ...facts.marks,
      who: 'someone',
      wrong: facts.marks.wrong.map((mark) => ({ ...mark, words: '' })),
    },
    export: {
      ...facts.export,
      files: facts.export.files.map((path) => path.split(/[/\\]/).at(-1) ?? path),
    },
    people: {
      ...people,
      agents: people.agents.map(({ name: _, id, ...agent }) => ({
        ...agent,
        agent: HIDDEN,
        id: id && HIDDEN,
      })),
      look: look && {
        ...look,
        failure: look.failure && 'It failed.',
        agents: { ...look.agents, unknown: [] },
        offers: [],
        team: look.team && { ...look.team, first: look.team.first.map(({ id }) => ({ id })) },
      },
    },
    details: detailsWithout(facts.details, HIDDEN),
    lost: facts.lost.map((loss) =>
      loss.code === 'texts' ? { ...loss, what: 'texts that nothing reads' } : loss,
    ),
    problems: problems.map(redactProblem),
    problemGroups: problemGroups.map((group) => ({ ...group, example: redactProblem(group.example) })),
    trial: trial && {
      tickets: trial.tickets.map(({ checks, subject: _, customer: __, ...ticket }) => ({
        ...ticket,
        checks: checks.map(({ name, ok }) => ({ name, ok, detail: ok ? 'Passed.' : 'Failed.' })),
      })),
    },
    failed: failed?.map((row) => ({ ...row, reason: sentenceFor(row.code) })),
    inDoubt: inDoubt?.map(({ reason: _, ...row }) => row),
  };
  return scrubbed(redacted);
}

function scrubbed<T>(given: T): T {
  const scrub = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.includes('@') ? value.replace(ADDRESS, '(address)') : value;
  return JSON.parse(JSON.stringify(given, scrub)) as T;
}

export function redactProblem(problem: Problem): Problem {
  return { ...problem, message: sentenceFor(problem.code) };
}

function sentenceFor(code: string): string {
  const title = wordsOf(code)?.title;
  return title === undefined ? `Details are hidden (${code}).` : `${title}.`;
}
