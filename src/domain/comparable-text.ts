/** Texts for comparison, without markup, white space and capitals. */

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&nbsp;': ' ',
  }),
);

/** Only for comparing. */
export function comparableText(text: string): string {
  const plain = text.includes('<') ? text.replace(/<[^<>]*>/g, ' ') : text;
  const read = plain.includes('&')
    ? plain.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES.get(entity) ?? entity)
    : plain;
  const unquoted = read.startsWith('> ') ? read.replace(/^> ?/gm, '') : read;
  return unquoted.replace(/\\[nrt]|[\s\u00a0…]+|\.{3}/g, '').toLowerCase();
}
