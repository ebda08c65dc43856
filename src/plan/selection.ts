import { stop } from '../domain/text/stops.ts';

/** Milliseconds since 1970, `until` exclusive. */
export interface SelectionRules {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly only?: readonly string[] | undefined;
  /** After the other rules. */
  readonly limit?: number | undefined;
}

export interface SelectableTicket {
  readonly externalId?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly excluded?: string | undefined;
}

export interface Selection {
  /**
   * Undefined if selected. Call once for every record in order, also for unreadable ones, which count for `--limit`. A ticket
   * without a time is selected, so that its rejection is seen.
   */
  skip(ticket: SelectableTicket): string | undefined;
  /** Call after the last ticket. */
  missing(): string[];
}

export function isSelective({ since, until, only, limit }: SelectionRules): boolean {
  return [since, until, only, limit].some((part) => part !== undefined);
}

export function createSelection(rules: SelectionRules): Selection {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, limit } = rules;
  const only = rules.only === undefined ? undefined : new Set(rules.only);
  const missing = new Set(rules.only);
  let taken = 0;
  return {
    skip: (ticket) => {
      const { externalId, createdAt, excluded } = ticket;
      if (externalId !== undefined) missing.delete(externalId);
      if (excluded !== undefined) return excluded;
      if (only !== undefined && (externalId === undefined || !only.has(externalId))) return 'not in --only';
      if (createdAt !== undefined && createdAt < since) return 'created before --since';
      if (createdAt !== undefined && createdAt >= until) return 'created after --until';
      if (limit !== undefined && taken >= limit) return 'beyond --limit';
      taken++;
      return undefined;
    },
    missing: () => [...missing],
  };
}

/** A selection without a ticket is a typing mistake. */
export function requireMatch(rules: SelectionRules, read: number, selected: number): void {
  if (!isSelective(rules) || read === 0 || selected > 0) return;
  throw stop('none-selected', { read });
}
