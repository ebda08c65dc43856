/** Columns that belong together: those about one person, and the times of a ticket. Pure. */
import { isTimeColumn } from '../column-profile.ts';
import { type Concept, ID_WORDS, PERSON_WORDS, type PersonConcept, wordsOf } from '../concept-words.ts';
import { isName } from '../name-by-value.ts';
import {
  conceptScore,
  fillRate,
  isAside,
  nameOf,
  type PersonAspect,
  personColumn,
  type ScopeColumn,
} from './concepts.ts';

/** Columns about one person. */
export type PersonColumns = Partial<Record<PersonAspect, ScopeColumn>> & {
  /** The first name, where `name` is the last one. */
  readonly given?: ScopeColumn;
};

const GIVEN = /(?:^| )(?:first|given|first ?name|given ?name|vorname|prenom)$/;
const FAMILY = /(?:^| )(?:last|family|last ?name|sur ?name|family ?name|nachname|apellidos?|sobrenome)$/;

/** Of a person whose name stands in two columns; undefined where one of them says nothing else. */
function partOfName(column: ScopeColumn): 'given' | 'family' | undefined {
  const name = wordsOf(column.path).join(' ');
  return GIVEN.test(name) ? 'given' : FAMILY.test(name) ? 'family' : undefined;
}

/**
 * The columns about the requester, assignee or author: those that name the person by the same word. An address weighs
 * more than an id, and an id more than a name: contacts are matched by address.
 */
export function personColumns(
  concept: PersonConcept,
  columns: readonly ScopeColumn[],
): PersonColumns | undefined {
  const groups = new Map<
    string,
    { points: number; columns: Partial<Record<PersonAspect, ScopeColumn>>; given?: ScopeColumn }
  >();
  for (const column of columns) {
    const said = personColumn(concept, column);
    if (said === undefined || column.profile.filled === 0) continue;
    const word = personWord(concept, nameOf(column));
    const group = groups.get(word) ?? { points: 0, columns: {} };
    groups.set(word, group);
    const part = said.aspect === 'name' ? partOfName(column) : undefined;
    if (part === 'given') group.given = column;
    const known = group.columns[said.aspect];
    const isBetter =
      known === undefined ||
      (partOfName(known) === 'given' && part === 'family') ||
      (known.path.length > column.path.length && !(partOfName(known) === 'family' && part === 'given'));
    if (!isBetter) continue;
    group.columns[said.aspect] = column;
    const filled = column.profile.filled / Math.max(1, column.profile.rows);
    group.points = Math.max(group.points, said.points * (0.6 + 0.4 * filled));
  }
  const worth = { email: 0.3, id: 0.15, name: 0 } as const;
  const best = [...groups.values()]
    .map((group) => ({
      ...group,
      points:
        group.points + Math.max(...Object.keys(group.columns).map((aspect) => worth[aspect as PersonAspect])),
    }))
    .sort((a, b) => b.points - a.points)[0];
  if (best === undefined) return undefined;
  const { columns: found, given } = best;
  const isFamily = found.name !== undefined && partOfName(found.name) === 'family';
  return isFamily && given !== undefined ? { ...found, given } : found;
}

export function isId({ path, profile }: ScopeColumn): boolean {
  return profile.type === 'integer' || wordsOf(path).some((word) => ID_WORDS.has(word));
}

/** The person of columns that are all about one. */
export function personOf(columns: readonly ScopeColumn[]): PersonColumns {
  const email = columns.find(({ profile }) => profile.type === 'email');
  const id = columns.find((column) => column !== email && isId(column));
  const others = columns.filter((column) => column !== email && column !== id);
  const given = others.find((column) => partOfName(column) === 'given');
  const family = others.find((column) => partOfName(column) === 'family');
  const isWhole = given === undefined || family === undefined;
  const name = isWhole ? (others.find(({ profile }) => isName(profile)) ?? others[0]) : family;
  return {
    ...(email === undefined ? {} : { email }),
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(isWhole ? {} : { given }),
  };
}

const CHANGER =
  /(?:updated|changed|modified|edited) (?:by|user|id)\b|\bactor\b|\b(?:geandert|aktualisiert|bearbeitet|a[ct]{1,2}ualizado|modificad[oa]|modifie|alterado|modificat[oa]|aggiornat[oa]|gewijzigd|bijgewerkt|zmienion[aey]|zmodyfikowan[aey]|andrad|uppdaterad|endret|andret) (?:von|por|par|da|door|przez|av|af)\b/;

/** Who made the change that a row is: `updated_by`. */
export function changerColumns(columns: readonly ScopeColumn[]): PersonColumns | undefined {
  const found = columns.filter(
    ({ path, profile }) =>
      profile.filled > 0 && !isTimeColumn(profile) && CHANGER.test(wordsOf(profile.called ?? path).join(' ')),
  );
  return found.length === 0 ? undefined : personOf(found);
}

/** Any address in the row that is not somebody else's: in a flat export it is the customer's. */
export function onlyEmail(columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  const emails = columns.filter(
    (column) =>
      column.profile.type === 'email' &&
      !isAside(column) &&
      !wordsOf(nameOf(column)).some((word) => RECIPIENTS.has(word)) &&
      personColumn('assignee', column) === undefined,
  );
  return emails.length === 1 ? emails[0] : undefined;
}

/** Whom a message went to. */
const RECIPIENTS: ReadonlySet<string> = new Set(
  'to cc bcc recipient recipients copy copies an kopie para copia a destinatario destinatarios empfanger destinataire destinataires ontvanger odbiorca mottagare'.split(
    ' ',
  ),
);

/** `first_assignee` is another person than `assignee_email`, and `assignee_first` is not. */
const OTHER_PART: ReadonlySet<string> = new Set(
  'first initial original previous prior former old last'.split(' '),
);

function personWord(concept: PersonConcept, path: string): string {
  const words = wordsOf(path);
  const at = words.findIndex((word) => Object.hasOwn(PERSON_WORDS[concept], word));
  const other = words.slice(0, Math.max(0, at)).find((word) => OTHER_PART.has(word));
  return at < 0 ? path : `${other ?? ''} ${words[at]}`.trim();
}

/** Which columns of a ticket are its times. */
export interface TicketTimes {
  readonly createdAt: ScopeColumn | undefined;
  readonly updatedAt: ScopeColumn | undefined;
  readonly resolvedAt: ScopeColumn | undefined;
  readonly closedAt: ScopeColumn | undefined;
}

/** Each column is one of them at most; a time that is seldom there says little about when a ticket began. */
export function ticketTimes(columns: readonly ScopeColumn[]): TicketTimes {
  const taken = new Set<ScopeColumn>();
  const take = (concept: Concept, least: number, weightOfFill: number) => {
    const best = columns
      .filter((column) => !taken.has(column) && column.profile.filled > 0)
      .map((column) => ({
        column,
        points: conceptScore(concept, column) * (1 - weightOfFill + weightOfFill * fillRate(column.profile)),
      }))
      .filter(({ points }) => points >= least)
      .sort((a, b) => b.points - a.points)[0]?.column;
    if (best !== undefined) taken.add(best);
    return best;
  };
  const closedAt = take('closedAt', 0.55, 0);
  const resolvedAt = take('resolvedAt', 0.55, 0);
  const updatedAt = take('updatedAt', 0.55, 0.3);
  return { createdAt: take('createdAt', 0.25, 0.6), updatedAt, resolvedAt, closedAt };
}

/** The time that belongs to another column by its name: `Time to Resolution` to `Resolution`. */
export function timeBeside(column: ScopeColumn, columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  const words = wordsOf(nameOf(column));
  return columns
    .filter(
      (other) =>
        other !== column &&
        conceptScore('sentAt', other) + conceptScore('resolvedAt', other) + conceptScore('updatedAt', other) >
          0,
    )
    .map((other) => ({
      other,
      shared: wordsOf(nameOf(other)).filter((word) => words.includes(word) && word !== 'ticket').length,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)[0]?.other;
}
