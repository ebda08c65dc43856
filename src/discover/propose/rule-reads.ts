/** Which columns the rules of a proposal read, by where these stand: rows of a table, or items of a list. */
import type { Layout } from '../../mapping/language/layout.ts';
import { itemPath, listOfPath } from '../table-profile.ts';
import { type ProposalDraft, ROOT } from './proposal-draft.ts';

export type Rules = Pick<Layout, 'messages' | 'events'> & { readonly ticket: object };

export class Reads {
  readonly #paths = new Map<string, Set<string>>();
  readonly #names = new Map<number, string>();

  constructor(draft: ProposalDraft, { ticket, messages }: Rules) {
    for (const [name, index] of draft.tableIndexes) this.#names.set(index, name);
    this.#walk([ticket, messages], ROOT);
    this.#paths.get(ROOT)?.add(draft.ticket.key.column.path);
  }

  has(scope: string, path: string): boolean {
    return this.#paths.get(scope)?.has(path) === true;
  }

  hasList(list: string): boolean {
    return (
      this.#paths.has(`[]${list}`) ||
      this.has(ROOT, list) ||
      [...(this.#paths.get(ROOT) ?? [])].some((path) => listOfPath(path) === list)
    );
  }

  hasTable(index: number): boolean {
    return this.#names.has(index);
  }

  nameOf(index: number): string | undefined {
    return this.#names.get(index);
  }

  #walk(value: unknown, scope: string): void {
    for (const [place, path] of placed(value, scope)) {
      const known = this.#paths.get(place) ?? new Set();
      this.#paths.set(place, known);
      known.add(path);
      const list = listOfPath(path);
      if (list !== undefined) known.add(itemPath(path)).add(list);
    }
  }
}

/** The columns that a field is read from as they are, or as the first row has them, those of a person too. */
export function plainColumns(rule: unknown): unknown[] {
  if (typeof rule !== 'object' || rule === null) return [rule];
  if ('column' in rule) return [rule.column];
  if ('get' in rule) return 'take' in rule && rule.take === 'first' ? plainColumns(rule.get) : [];
  const { id, email, name } = rule as Readonly<Record<string, unknown>>;
  return [id, email, name].flatMap((each) => (each === undefined ? [] : plainColumns(each)));
}

export function isLastOfFile(rule: unknown): boolean {
  return (
    typeof rule === 'object' &&
    rule !== null &&
    'take' in rule &&
    !('order' in rule) &&
    'rows' in rule &&
    rule.take === 'last'
  );
}

/** Every text of a rule with the scope that it stands in: names of columns are among them. */
function* placed(value: unknown, scope: string): Generator<readonly [scope: string, text: string]> {
  if (typeof value === 'string') {
    yield [scope, value];
    for (const [, name = ''] of value.matchAll(/\{([^{}]+)\}/g)) yield [scope, name];
  } else if (Array.isArray(value)) for (const part of value) yield* placed(part, scope);
  else if (typeof value === 'object' && value !== null) {
    const { each, rows, from } = value as { each?: unknown; rows?: unknown; from?: unknown };
    const table = typeof rows === 'string' ? rows : typeof from === 'string' ? from : undefined;
    const inner = typeof each === 'string' ? `[]${each}` : (table ?? scope);
    if (typeof each === 'string') yield [scope, each];
    for (const [key, part] of Object.entries(value))
      if (!['each', 'rows', 'from', 'const', 'map', 'person'].includes(key)) yield* placed(part, inner);
  }
}

export function stringsIn(rule: unknown): ReadonlySet<string> {
  return new Set([...placed(rule, '')].map(([, text]) => text));
}
