/** What a column means, from its name and what stands in it. Pure; scores are between 0 and 1. */
import { type ColumnProfile, isTimeColumn } from '../column-profile.ts';
import {
  CONCEPT_WORDS,
  CONTRARY_WORDS,
  type Concept,
  EMAIL_WORDS,
  ID_WORDS,
  NAME_WORDS,
  NEUTRAL_WORDS,
  PERSON_WORDS,
  type PersonConcept,
  pathParts,
  wordsOf,
} from '../concept-words.ts';

/** A column within rows or within the items of a list. */
export interface ScopeColumn {
  /** As the mapping language names it there. */
  readonly path: string;
  readonly profile: ColumnProfile;
}

/** By what a column is called its meaning is told. */
export function nameOf({ path, profile }: ScopeColumn): string {
  return profile.called ?? path;
}

/** Every word of the name that is neither the concept nor neutral makes it less likely. */
const PER_OTHER_WORD = 0.12;
/** What stands further out in a path counts less than its end. */
const OUTER = 0.85;

export function conceptScore(concept: Concept, column: ScopeColumn): number {
  if (!fits(concept, column.profile)) return 0;
  const named = nameScore(nameOf(column), CONCEPT_WORDS[concept], CONTRARY_WORDS[concept]);
  const phrase = concept === 'subject' && /short[\s_-]?description/i.test(column.path) ? 1 : 0;
  return Math.max(named, phrase);
}

/** The likeliest column; undefined where none scores at least `least`. */
export function bestColumn(
  concept: Concept,
  columns: readonly ScopeColumn[],
  least = 0.3,
): ScopeColumn | undefined {
  return ranked(columns, (column) => conceptScore(concept, column), least)[0];
}

/** Best first; equal ones in their order. Mostly empty columns stand behind filled ones. */
export function ranked(
  columns: readonly ScopeColumn[],
  score: (column: ScopeColumn) => number,
  least: number,
): ScopeColumn[] {
  return columns
    .map((column) => ({ column, points: score(column) }))
    .filter(({ points, column }) => points >= least && column.profile.filled > 0)
    .map(({ column, points }) => ({ column, points: points * (0.85 + 0.15 * fillRate(column.profile)) }))
    .sort((a, b) => b.points - a.points)
    .map(({ column }) => column);
}

export type PersonAspect = 'id' | 'email' | 'name';

/** What a column says about a person of this kind, and how surely; undefined when it says nothing. */
export function personColumn(
  concept: PersonConcept,
  column: ScopeColumn,
): { aspect: PersonAspect; points: number } | undefined {
  const { profile } = column;
  const path = nameOf(column);
  if (['time', 'date', 'boolean', 'html', 'list', 'object', 'empty', 'url', 'number'].includes(profile.type))
    return undefined;
  if (profile.averageLength > 80 || isTimeColumn(profile)) return undefined;
  // `C` and `A` are sides, nobody's names
  if (profile.type === 'text' && profile.longest <= 2) return undefined;
  const words = wordsOf(path);
  if (isAside(column)) return undefined;
  const points = nameScore(path, PERSON_WORDS[concept], undefined, PERSON_NEUTRAL);
  if (points < 0.3) return undefined;
  const aspect: PersonAspect =
    profile.type === 'email' || words.some((word) => EMAIL_WORDS.has(word))
      ? 'email'
      : words.some((word) => ID_WORDS.has(word)) || profile.type === 'integer'
        ? 'id'
        : 'name';
  return { aspect, points };
}

/** About somebody who has no part in the ticket, or about something else of a person. */
export function isAside(column: ScopeColumn): boolean {
  const words = wordsOf(nameOf(column));
  const isMail = words.some((word) => EMAIL_WORDS.has(word));
  const byWhom = words.some((word) => BY.has(word));
  // `previous assignee`, and not `requester first name`
  if (words.some((word, at) => FORMER.has(word) && isPersonWord(words[at + 1] ?? ''))) return true;
  return words.some(
    (word) => ASIDE.has(word) && !(isMail && word === 'address') && !(byWhom && word === 'updated'),
  );
}

const FORMER: ReadonlySet<string> = new Set(['previous', 'prior', 'former', 'original', 'first', 'old']);

function isPersonWord(word: string): boolean {
  return Object.values(PERSON_WORDS).some((meaning) => Object.hasOwn(meaning, word));
}

const ASIDE: ReadonlySet<string> = new Set(
  `age gender type role count group team phone birth city country address url avatar locale language level satisfaction rating status priority
   confirmed manager mgr relationship company account acct betreuer kundenbetreuer gestor gerente gestionnaire organization updated purchase time date channel reason link domain zip`.split(
    /\s+/,
  ),
);
const BY: ReadonlySet<string> = new Set(['by', 'von', 'por', 'par', 'door']);

const PERSON_NEUTRAL: ReadonlySet<string> = new Set([
  ...NEUTRAL_WORDS,
  ...EMAIL_WORDS,
  ...NAME_WORDS,
  ...ID_WORDS,
  'personal',
  'primary',
  'to',
  'by',
  'address',
  'e',
  'person',
  'first',
]);

/** How well the words of a path name something; words of outer parts count less. */
export function nameScore(
  path: string,
  meaning: Readonly<Record<string, number>>,
  contrary: readonly string[] = [],
  neutral: ReadonlySet<string> = NEUTRAL_WORDS,
): number {
  const parts = pathParts(path).map(wordsOf);
  const all = parts.flat();
  if (all.some((word) => contrary.includes(word))) return 0;
  let best = 0;
  let others = 0;
  parts.forEach((part, index) => {
    const isLast = index === parts.length - 1;
    const whole = part.join('');
    for (const word of part.length > 1 ? [...part, whole] : part) {
      const weight = Object.hasOwn(meaning, word) ? (meaning[word] ?? 0) : 0;
      if (weight > 0) best = Math.max(best, weight * (isLast ? 1 : OUTER));
      else if (word !== whole || part.length === 1) others += neutral.has(word) ? 0 : isLast ? 1 : 0.5;
    }
  });
  return best / (1 + PER_OTHER_WORD * others);
}

export function fillRate({ filled, rows }: ColumnProfile): number {
  return rows === 0 ? 0 : Math.min(1, filled / rows);
}

/** Whether what stands in a column can be what its name says. */
export function fits(concept: Concept, profile: ColumnProfile): boolean {
  const { type, averageLength, distinct } = profile;
  switch (concept) {
    case 'subject':
      return (type === 'text' || type === 'mixed') && averageLength <= 300;
    case 'body':
      return ['text', 'html', 'mixed', 'object'].includes(type);
    case 'answer':
      return (
        ['text', 'html', 'mixed'].includes(type) &&
        (averageLength >= 20 ? distinct > 1 : averageLength >= 12 && distinct > 5)
      );
    case 'status':
      return ['text', 'integer', 'mixed', 'boolean'].includes(type) && distinct <= 60 && averageLength <= 60;
    case 'priority':
      return ['text', 'integer', 'mixed'].includes(type) && distinct <= 60 && averageLength <= 60;
    case 'tags':
      return ['text', 'list', 'mixed'].includes(type);
    case 'createdAt':
    case 'updatedAt':
    case 'resolvedAt':
    case 'closedAt':
    case 'sentAt':
      return isTimeColumn(profile);
    case 'role':
      return ['text', 'boolean', 'integer'].includes(type) && distinct <= 20 && averageLength <= 40;
    case 'internal':
      return ['boolean', 'text', 'integer'].includes(type) && distinct <= 4;
    case 'attachment':
      return ['url', 'list', 'text'].includes(type);
  }
}
