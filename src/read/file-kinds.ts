/** Files that hold no records: told by their names in a folder, and by their first bytes anywhere. */

/** Left out without a word: made by desktops and by this program. */
const SILENT = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\.helpdesk-import-rejects|helpdesk-import\..*)$/i;
const NO_DATA = /^(readme|licen[cs]e|copying|notice|changelog|provenance)\b/i;
const NO_DATA_ENDINGS =
  /\.(md|rst|pdf|docx?|xlsx?|ods|odt|pptx?|html?|xml|xsd|ya?ml|toml|ini|sql|sqlite3?(-wal|-shm)?|db|parquet|avro|png|jpe?g|gif|webp|svg|bmp|ico|tiff?|mp[34]|mov|wav|m4a|webm|eml|msg|ics|vcf|js|mjs|ts|py|rb|sh|css|exe|dll|so|tar|tgz|7z|rar|bz2|xz|lock|tmp|bak|swp)$/i;

/** Of the files in a folder: read it, leave it out silently, or say why it is left out. */
export function kindByName(name: string): 'read' | 'silent' | { ignored: string } {
  if (SILENT.test(name)) return 'silent';
  if (name.startsWith('.')) return { ignored: 'it is a hidden file' };
  if (NO_DATA.test(name) || NO_DATA_ENDINGS.test(name))
    return { ignored: 'its name is not one of a data file' };
  return 'read';
}

const BINARY: readonly (readonly [string, readonly (readonly number[])[]])[] = [
  ['a PDF document', [[0x25, 0x50, 0x44, 0x46]]],
  [
    'a picture',
    [
      [0x89, 0x50, 0x4e, 0x47],
      [0xff, 0xd8, 0xff],
      [0x47, 0x49, 0x46, 0x38],
    ],
  ],
  ['an old Excel or Word file', [[0xd0, 0xcf, 0x11, 0xe0]]],
  ['a SQLite database', [[...Buffer.from('SQLite format 3')]]],
  ['a Parquet file', [[0x50, 0x41, 0x52, 0x31]]],
  ['a bzip2 archive', [[0x42, 0x5a, 0x68, 0x39]]],
  ['an xz archive', [[0xfd, 0x37, 0x7a, 0x58, 0x5a]]],
  ['a 7z archive', [[0x37, 0x7a, 0xbc, 0xaf]]],
  ['a rar archive', [[0x52, 0x61, 0x72, 0x21]]],
  ['a program', [[0x7f, 0x45, 0x4c, 0x46]]],
];

/** What a file is that cannot hold records, as a noun phrase; undefined for text. `head`: after unpacking. */
export function kindByBytes(head: Buffer): string | undefined {
  for (const [kind, magics] of BINARY) {
    if (magics.some((magic) => magic.every((byte, index) => head[index] === byte))) return kind;
  }
  return undefined;
}

/** The same for text, once it is UTF-8. */
export function kindByText(head: Buffer): string | undefined {
  const text = head.subarray(0, 512).toString('utf8').trimStart().toLowerCase();
  if (/^<(\?xml|!doctype|html|rss|feed|[a-z][\w:-]*[\s>/])/.test(text)) return 'XML or HTML';
  let control = 0;
  const sample = head.subarray(0, 8192);
  for (const byte of sample) if (byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) control++;
  return control > 16 && control > 0.1 * sample.length ? 'binary data' : undefined;
}
