/** Names of columns, files and lists as words: `requesterId`, `Requester-ID` and `requester_id` are the same. */

/** `vorgangsnummer`, `kundenname`, `username`: the last part says what kind of value it is. */
const COMPOUND = /(\p{L}{4,}?)s?(nummer|datum|name|text)\b/gu;

/** Small letters without accents, one word for each part of the name. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/\bn\.?\s?[º°]/g, 'numero')
    .replace(COMPOUND, '$1 $2')
    .replace(
      /\b(ticket|case|issue|user|customer|client|agent|message|conversation|thread|dialog|chat|contact|request|incident)(id|nr)\b/g,
      '$1 $2',
    )
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * The parts of a path into JSON, outermost first. A header with blanks in it, or with a dot at its end, is one name:
 * `Ticket No.`, `N.º de caso`.
 */
export function pathParts(path: string): string[] {
  return /\s|^\.|\.$/.test(path) ? [path] : path.split('.');
}

/** `users` → `user`, `categories` → `category`; of words that are no plural the word itself. */
export function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ses|xes|ches|shes)$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** Words of file names that say nothing about what is in the file. */
const NOISE: ReadonlySet<string> = new Set(
  `data export dump table all list api sample dev csv json support en de es fr pt example full result item record db v1 v2 v3 page
   fivetran airbyte`.split(/\s+/),
);

/** The telling words of a file's own name, without folders and endings; of a list, those of its last part. */
export function tableWords(table: {
  readonly file: string;
  readonly collection: { readonly path: readonly string[] | undefined; readonly stream: string | undefined };
}): string[] {
  const { path, stream } = table.collection;
  const base = table.file.replace(/^.*[\\/!]/, '').replace(/(?:\.[A-Za-z]{2,6}){1,2}$/, '');
  const name = stream ?? (path === undefined || path.length === 0 ? base : (path.at(-1) ?? base));
  const telling = (text: string) =>
    wordsOf(text)
      .map(singular)
      .filter((word) => !NOISE.has(word) && !/^\d+$/.test(word));
  const words = telling(name);
  // a list called `data` or `results` is what its file is called
  return words.length === 0 && stream === undefined ? telling(base) : words;
}
