/** Records that the source itself has taken back: deleted, spam, drafts. They are no part of the history. */
import type { Condition } from '../../mapping/language/expression.ts';
import { isTimeColumn } from '../column-profile.ts';
import { wordsOf } from '../concept-words.ts';
import { nameOf, type ScopeColumn } from './concepts.ts';
import { yesOrNo } from './propose-values.ts';

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    deleted: 'deleted',
    delete: 'deleted',
    removed: 'deleted',
    trashed: 'deleted',
    spam: 'spam',
    junk: 'spam',
    draft: 'a draft',
    geloscht: 'deleted',
    eliminado: 'deleted',
    supprime: 'deleted',
    excluido: 'deleted',
    papierkorb: 'deleted',
    entwurf: 'a draft',
    borrador: 'a draft',
    brouillon: 'a draft',
    rascunho: 'a draft',
  }),
);
/** Beside the word: `is_deleted`, `deleted_at`, `marked as spam`. */
const BESIDE: ReadonlySet<string> = new Set(
  'is was flag at on date time marked as in ticket message comment conversation'.split(' '),
);

interface Withdrawn {
  readonly column: ScopeColumn;
  readonly what: string;
  readonly holds: Condition;
  readonly holdsNot: Condition;
}

/** By a flag, or by the time at which that happened. */
export function withdrawn(columns: readonly ScopeColumn[]): Withdrawn | undefined {
  for (const column of columns) {
    const { path, profile } = column;
    const words = wordsOf(nameOf(column));
    const what = words.map((word) => WORDS.get(word)).find((said) => said !== undefined);
    if (what === undefined || !words.every((word) => WORDS.has(word) || BESIDE.has(word))) continue;
    if (isTimeColumn(profile)) {
      if (profile.filled < profile.rows)
        return {
          column,
          what,
          holds: { column: path, empty: false },
          holdsNot: { column: path, empty: true },
        };
      continue;
    }
    const values = (profile.values ?? []).map(({ value }) => value);
    const yes = values.filter((value) => yesOrNo(value) === true);
    if (yes.length === 0 || values.some((value) => yesOrNo(value) === undefined)) continue;
    return { column, what, holds: { column: path, in: yes }, holdsNot: { column: path, notIn: yes } };
  }
  return undefined;
}
