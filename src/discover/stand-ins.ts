/**
 * Words that an export writes where nothing is known, `not given`: told from what else stands in their columns. Among times,
 * numbers or addresses one word that is always the same is none of them.
 */
import type { ColumnProfile } from './column-profile.ts';
import { priorityOf, roleOfWord, statusOf, yesOrNo } from './propose/propose-values.ts';
import type { TableProfile } from './table-profile.ts';
import type { ValueKind } from './value-kind.ts';

/** What no word is one of. */
const STRICT: ReadonlySet<ValueKind> = new Set(['integer', 'number', 'time', 'date', 'email', 'url']);
/** So many values of such a kind, and so often the word, before it says anything. */
const LEAST_OTHERS = 3;
const LEAST_TIMES = 2;
/** In so many columns it stands in for values of their kinds; then it does so in columns of words too. */
const SURE = 2;
/** Words that say themselves that nothing is there; the first one of several, `not given`, `keine Angabe`. */
const NOTHING: ReadonlySet<string> = new Set(
  `no not none nothing never unknown unset unspecified unassigned unavailable missing blank absent void
   nicht nichts nie kein keine keiner keines unbekannt fehlt ohne leer sin nunca ningun ningún desconocido vacio vacío
   sem nao não nenhuma desconhecido vazio sans pas jamais aucun inconnu non nessun nessuna mai sconosciuto vuoto
   geen niet nooit onbekend ikke ingen intet aldrig ukendt inte inget okänd ei tuntematon brak nie nieznany neni není žádný`.split(
    /\s+/,
  ),
);
/** A word or a few, in UTF-16 units. */
const LONGEST = 24;

/** `closed_at: open` is an answer, and so is `author_id: system`. */
function saysSomething(word: string): boolean {
  return [statusOf, priorityOf, roleOfWord, yesOrNo].some((meaning) => meaning(word) !== undefined);
}

export function standIns(tables: readonly TableProfile[]): ReadonlySet<string> {
  const columns = tables.flatMap((table) => table.columns);
  const found = new Map<string, Set<ColumnProfile>>();
  for (const column of columns) {
    const { onlyText } = column;
    if (onlyText === undefined || onlyText.count < LEAST_TIMES) continue;
    const word = onlyText.value;
    if (word.length > LONGEST || /\d/.test(word) || saysSomething(word)) continue;
    const strict = column.kinds.filter(({ kind }) => STRICT.has(kind));
    const others = strict.reduce((sum, { count }) => sum + count, 0);
    if (others < LEAST_OTHERS || others + onlyText.count < column.filled) continue;
    found.set(word, (found.get(word) ?? new Set()).add(column));
  }
  const saysNothing = (word: string) => NOTHING.has(word.toLowerCase().split(/[^\p{L}]/u)[0] ?? '');
  const isAnswer = (word: string, strict: ReadonlySet<ColumnProfile>) =>
    columns.some(
      (column) => !strict.has(column) && column.values?.some(({ value }) => value === word) === true,
    );
  return new Set(
    [...found]
      .filter(([word, strict]) => strict.size >= SURE || saysNothing(word) || !isAnswer(word, strict))
      .map(([word]) => word),
  );
}
