/**
 * Several addresses of one person: what a file of people says, row by row, becomes one contact. Nothing is taken to be one person
 * that somebody has not confirmed. Pure.
 */

import { shorten } from '../domain/printable.ts';
import { isNormalizedEmail, normalizeEmail } from './email.ts';

/** A row of the file: this address is the same person's as the other one. */
export interface PeopleRow {
  readonly line: number;
  readonly address: string;
  readonly sameAs: string;
  readonly confirmed: string;
}

export const PEOPLE_COLUMNS = ['address', 'same as', 'reason', 'confirmed'] as const;

/** A person with several addresses. */
interface OnePerson {
  /** By which the target knows the person. */
  readonly first: string;
  readonly others: readonly string[];
}

export class People {
  readonly #persons = new Map<string, OnePerson>();
  readonly #lines = new Map<string, number>();
  /** Rows that nobody has confirmed: they merge nothing. */
  readonly unconfirmed: number;
  readonly file: string;

  constructor(
    file: string,
    confirmed: readonly PeopleRow[],
    firsts: ReadonlyMap<string, string>,
    unconfirmed: number,
  ) {
    this.file = file;
    this.unconfirmed = unconfirmed;
    const others = new Map<string, string[]>();
    for (const { address, line } of confirmed) {
      const first = firsts.get(address) ?? address;
      const known = others.get(first);
      if (known === undefined) others.set(first, [address]);
      else known.push(address);
      this.#lines.set(address, line);
    }
    for (const [first, all] of others)
      for (const address of [first, ...all]) this.#persons.set(address, { first, others: all });
  }

  /** How many addresses become another one. */
  get merged(): number {
    return this.#lines.size;
  }

  /** Each address with the one that it becomes, in an order of their own. */
  pairs(): (readonly [address: string, first: string])[] {
    return [...this.#lines.keys()].sort().map((address) => [address, this.of(address)?.first ?? address]);
  }

  /** Undefined for an address that no confirmed row names. `address`: normalized. */
  of(address: string): OnePerson | undefined {
    return this.#persons.get(address);
  }

  /** Line of the row that says whose an address is. */
  lineOf(address: string): number | undefined {
    return this.#lines.get(address);
  }
}

const YES: ReadonlySet<string> = new Set('yes y true 1 x ok ja j si sí sim oui vrai confirmed'.split(' '));
const NO: ReadonlySet<string> = new Set(['', ...'no n false 0 - nein não nao non'.split(' ')]);

/** The people that the rows name, or every complaint about them, each with its line. */
export function peopleOf(
  file: string,
  rows: readonly PeopleRow[],
): { readonly people: People } | { readonly complaints: readonly string[] } {
  const complaints: string[] = [];
  const confirmed = new Map<string, PeopleRow>();
  let unconfirmed = 0;
  const wrong = (line: number, column: (typeof PEOPLE_COLUMNS)[number], message: string) =>
    complaints.push(`${file}:${line}: ${column}: ${message}`);
  for (const row of rows) {
    const { line } = row;
    const answer = row.confirmed.trim().toLowerCase();
    const [address, sameAs] = [normalizeEmail(row.address), normalizeEmail(row.sameAs)];
    const bad = [
      ['address', address],
      ['same as', sameAs],
    ].find(([, text = '']) => !isNormalizedEmail(text));
    const known = confirmed.get(address);
    if (bad !== undefined)
      wrong(line, bad[0] as 'address', `"${shorten(bad[1] ?? '', 60)}" is not an e-mail address.`);
    else if (!YES.has(answer) && !NO.has(answer))
      wrong(line, 'confirmed', `"${shorten(answer, 30)}" is neither yes nor no.`);
    else if (!YES.has(answer)) unconfirmed++;
    else if (address === sameAs) wrong(line, 'same as', `${address} is the same address.`);
    else if (known !== undefined && known.sameAs !== sameAs)
      wrong(
        line,
        'same as',
        `${address} is the same person as ${known.sameAs} by line ${known.line}, so it cannot be ${sameAs} too; name one of them, and those two in a row of their own.`,
      );
    else confirmed.set(address, { ...row, address, sameAs });
  }
  const { firsts, inCircles } = endsOf(
    new Map([...confirmed.values()].map((row) => [row.address, row.sameAs])),
  );
  for (const address of inCircles)
    wrong(
      confirmed.get(address)?.line ?? 0,
      'same as',
      `${address} becomes itself in a circle, so no address comes first.`,
    );
  return complaints.length > 0
    ? { complaints }
    : { people: new People(file, [...confirmed.values()], firsts, unconfirmed) };
}

/** Where each chain ends, and what is in a circle. Every step is taken once. */
function endsOf(next: ReadonlyMap<string, string>): {
  readonly firsts: ReadonlyMap<string, string>;
  readonly inCircles: readonly string[];
} {
  const firsts = new Map<string, string>();
  const inCircles: string[] = [];
  const endless = new Set<string>();
  for (const start of next.keys()) {
    const path = new Set<string>();
    let at = start;
    for (let to = next.get(at); to !== undefined; to = next.get(at)) {
      if (firsts.has(at) || endless.has(at) || path.has(at)) break;
      path.add(at);
      at = to;
    }
    if (path.has(at)) for (const each of [...path].slice([...path].indexOf(at))) inCircles.push(each);
    const isEndless = path.has(at) || endless.has(at);
    const first = firsts.get(at) ?? at;
    for (const each of path)
      if (isEndless) endless.add(each);
      else firsts.set(each, first);
  }
  return { firsts, inCircles };
}
