/** Merges addresses of one person, as a file says. Pure. */

import { shorten, withoutInvisible } from '../domain/printable.ts';

export interface PeopleRow {
  readonly line: number;
  readonly address: string;
  readonly sameAs: string;
}

interface OnePerson {
  readonly first: string;
  readonly others: readonly string[];
}

export class People {
  readonly file: string;
  readonly #lines = new Map<string, number>();
  readonly #persons = new Map<string, OnePerson>();

  /** `firsts`: the end of the chain from an address. */
  constructor(file: string, rows: ReadonlyMap<string, PeopleRow>, firsts: ReadonlyMap<string, string>) {
    this.file = file;
    const others = Map.groupBy(rows.keys(), (address) => firsts.get(address) ?? address);
    for (const [first, all] of others)
      for (const address of [first, ...all]) this.#persons.set(address, { first, others: all });
    for (const { address, line } of rows.values()) this.#lines.set(address, line);
  }

  pairs(): (readonly [address: string, first: string])[] {
    return [...this.#lines.keys()].sort().map((address) => [address, this.of(address)?.first ?? address]);
  }

  /** Undefined for an unlisted address. `address`: normalized. */
  of(address: string): OnePerson | undefined {
    return this.#persons.get(address);
  }

  lineOf(address: string): number | undefined {
    return this.#lines.get(address);
  }
}

/** Or every complaint, each with its line. */
export function peopleOf(
  file: string,
  rows: readonly PeopleRow[],
): { readonly people: People } | { readonly complaints: readonly string[] } {
  const complaints: string[] = [];
  const byAddress = new Map<string, PeopleRow>();
  for (const { line, ...row } of rows) {
    const [address, sameAs] = [normalizeEmail(row.address), normalizeEmail(row.sameAs)];
    const bad = [address, sameAs].find((text) => !isEmail(text));
    const known = byAddress.get(address);
    if (bad !== undefined)
      complaints.push(`${file}:${line}: "${shorten(bad, 60)}" is not an e-mail address.`);
    else if (known !== undefined && known.sameAs !== sameAs)
      complaints.push(`${file}:${line}: line ${known.line} says that ${address} is ${known.sameAs}.`);
    else byAddress.set(address, { line, address, sameAs });
  }
  const firsts = new Map<string, string>();
  for (const address of byAddress.keys()) {
    const chain = new Set<string>();
    let first = address;
    for (let row = byAddress.get(first); row && !chain.has(first); row = byAddress.get(first)) {
      chain.add(first);
      first = firsts.get(first) ?? row.sameAs;
    }
    if (chain.has(first) && !firsts.has(address))
      complaints.push(`${file}:${byAddress.get(first)?.line}: ${first} becomes itself in a circle.`);
    for (const each of chain) firsts.set(each, first);
  }
  return complaints.length > 0 ? { complaints } : { people: new People(file, byAddress, firsts) };
}

const LONGEST = 254;

/** Trimmed, in lower case, as the service compares it (2.5), without invisible characters. */
export function normalizeEmail(text: string): string {
  return withoutInvisible(text).trim().toLowerCase();
}

export function isEmail(text: string): boolean {
  const address = normalizeEmail(text);
  return address.length <= LONGEST && ADDRESS.test(address);
}

/**
 * One `@`, no white space or control characters, and a host with a dot. Stricter than the standards (no quoted local parts,
 * comments, literals), but all that people use.
 */
const ADDRESS =
  /^[^\s@,;:<>()[\]"\\\p{Cc}]{1,64}@(?=.{1,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{M}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])$/u;
