/** Value maps from the values that stand in a column: what the words are known for, and a question for each other one. */
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../../domain/payload.ts';
import type { ScopeColumn } from './concepts.ts';
import { type ProposalNotes, type SettingPath, TODO } from './proposal.ts';
import { priorityOf, roleOfWord, statusOf } from './value-words.ts';

export interface ProposedMap {
  readonly values: Record<string, string | null>;
  /** There are too many other values for a question each. */
  readonly unlisted?: { value: string };
  /** Values that say that the row is no ticket: deleted, spam. */
  readonly notTickets: readonly string[];
}

/** Beyond so many values that only a person knows, one line decides for all of them. */
const MOST_QUESTIONS = 10;

const CHOICES = {
  status: TICKET_STATUSES.map((value) => ({ value, label: value })),
  priority: [...TICKET_PRIORITIES].reverse().map((value) => ({ value, label: value })),
  role: [
    { value: 'customer', label: 'a customer' },
    { value: 'agent', label: 'an agent of the team' },
    { value: 'system', label: 'a program' },
  ],
} as const;

export type MapKind = keyof typeof CHOICES;

/** Where in the mapping the values of the map stand, and what becomes of others. */
export interface MapPlace {
  readonly values: SettingPath;
  readonly unlisted: SettingPath;
}

/** The place of a map with a name. */
export function namedMap(name: string): MapPlace {
  return { values: ['maps', name, 'values'], unlisted: ['maps', name, 'unlisted', 'value'] };
}

/** Questions about words that are not known are noted at the map's place. */
export function proposeMap(
  kind: MapKind,
  columns: readonly ScopeColumn[],
  place: MapPlace,
  notes: ProposalNotes,
): ProposedMap {
  const counts = new Map<string, number>();
  for (const { profile } of columns)
    for (const { value, count } of profile.values ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  const found = [...counts].map(([value, count]) => ({ value, count, means: meaning(kind, value) }));
  const unknown = found.filter(({ means }) => means === undefined);
  const many = unknown.length > MOST_QUESTIONS;
  const values: Record<string, string | null> = {};
  const notTickets: string[] = [];
  for (const { value, means } of found) {
    if (means === 'not a ticket') notTickets.push(value);
    else if (means !== undefined) values[value] = means;
    else if (!many) values[value] = TODO;
  }
  const choices = CHOICES[kind];
  if (!many)
    for (const { value, count } of unknown)
      notes.decide({
        path: [...place.values, value],
        question: `What does the ${WORDS[kind]} "${shown(value)}" mean (${count} of the rows looked at)?`,
        comment: `${choices.map((choice) => choice.value).join(', ')}${kind === 'role' ? '' : ', or null for none'}`,
        choices: [...choices, ...(kind === 'role' ? [] : [{ value: null, label: `no ${WORDS[kind]}` }])],
        kind: 'choice',
      });
  if (columns.some(({ profile }) => profile.values === undefined))
    notes.comment(
      place.values,
      'There are too many different values to list them all; a dry run lists those that are missing.',
    );
  const map = { values, notTickets };
  if (!many) return map;
  notes.decide({
    path: place.unlisted,
    question: `${unknown.length} values of the ${WORDS[kind]} are not known. What shall they become?`,
    comment: `Not known: ${unknown
      .slice(0, 30)
      .map(({ value }) => shown(value))
      .join(', ')}. List them under values, or say here what all of them become.`,
    choices: [...choices],
    kind: 'choice',
  });
  return { ...map, unlisted: { value: TODO } };
}

const WORDS: Readonly<Record<MapKind, string>> = { status: 'status', priority: 'priority', role: 'role' };

function meaning(kind: MapKind, value: string): string | undefined {
  if (kind === 'status') return statusOf(value);
  return kind === 'priority' ? priorityOf(value) : roleOfWord(value);
}

function shown(value: string): string {
  return value.length > 60 ? `${value.slice(0, 59)}…` : value;
}
