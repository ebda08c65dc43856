/** What could stand in a column, by its name and by what stands there. */
import { type ColumnProfile, isTimeColumn } from '../column-profile.ts';
import {
  CONCEPT_WORDS,
  CONTRARY_WORDS,
  type Concept,
  PERSON_WORDS,
  type PersonConcept,
} from '../concept-words.ts';
import { isName, tagPoints } from '../name-by-value.ts';
import { listOfPath } from '../table-profile.ts';
import { tableSort } from '../table-sort.ts';
import { nameScore, type ScopeColumn } from './concepts.ts';
import type { ProposalDraft } from './proposal-draft.ts';
import { priorityOf } from './propose-values.ts';

/** So surely a name means a field. */
export const SURE = 0.7;

export function meant(concept: Concept | PersonConcept, path: string): number {
  return concept in CONCEPT_WORDS
    ? nameScore(path, CONCEPT_WORDS[concept as Concept], CONTRARY_WORDS[concept as Concept])
    : nameScore(path, PERSON_WORDS[concept as PersonConcept]);
}

export function isWord({ profile }: ScopeColumn): boolean {
  const { type, distinct, filled, averageLength } = profile;
  return (
    ['text', 'integer', 'mixed', 'boolean', 'number'].includes(type) &&
    !isTimeColumn(profile) &&
    distinct >= 2 &&
    distinct <= 12 &&
    averageLength <= 30 &&
    filled >= 1.5 * distinct
  );
}

function isWritten({ type }: ColumnProfile): boolean {
  return type === 'text' || type === 'html' || type === 'mixed';
}

export function isTitle({ profile }: ScopeColumn): boolean {
  const { averageLength, distinct, filled, examples } = profile;
  return (
    isWritten(profile) &&
    averageLength >= 10 &&
    averageLength <= 150 &&
    distinct >= 0.5 * filled &&
    examples.some((text) => /\S\s\S+\s\S/.test(text))
  );
}

/** Of rows of messages each ticket has several, and one subject. */
export function isSubject(column: ScopeColumn, { ticket }: ProposalDraft): boolean {
  const { profile } = column;
  const tickets = Math.min(profile.filled, ticket.key.column.profile.distinct);
  return isTitle({ ...column, profile: { ...profile, filled: tickets } });
}

export function isText({ profile }: ScopeColumn): boolean {
  return (
    isTitle({ path: '', profile: { ...profile, averageLength: Math.min(150, profile.averageLength) } }) &&
    profile.averageLength >= 20
  );
}

export function isTime({ profile }: ScopeColumn): boolean {
  return isTimeColumn(profile);
}

/** A list of short texts, or a word of which others are made: `login vip`, `vip`. */
export function areTags(column: ScopeColumn, { ticket: { table } }: ProposalDraft): boolean {
  const { path, profile } = column;
  if (meant('tags', path) >= SURE) return tagPoints(profile) >= 0.6 || isWord(column);
  const inner = table.columns.filter(({ name }) => listOfPath(name) === path);
  return (
    tagPoints(profile) >= 0.6 && inner.length <= 3 && inner.every(({ averageLength }) => averageLength <= 30)
  );
}

/** A few words for many tickets: of less there is no telling what they are. */
export function isGrade(column: ScopeColumn): boolean {
  const { distinct, filled, values = [] } = column.profile;
  const isKnown = values.some(({ value }) => priorityOf(value) !== undefined);
  return isWord(column) && (isKnown || (distinct >= 3 && distinct <= 5 && filled >= 2 * distinct));
}

export function isFile({ profile }: ScopeColumn): boolean {
  return profile.type === 'url' || profile.examples.some((text) => /^https?:\/\/\S+$/.test(text));
}

export function isPerson({ path, profile }: ScopeColumn, { tables, joins }: ProposalDraft): boolean {
  const addresses = profile.kinds.find(({ kind }) => kind === 'email')?.count ?? 0;
  if (profile.type === 'email' || addresses >= 0.5 * profile.filled || isName(profile)) return true;
  return joins.some(({ from, to, found }) => {
    const other = tables[to.table];
    return from.column === path && found > 0 && other !== undefined && tableSort(other) === 'people';
  });
}

/** Of columns whose names say nothing: whether what stands there could be this field at all. */
export function couldHold(field: string, column: ScopeColumn): boolean {
  const { type, averageLength, distinct } = column.profile;
  switch (field) {
    case 'tags':
      return (type === 'text' || type === 'list') && averageLength <= 60 && !isTime(column);
    case 'subject':
      return isWritten(column.profile) && averageLength <= 150 && distinct > 1;
    case 'createdAt':
    case 'closedAt':
    case 'occurredAt':
      return isTime(column);
    case 'requester':
    case 'assignee':
    case 'author':
      return ['integer', 'text', 'email'].includes(type) && averageLength <= 60 && distinct > 1;
    default:
      return isWord(column);
  }
}
