/** Jira's wiki markup, as its CSV exports and server API have it, to markdown. Text without markup stays as it is. */

/** Blocks whose inside is not markup are kept apart while the rest is translated. */
export function wikiToMarkdown(text: string): string {
  const kept: string[] = [];
  const keep = (block: string) => `\u0000${kept.push(block) - 1}\u0000`;
  const clean = text.replaceAll('\u0000', '').replace(/\r\n?/g, '\n');
  const code = replaceBlocks(clean, 'code', (body, options) =>
    keep(`\`\`\`${language(options)}\n${body}\n\`\`\``),
  );
  const apart = replaceBlocks(code, 'noformat', (body) => keep(`\`\`\`\n${body}\n\`\`\``)).replace(
    /\{\{([^{}\n]+)\}\}/g,
    (_, body: string) => keep(`\`${body}\``),
  );
  const quoted = replaceBlocks(apart, 'quote', (body) =>
    body
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n'),
  );
  const lines = quoted.split('\n');
  const translated = lines.map((line, index) => translateLine(line, lines[index - 1])).join('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL marks the blocks kept apart; it was removed from the text
  return translated.replace(/\u0000(\d+)\u0000/g, (_, index: string) => kept[Number(index)] ?? '');
}

/** `{name}…{name}`, of which `{code:java}` may begin with options. One that is never closed stays as it is. */
function replaceBlocks(
  text: string,
  name: 'code' | 'noformat' | 'quote',
  translate: (body: string, options: string | undefined) => string,
): string {
  const opening = { code: /\{code(?::([^{}\n]*))?\}/g, noformat: /\{noformat\}/g, quote: /\{quote\}/g }[name];
  const closing = `{${name}}`;
  let translated = '';
  let from = 0;
  for (let open = opening.exec(text); open !== null; open = opening.exec(text)) {
    const end = text.indexOf(closing, opening.lastIndex);
    if (end < 0) break;
    const body = text.slice(opening.lastIndex, end).replace(/^\n/, '').replace(/\n$/, '');
    translated += text.slice(from, open.index) + translate(body, open[1]);
    from = end + closing.length;
    opening.lastIndex = from;
  }
  return translated + text.slice(from);
}

function language(options: string | undefined): string {
  const first = (options ?? '').split('|')[0] ?? '';
  return /^\w+$/.test(first) ? first : '';
}

function translateLine(line: string, before: string | undefined): string {
  const heading = /^\s*h([1-6])\.\s+(.*)$/.exec(line);
  if (heading !== null) return `${'#'.repeat(Number(heading[1]))} ${inline(heading[2] ?? '')}`;
  const quote = /^\s*bq\.\s+(.*)$/.exec(line);
  if (quote !== null) return `> ${inline(quote[1] ?? '')}`;
  if (/^\s*-{4}\s*$/.test(line)) return '---';
  const item = /^\s*([*#-]+)\s+(.*)$/.exec(line);
  if (item !== null && !/^-{2,}$/.test(item[1] ?? '')) {
    const marks = item[1] ?? '';
    const marker = marks.endsWith('#') ? '1.' : '-';
    return `${'   '.repeat(marks.length - 1)}${marker} ${inline(item[2] ?? '')}`;
  }
  const head = /^\s*\|\|(.*)\|\|\s*$/.exec(line);
  if (head !== null) {
    const cells = (head[1] ?? '').split('||').map((cell) => inline(cell.trim()));
    return `| ${cells.join(' | ')} |\n|${cells.map(() => ' --- |').join('')}`;
  }
  if (/^\s*\|.*\|\s*$/.test(line)) {
    const cells = line.trim().slice(1, -1).split('|');
    const row = `| ${cells.map((cell) => inline(cell.trim())).join(' | ')} |`;
    // markdown has no table without a head
    return before !== undefined && /^\s*\|/.test(before)
      ? row
      : `|${' |'.repeat(cells.length)}\n|${' --- |'.repeat(cells.length)}\n${row}`;
  }
  return inline(line);
}

function inline(text: string): string {
  return text
    .replace(/\[~(?:accountid:)?([^[\]\s]+)\]/g, '@$1')
    .replace(/\[([^[\]|\n]+)\|([^[\]|\s]+)(?:\|[^[\]]*)?\]/g, '[$1]($2)')
    .replace(/\[((?:https?|mailto):[^[\]|\s]+)\]/g, '<$1>')
    .replace(/!([^!|\s]+\.\w{2,5})(?:\|[^!\n]*)?!/g, '[$1]')
    .replace(/\{color(?::[^{}\n]*)?\}/g, '')
    .replace(/(^|[\s(])\*(?=\S)([^*\n]*\S)\*(?=$|[\s.,;:!?)])/g, '$1**$2**')
    .replace(/(^|[\s(])_(?=\S)([^_\n]*\S)_(?=$|[\s.,;:!?)])/g, '$1*$2*')
    .replace(/(^|[\s(])\?\?(?=\S)([^?\n]*\S)\?\?(?=$|[\s.,;:!?)])/g, '$1*$2*')
    .replace(/(^|[\s(])-(?=\S)([^-\n]*\S)-(?=$|[\s.,;:!?)])/g, '$1~~$2~~')
    .replace(/(^|[\s(])\+(?=\S)([^+\n]*\S)\+(?=$|[\s.,;:!?)])/g, '$1$2');
}
