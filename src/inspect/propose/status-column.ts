/** Which column is the ticket's status: `state` is a word for it, and for a part of an address. */
import { conceptScore, ranked, type ScopeColumn } from './concepts.ts';
import { statusOf } from './value-words.ts';

export function statusColumn(columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  return ranked(columns, (column) => conceptScore('status', column) * evidence(column), 0.4)[0];
}

/** 1 where some value is a known status; less where none is, and little where it stands within something else. */
function evidence({ path, profile }: ScopeColumn): number {
  const values = profile.values ?? [];
  if (values.some(({ value }) => statusOf(value) !== undefined)) return 1;
  return path.includes('.') ? 0.3 : 0.55;
}
