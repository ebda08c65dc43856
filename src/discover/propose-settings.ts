/** The settings for an export as data: what is known, and the questions that are left once its tickets were mapped. */
import { NO_NAME } from '../domain/survey.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { defined } from './draft.ts';
import { many } from './finding.ts';
import { meaningOf } from './names.ts';
import type { Needs } from './needs.ts';
import type { ValueCount } from './profile.ts';
import type { Proposal } from './propose-mapping.ts';
import {
  type Answers,
  type Comment,
  openAt,
  type Question,
  RANK,
  ROLE_CHOICES,
  setAt,
  TODO,
  type WordKind,
  wordQuestions,
} from './questions.ts';
import type { UnreadField } from './unread.ts';

/** The settings file as data, with `TODO` wherever a question is open. */
export interface ProposedSettings {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly comments: readonly Comment[];
  /** Open ones, in the order of asking. */
  readonly questions: readonly Question[];
  /** Agents of the source without an ID in the helpdesk, most active first. */
  readonly agents: readonly { readonly agent: string; readonly count: number }[];
}

interface SettingsInputs {
  /** For the file. */
  readonly files: readonly string[];
  /** A layout that is known: its name goes into the file. Else the proposal's mapping does. */
  readonly layout: Layout;
  readonly proposal: Proposal | undefined;
  readonly needs: Needs;
  /** Fields of a known layout that came out empty, and the unread column that has their name. */
  readonly unread: readonly UnreadField[];
  /** Dates such as 03/04/2025 whose order of day and month is open; an example of them. */
  readonly openDates: string | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly answers: Answers;
}

const MOST_AGENTS = 30;

export function proposeSettings(inputs: SettingsInputs): ProposedSettings {
  const { files, layout, proposal, needs, answers, encoding, delimiter } = inputs;
  const isProposal = proposal !== undefined;
  const source = { files, from: isProposal ? undefined : layout.name, encoding, delimiter };
  const mapping = structuredClone(proposal?.mapping ?? {}) as Record<string, unknown>;
  const all: Record<string, unknown> = { source: defined(source), mapping };
  const comments = [...(proposal?.comments ?? [])];
  const set = (path: Comment['path'], value: string, text: string) => {
    setAt(all, path, value);
    comments.push({ path, text });
  };
  const asked = [
    ...timeQuestions(inputs),
    ...peopleQuestions(needs, isProposal),
    ...inputs.unread.flatMap((field) => unreadQuestion(field, layout)),
    ...lackingWords(inputs, all),
    ...(mapping['otherAuthors'] === undefined ? authorQuestions(needs) : []),
  ];
  const questions = [...(proposal?.questions ?? [])];
  for (const question of asked) {
    const answer = answers.get(question.key);
    if (answer === undefined) questions.push(question);
    setAt(all, question.path, answer ?? TODO);
  }
  if (needs.noTime.count > 0)
    set(
      ['source', 'missingTimes'],
      'previous',
      `${needs.noTime.count === 1 ? '1 message or event has' : `${needs.noTime.count} messages or events have`} no time. They take the time of the one before, which keeps their order; "reject" rejects their tickets.`,
    );
  if (needs.unused > 0)
    set(
      ['unmapped'],
      'note',
      'Columns and fields that no rule uses: "note" keeps them in an internal note at the end of each ticket, "drop" leaves them out',
    );
  for (const { path } of proposal?.questions ?? []) openAt(all, path);
  const { mapping: _, source: __, ...others } = all;
  const { from: ___, ...ownSource } = all['source'] as Record<string, unknown>;
  const isPatch = !isProposal && Object.keys(mapping).length > 0;
  return {
    settings: {
      source: isPatch ? ownSource : all['source'],
      ...others,
      // a patch names what it changes
      ...(isPatch ? { mapping: { extends: layout.name, ...mapping } } : isProposal ? { mapping } : {}),
    },
    comments,
    questions: questions.sort((a, b) => a.rank - b.rank),
    agents: needs.loss.agentsWithoutId
      .filter(({ agent }) => agent !== NO_NAME)
      .toSorted((a, b) => b.count - a.count)
      .slice(0, MOST_AGENTS)
      .map(({ agent, count }) => ({ agent, count })),
  };
}

/** A question whose key is its path. */
function questionAt(
  path: Question['path'],
  rank: number,
  rest: Omit<Question, 'key' | 'path' | 'rank'>,
): Question {
  return { key: path.join('.'), path, rank, ...rest };
}

function timeQuestions({ needs, openDates }: SettingsInputs): Question[] {
  const { zoneless, noCreatedAt } = needs;
  const example = zoneless.example ?? openDates;
  const zone = questionAt(['source', 'timezone'], RANK.createdAt, {
    concept: `time zone of ${example}`,
    question: `Times such as ${example} have no time zone. Which one are they in?`,
    kind: 'zone',
    suggestion: 'Europe/Berlin, America/New_York or UTC',
  });
  const order = questionAt(['source', 'dayFirst'], RANK.createdAt, {
    concept: `day first in ${openDates}`,
    question: `In dates such as ${openDates}, which number is the day?`,
    choices: [
      { value: true, label: 'the first one' },
      { value: false, label: 'the second one' },
    ],
    kind: 'choice',
  });
  const created = questionAt(['source', 'missingCreatedAt'], RANK.createdAt, {
    concept: 'time of creation of tickets that have none',
    question: `No time of creation: ${many(noCreatedAt.count, 'ticket')}. Which time should they get?`,
    kind: 'time',
    suggestion: '2020-01-01T00:00:00Z',
  });
  return [
    ...(example === undefined ? [] : [zone]),
    ...(openDates === undefined ? [] : [order]),
    ...(noCreatedAt.count > 0 ? [created] : []),
  ];
}

function peopleQuestions({ noAgentId, noEmail, noContact }: Needs, isProposal: boolean): Question[] {
  const agent = questionAt(['fallbackAgent'], RANK.other, {
    concept: `agent ID for ${noAgentId.count} messages of agents who are not in the new helpdesk`,
    question: 'Who should own messages from agents who are not in the new helpdesk? (agent ID)',
    kind: 'text',
    suggestion: 'agt_1',
  });
  // under a known layout tickets without a contact are imported without a requester
  const count = noEmail.count > 0 ? noEmail.count : isProposal ? noContact.count : 0;
  const what = many(count, noEmail.count > 0 ? 'message' : 'ticket');
  const domain = questionAt(['customersWithoutEmail', 'synthesize'], RANK.other, {
    concept: `domain for ${what} of customers without an e-mail address`,
    question: `${what} of customers have no e-mail address. Under which of your domains should addresses be made up?`,
    kind: 'domain',
    suggestion: 'customers.example.com',
  });
  return [...(noAgentId.count > 0 ? [agent] : []), ...(count > 0 ? [domain] : [])];
}

function unreadQuestion({ field, column }: UnreadField, layout: Layout): Question[] {
  const own = field === 'visibility' ? undefined : columnOf(layout.ticket[field]);
  if (own === undefined) return [];
  return [
    questionAt(['mapping', 'aliases', own, 0], RANK.requester, {
      concept: field,
      question: `No ticket has a ${field}, and nothing reads the column "${column}". Does it hold the ${field}?`,
      choices: [
        { value: column, label: `yes: "${column}"` },
        { value: own, label: `no: "${own}"` },
      ],
      kind: 'choice',
    }),
  ];
}

/** The column that a rule reads first: of a person the address, else the ID, else the name. */
function columnOf(rule: unknown): string | undefined {
  if (typeof rule === 'string') return rule;
  if (Array.isArray(rule)) return columnOf(rule[0]);
  if (typeof rule !== 'object' || rule === null) return undefined;
  const { column, email, id, name } = rule as Record<string, unknown>;
  return typeof column === 'string' ? column : columnOf(email ?? id ?? name);
}

/** Words of the export that a map lacks: listed ones are added, the others asked about once their column is certain. */
function lackingWords(
  { layout, proposal, needs }: SettingsInputs,
  settings: Record<string, unknown>,
): Question[] {
  const unknown = new Map<string, { kind: WordKind; words: ValueCount[] }>();
  for (const { field, value, count, action } of needs.loss.unmappedValues) {
    const kind = field.endsWith('status') ? 'status' : field === 'priority' ? 'priority' : undefined;
    if (action !== 'error' || kind === undefined) continue;
    const map = needs.lackingMaps.get(value.slice(0, 80)) ?? kind;
    const isOpen = proposal?.questions.some(({ key }) => key === `ticket.${kind}`) === true;
    if (layout.maps?.[map] === undefined || isOpen) continue;
    const meaning = meaningOf(kind, value);
    const { words } = unknown.get(map) ?? { words: [] };
    if (meaning !== undefined) setAt(settings, ['mapping', 'maps', map, 'values', value], meaning);
    else unknown.set(map, { kind, words: [...words, { value, count }] });
  }
  return [...unknown].flatMap(([map, { kind, words }]) =>
    wordQuestions(kind, words, ['mapping', 'maps', map, 'values']),
  );
}

function authorQuestions({ noActor: { count }, loss }: Needs): Question[] {
  if (count === 0) return [];
  const authors = loss.unknownAuthors.filter(({ author }) => author !== NO_NAME).slice(0, 3);
  const such = authors.length === 0 ? '' : `, such as ${authors.map(({ author }) => author).join(', ')}`;
  return [
    questionAt(['mapping', 'otherAuthors'], RANK.role, {
      concept: `authors of ${count} messages that are not known${such}`,
      question: `We can't tell who wrote ${count} messages${such}. Who are their authors?`,
      choices: ROLE_CHOICES,
      kind: 'choice',
    }),
  ];
}
