/** Texts that stand where nothing is known, as databases and scripts write them. */

const NULL_TEXTS: ReadonlySet<string> = new Set([
  '?',
  'null',
  '(null)',
  '\\n',
  'none',
  'nil',
  'nan',
  'n/a',
  '#n/a',
  'undefined',
  '-',
  '--',
]);
/** Never anything but a database's way to write that nothing is there. */
const CERTAIN: ReadonlySet<string> = new Set(['?', 'null', '(null)', '\\n', 'nan', '#n/a']);

/** The text as it stands, trimmed, when it means that nothing is there. */
export function nullText(text: string): string | undefined {
  if (text.length > 12) return undefined;
  const trimmed = text.trim();
  return NULL_TEXTS.has(trimmed.toLowerCase()) ? trimmed : undefined;
}

/** `None` may be an answer, `NULL` never is. */
export function isCertainNull(text: string): boolean {
  return CERTAIN.has(text.trim().toLowerCase());
}
