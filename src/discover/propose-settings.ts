/** The settings for an export as data: what is known, and the questions that are left once its tickets were mapped. */
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { RANK, ROLE_CHOICES } from './draft.ts';
import { meaningOf } from './names.ts';
import type { Needs } from './needs.ts';
import type { Proposal } from './propose-mapping.ts';
import {
  type Answers,
  type Comment,
  openAt,
  type Question,
  type SettingPath,
  setAt,
  TODO,
} from './questions.ts';
import type { UnreadField } from './review.ts';

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
  /** As they shall stand in the file. */
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
/** How the loss report calls an agent of whom nothing is known. */
const NOBODY = '(nobody)';
/** A question for each word that a map lacks, up to so many; then one for all. */
const MOST_WORDS = 4;

export function proposeSettings(inputs: SettingsInputs): ProposedSettings {
  const { files, layout, proposal, needs, answers } = inputs;
  const comments: Comment[] = [...(proposal?.comments ?? [])];
  const questions: Question[] = [...(proposal?.questions ?? [])];
  const source: Record<string, unknown> = { files: [...files] };
  if (proposal === undefined) source['from'] = layout.name;
  if (inputs.encoding !== undefined) source['encoding'] = inputs.encoding;
  if (inputs.delimiter !== undefined) source['delimiter'] = inputs.delimiter;
  const settings: Record<string, unknown> = { source };
  const mapping = structuredClone(proposal?.mapping ?? {}) as Record<string, unknown>;
  const ask = (question: Omit<Question, 'key'>) => {
    const key = question.path.join('.');
    const answer = answers.get(key);
    const holder = { ...settings, mapping };
    if (answer === undefined) questions.push({ ...question, key });
    setAt(holder, question.path, answer ?? TODO);
    for (const [name, value] of Object.entries(holder)) if (name !== 'mapping') settings[name] = value;
  };
  askTimes(inputs, source, ask, comments);
  askPeople(needs, proposal !== undefined, ask);
  if (needs.unused > 0) {
    settings['unmapped'] = 'note';
    comments.push({
      path: ['unmapped'],
      text: 'Columns and fields that no rule uses: "note" keeps them in an internal note at the end of each ticket, "drop" leaves them out',
    });
  }
  for (const { field, column } of inputs.unread) {
    const own = field === 'visibility' ? undefined : columnOf(layout.ticket[field]);
    if (own === undefined) continue;
    ask({
      path: ['mapping', 'aliases', own, 0],
      concept: field,
      question: `No ticket has a ${field}, and nothing reads the column "${column}". Does it hold the ${field}?`,
      choices: [
        { value: column, label: `yes: "${column}"` },
        { value: own, label: `no: "${own}"` },
      ],
      kind: 'choice',
      rank: RANK.requester,
    });
  }
  askWords(layout, needs, mapping, ask);
  if (needs.noActor.count > 0 && mapping['otherAuthors'] === undefined) askAuthors(needs, ask);
  for (const { path } of proposal?.questions ?? []) openAt({ mapping }, path);
  if (proposal !== undefined) settings['mapping'] = mapping;
  else if (Object.keys(mapping).length > 0) {
    // a patch names what it changes
    settings['mapping'] = { extends: layout.name, ...mapping };
    delete source['from'];
  }
  const agents = [...needs.loss.agentsWithoutId]
    .filter(({ agent }) => agent !== NOBODY)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_AGENTS)
    .map(({ agent, count }) => ({ agent, count }));
  return { settings, comments, questions: questions.sort((a, b) => a.rank - b.rank), agents };
}

type Ask = (question: Omit<Question, 'key'>) => void;

/** The column that a rule reads first: of a person the address, else the ID, else the name. */
function columnOf(rule: unknown): string | undefined {
  if (typeof rule === 'string') return rule;
  if (Array.isArray(rule)) return columnOf(rule[0]);
  if (typeof rule !== 'object' || rule === null) return undefined;
  const { column, email, id, name } = rule as Record<string, unknown>;
  return typeof column === 'string' ? column : columnOf(email ?? id ?? name);
}

function askTimes(
  { needs, openDates }: SettingsInputs,
  source: Record<string, unknown>,
  ask: Ask,
  comments: Comment[],
): void {
  const example = needs.zoneless.example ?? openDates;
  if (needs.zoneless.count > 0 || openDates !== undefined)
    ask({
      path: ['source', 'timezone'],
      concept: `time zone of ${example}`,
      question: `Times such as ${example} have no time zone. Which one are they in?`,
      kind: 'zone',
      suggestion: 'Europe/Berlin, America/New_York or UTC',
      rank: RANK.createdAt,
    });
  if (openDates !== undefined)
    ask({
      path: ['source', 'dayFirst'],
      concept: `day first in ${openDates}`,
      question: `In dates such as ${openDates}, which number is the day?`,
      choices: [
        { value: true, label: 'the first one' },
        { value: false, label: 'the second one' },
      ],
      kind: 'choice',
      rank: RANK.createdAt,
    });
  if (needs.noTime.count > 0) {
    source['missingTimes'] = 'previous';
    comments.push({
      path: ['source', 'missingTimes'],
      text: `${needs.noTime.count === 1 ? '1 message or event has' : `${needs.noTime.count} messages or events have`} no time. They take the time of the one before, which keeps their order; "reject" rejects their tickets.`,
    });
  }
  if (needs.noCreatedAt.count > 0)
    ask({
      path: ['source', 'missingCreatedAt'],
      concept: 'time of creation of tickets that have none',
      question: `${ticketsHave(needs.noCreatedAt.count)} no time of creation. Which time should they get?`,
      kind: 'time',
      suggestion: '2020-01-01T00:00:00Z',
      rank: RANK.createdAt,
    });
}

function askPeople(needs: Needs, isProposal: boolean, ask: Ask): void {
  if (needs.noAgentId.count > 0)
    ask({
      path: ['fallbackAgent'],
      concept: `agent ID for ${needs.noAgentId.count} messages of agents who are not in the new helpdesk`,
      question: 'Who should own messages from agents who are not in the new helpdesk? (agent ID)',
      kind: 'text',
      suggestion: 'agt_1',
      rank: RANK.other,
    });
  const { noEmail, noContact } = needs;
  // under a known layout such tickets are imported without a requester
  const count = noEmail.count > 0 ? noEmail.count : isProposal ? noContact.count : 0;
  if (count === 0) return;
  const what = `${count} ${noEmail.count > 0 ? (count === 1 ? 'message' : 'messages') : count === 1 ? 'ticket' : 'tickets'}`;
  ask({
    path: ['customersWithoutEmail', 'synthesize'],
    concept: `domain for ${what} of customers without an e-mail address`,
    question: `${what} of customers have no e-mail address. Under which of your domains should addresses be made up?`,
    kind: 'domain',
    suggestion: 'customers.example.com',
    rank: RANK.other,
  });
}

/** Words of the export that a map of a known layout lacks: listed words are added, the others asked about. */
function askWords(
  layout: Layout,
  { loss, lackingMaps }: Needs,
  mapping: Record<string, unknown>,
  ask: Ask,
): void {
  const byMap = new Map<string, { kind: 'status' | 'priority'; words: Map<string, number> }>();
  for (const { field, value, count, action } of loss.unmappedValues) {
    const kind = field.endsWith('status') ? 'status' : field === 'priority' ? 'priority' : undefined;
    if (action !== 'error' || kind === undefined) continue;
    const map = lackingMaps.get(value.slice(0, 80)) ?? kind;
    if (layout.maps?.[map] === undefined) continue;
    const at: SettingPath = ['maps', map, 'values', value];
    const meaning = meaningOf(kind, value);
    if (meaning !== undefined) setAt(mapping, at, meaning);
    else {
      const of = byMap.get(map) ?? { kind, words: new Map<string, number>() };
      byMap.set(map, of);
      of.words.set(value, count);
    }
  }
  for (const [map, { kind, words }] of byMap) {
    const choices = (kind === 'status' ? TICKET_STATUSES : TICKET_PRIORITIES).map((value) => ({
      value,
      label: value,
    }));
    const named = [...words.keys()].slice(0, 12).map((word) => JSON.stringify(word));
    if (words.size > MOST_WORDS)
      ask({
        path: ['mapping', 'maps', map, 'unlisted', 'value'],
        concept: `${kind} of ${named.join(', ')}`,
        question: `${words.size} words of the ${kind} are unknown, such as ${named.slice(0, 3).join(', ')}. What do they mean?`,
        choices,
        kind: 'choice',
        rank: RANK.word,
      });
    else
      for (const [word, count] of words)
        ask({
          path: ['mapping', 'maps', map, 'values', word],
          concept: `${kind} "${word}"`,
          question: `What does the ${kind} "${word}" mean (${count} times)?`,
          choices: [...choices, { value: null, label: `no ${kind}` }],
          kind: 'choice',
          rank: RANK.word,
        });
  }
}

function askAuthors({ noActor: { count }, loss }: Needs, ask: Ask): void {
  const authors = loss.unknownAuthors.filter(({ author }) => author !== NOBODY).slice(0, 3);
  const such = authors.length === 0 ? '' : `, such as ${authors.map(({ author }) => author).join(', ')}`;
  ask({
    path: ['mapping', 'otherAuthors'],
    concept: `authors of ${count} messages that are not known${such}`,
    question: `We can't tell who wrote ${count} messages${such}. Who are their authors?`,
    choices: [...ROLE_CHOICES],
    kind: 'choice',
    rank: RANK.role,
  });
}

function ticketsHave(count: number): string {
  return count === 1 ? '1 ticket has' : `${count.toLocaleString('en-US')} tickets have`;
}
