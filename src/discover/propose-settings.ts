/** The settings for an export as data: what is known, and the questions that are left once its tickets were mapped. */
import { type LossReport, NO_NAME } from '../domain/survey.ts';
import type { MappedItem, MappedTicket } from '../domain/ticket.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { isAddress } from '../mapping/people/people.ts';
import { defined } from './draft.ts';
import type { UnreadField } from './findings.ts';
import { many } from './findings.ts';
import { leftQuestion, meaningOf } from './names.ts';
import type { ValueCount } from './profile.ts';
import type { Proposal } from './propose-mapping.ts';
import {
  type Answers,
  type Comment,
  openAt,
  type Question,
  RANK,
  setAt,
  TODO,
  type WordKind,
  wordQuestions,
} from './questions.ts';

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
    ...leftQuestions(inputs, mapping['otherAuthors'] !== undefined),
    ...inputs.unread.flatMap((field) => unreadQuestion(field, layout)),
    ...lackingWords(inputs, all),
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

/** What is left open by the tickets as they were mapped. */
function leftQuestions({ needs, openDates, proposal }: SettingsInputs, isAuthorKnown: boolean): Question[] {
  const { zoneless, noCreatedAt, noAgentId, noEmail, noContact, noActor, loss } = needs;
  const example = zoneless.example ?? openDates;
  // under a known layout tickets without a contact are imported without a requester
  const nameless = noEmail.count > 0 ? noEmail.count : proposal === undefined ? 0 : noContact.count;
  const what = many(nameless, noEmail.count > 0 ? 'message' : 'ticket');
  const authors = loss.unknownAuthors.flatMap(({ author }) => (author === NO_NAME ? [] : author));
  const such = authors.length === 0 ? '' : `, such as ${authors.slice(0, 3).join(', ')}`;
  const asked = (isOpen: boolean, key: string, words: Record<string, string | number>) =>
    isOpen ? [leftQuestion(key, words)] : [];
  return [
    ...asked(example !== undefined, 'source.timezone', { example: example ?? '' }),
    ...asked(openDates !== undefined, 'source.dayFirst', { example: openDates ?? '' }),
    ...asked(noCreatedAt.count > 0, 'source.missingCreatedAt', {
      tickets: many(noCreatedAt.count, 'ticket'),
    }),
    ...asked(noAgentId.count > 0, 'fallbackAgent', { count: noAgentId.count }),
    ...asked(nameless > 0, 'customersWithoutEmail.synthesize', { what }),
    ...asked(!isAuthorKnown && noActor.count > 0, 'mapping.otherAuthors', { count: noActor.count, such }),
  ];
}

function unreadQuestion({ field, column }: UnreadField, layout: Layout): Question[] {
  const own = field === 'visibility' ? undefined : columnOf(layout.ticket[field]);
  if (own === undefined) return [];
  return [
    {
      key: `mapping.aliases.${own}.0`,
      path: ['mapping', 'aliases', own, 0],
      rank: RANK.requester,
      concept: field,
      question: `No ticket has a ${field}, and nothing reads the column "${column}". Does it hold the ${field}?`,
      choices: [
        { value: column, label: `yes: "${column}"` },
        { value: own, label: `no: "${own}"` },
      ],
      kind: 'choice',
    },
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

// What an export does not say, counted over its tickets as a mapping makes them.

export interface Need {
  readonly count: number;
  /** A value, or the ticket in which it was first seen. */
  readonly example: string | undefined;
}

const NEEDS = ['zoneless', 'noCreatedAt', 'noTime', 'noAgentId', 'noEmail', 'noContact', 'noActor'] as const;

export interface Needs extends Readonly<Record<(typeof NEEDS)[number], Need>> {
  readonly tickets: number;
  readonly messages: number;
  readonly events: number;
  /** Name of the value map that lacks a value, by the value. */
  readonly lackingMaps: ReadonlyMap<string, string>;
  readonly loss: LossReport;
  /** Tickets with values that no rule uses. */
  readonly unused: number;
}

/** The mapper names the map in the problem itself. */
const LACKING = /^The value "(.{0,80})" of .* is not in maps\.([\w-]+):/s;
const NO_ZONE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;

export class NeedsCounter {
  readonly #needs = new Map(
    NEEDS.map((name) => [name, { count: 0, example: undefined as string | undefined }]),
  );
  readonly #lackingMaps = new Map<string, string>();
  readonly #totals = { tickets: 0, messages: 0, events: 0, unused: 0 };

  see({ externalId, ticket, messages, events, excluded, problems, unmapped, requester }: MappedTicket): void {
    this.#totals.tickets++;
    for (const { code, message } of problems) {
      const [, value, map] = (code === 'unmapped-value' ? LACKING.exec(message) : null) ?? [];
      if (value !== undefined && map !== undefined) this.#lackingMaps.set(value, map);
    }
    if (excluded !== undefined) return;
    if (unmapped !== undefined && unmapped.length > 0) this.#totals.unused++;
    this.#totals.messages += messages.length;
    this.#totals.events += events.length;
    for (const field of ['createdAt', 'resolvedAt', 'closedAt']) this.#time(ticket[field]);
    if (requester !== undefined && isBlank(ticket['contact']) && isBlank(ticket['contactId']))
      this.#add('noContact', externalId);
    for (const message of messages) {
      const { value } = message;
      this.#item(message, externalId);
      if (value['actorType'] === undefined) this.#add('noActor', externalId);
      if (value['actorType'] === 'customer' && isBlank(value['contact']) && isBlank(value['contactId']))
        this.#add('noEmail', externalId);
    }
    // of most events the export does not say who made them
    for (const event of events) this.#item(event, externalId, event.who !== undefined);
    const timed = messages.some(({ value }) => !isBlank(value['occurredAt']));
    if (isBlank(ticket['createdAt']) && !timed) this.#add('noCreatedAt', externalId);
  }

  needs(loss: LossReport): Needs {
    const needs = Object.fromEntries(this.#needs) as Record<(typeof NEEDS)[number], Need>;
    return { ...needs, ...this.#totals, lackingMaps: this.#lackingMaps, loss };
  }

  #item({ value, who }: MappedItem, externalId: string, needsAgent = true): void {
    this.#time(value['occurredAt']);
    if (isBlank(value['occurredAt'])) this.#add('noTime', externalId);
    const isNobodys = value['actorType'] === 'agent' && isBlank(value['agentId']);
    if (needsAgent && isNobodys && !isAddress(who?.email ?? '')) this.#add('noAgentId', externalId);
  }

  #time(value: unknown): void {
    if (typeof value === 'string' && NO_ZONE.test(value.trim())) this.#add('zoneless', value.trim());
  }

  #add(name: (typeof NEEDS)[number], example: string): void {
    const need = this.#needs.get(name);
    if (need === undefined) return;
    need.example ??= example;
    need.count++;
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
