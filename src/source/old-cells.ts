/** Cells of an export, as a person reads them. */
/** A cell of the export: its column, and its text as it is there. */
export interface OldCell {
  readonly column: string;
  readonly text: string;
}

/** Each once, without texts that say again what a rule reads. */
export function unreadCells(
  cellsAt: ReadonlyMap<string, ReadonlyMap<string, string>>,
  read: ReadonlySet<string>,
  note: string,
): OldCell[] {
  const all = [...cellsAt].flatMap(([place, cells]) =>
    [...cells].map(([column, text]) => ({ column, text, isRead: read.has(`${place} ${topOf(column)}`) })),
  );
  const said = new Set(all.filter(({ isRead }) => isRead).map(({ text }) => wordsOf(text)));
  const unread = all.filter(
    ({ column, text, isRead }) => !isRead && !said.has(wordsOf(text)) && !note.includes(column),
  );
  return [
    ...new Map(
      unread.map(({ column, text }) => [`${column} ${text}`, { column, text: plainly(text) }]),
    ).values(),
  ];
}

function wordsOf(text: string): string {
  return text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** A list of words as a person would write it. */
export function plainly(text: string): string {
  if (!/^\s*\[[^{]*\]\s*$/.test(text)) return text;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.join(', ') : text;
  } catch {
    return text;
  }
}

export function topOf(column: string): string {
  return /^[^.[]+/.exec(column)?.[0] ?? column;
}

export function textOfValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return Object.values(value)
    .filter((part) => typeof part !== 'object')
    .join(', ');
}
