/**
 * Jira's rich text to Markdown: Atlassian Document Format (JSON, Cloud) and wiki markup (CSV, server API). Unknown nodes give
 * their text.
 */
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import { parseStructure } from './values.ts';

export function jiraToMarkdown(value: unknown): unknown {
  if (isDocument(value)) return documentToMarkdown(value);
  if (typeof value !== 'string') return value;
  const document = /^\s*\{\s*"(?:type|version|content)"/.test(value) ? parseStructure(value) : undefined;
  return isDocument(document) ? documentToMarkdown(document) : wikiToMarkdown(value);
}

type Node = Readonly<Record<string, unknown>>;

const DEEPEST = 50;

function isDocument(value: unknown): value is Node {
  return isJsonObject(value) && Object.hasOwn(value, 'content') && value['type'] === 'doc';
}

export function documentToMarkdown(document: Node): string {
  return blocks(children(document), 0).trim();
}

/** In a document that a CSV spreads over columns, the content is text. */
function children({ content }: Node): Node[] {
  const nodes = typeof content === 'string' ? parseStructure(content) : content;
  return Array.isArray(nodes) ? nodes.filter((child) => typeof child === 'object' && child !== null) : [];
}

function attr({ attrs }: Node, name: string): string {
  const value = isJsonObject(attrs) && Object.hasOwn(attrs, name) ? attrs[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function blocks(nodes: readonly Node[], depth: number): string {
  if (depth > DEEPEST) return '';
  return nodes
    .map((node) => block(node, depth))
    .filter((text) => text !== '')
    .join('\n\n');
}

function block(node: Node, depth: number): string {
  const inner = children(node);
  switch (node['type']) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, Number(attr(node, 'level')) || 1)))} ${inline(inner, depth)}`;
    case 'bulletList':
      return list(node, depth, () => '- ');
    case 'orderedList':
      return list(node, depth, (index) => `${(Number(attr(node, 'order')) || 1) + index}. `);
    case 'taskList':
      return inner
        .map((item) => `- [${attr(item, 'state') === 'DONE' ? 'x' : ' '}] ${inline(children(item), depth)}`)
        .join('\n');
    case 'codeBlock':
      return `\`\`\`${attr(node, 'language')}\n${inline(inner, depth)}\n\`\`\``;
    case 'blockquote':
    case 'panel':
      return prefix(blocks(inner, depth + 1), '> ', '> ');
    case 'rule':
      return '---';
    case 'table':
      return table(inner, depth);
    case 'mediaSingle':
    case 'mediaGroup':
      return inner.map((media) => `[${attr(media, 'alt') || attr(media, 'url') || 'attachment'}]`).join(' ');
    case 'paragraph':
      return inline(inner, depth);
    default:
      if (inner.length === 0) return inline([node], depth);
      return inner.some((child) => child['type'] === 'text')
        ? inline(inner, depth)
        : blocks(inner, depth + 1);
  }
}

function list(node: Node, depth: number, marker: (index: number) => string): string {
  return children(node)
    .map((item, index) => {
      const mark = marker(index);
      const text = children(item)
        .map((child) => block(child, depth + 1))
        .join('\n');
      return prefix(text, mark, ' '.repeat(mark.length));
    })
    .join('\n');
}

function table(rows: readonly Node[], depth: number): string {
  const [head, ...body] = rows.map((row) =>
    children(row).map((cell) =>
      blocks(children(cell), depth + 1)
        .replace(/\n+/g, ' ')
        .replace(/\|/g, '\\|'),
    ),
  );
  if (head === undefined) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function inline(nodes: readonly Node[], depth: number): string {
  if (depth > DEEPEST) return '';
  return nodes.map((node) => inlineNode(node, depth)).join('');
}

function inlineNode(node: Node, depth: number): string {
  switch (node['type']) {
    case 'text':
      return marked(typeof node['text'] === 'string' ? node['text'] : '', node['marks']);
    case 'hardBreak':
      return '\n';
    case 'mention':
    case 'emoji':
      return attr(node, 'text') || attr(node, 'shortName') || attr(node, 'id');
    case 'inlineCard':
      return attr(node, 'url');
    case 'date': {
      const at = Number(attr(node, 'timestamp'));
      return Number.isFinite(at) && Math.abs(at) < 8e15 ? new Date(at).toISOString().slice(0, 10) : '';
    }
    case 'status':
      return attr(node, 'text');
    default:
      return inline(children(node), depth + 1);
  }
}

const MARKS: Readonly<Record<string, string>> = { strong: '**', em: '*', code: '`', strike: '~~' };

function marked(text: string, marks: unknown): string {
  return (Array.isArray(marks) ? marks : []).filter(isJsonObject).reduce<string>((result, mark) => {
    const type = textOf(mark['type']);
    if (type === 'link') return `[${result}](${attr(mark, 'href')})`;
    const sign = Object.hasOwn(MARKS, type) ? MARKS[type] : '';
    return `${sign}${result}${sign}`;
  }, text);
}

function prefix(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : rest) + line)
    .join('\n');
}

/** Code blocks are set aside during the translation. */
export function wikiToMarkdown(text: string): string {
  const kept: string[] = [];
  const keep = (block: string) => `\u0000${kept.push(block) - 1}\u0000`;
  const clean = text.replaceAll('\u0000', '').replace(/\r\n?/g, '\n');
  const code = replaceBlocks(clean, 'code', (body, options) =>
    keep(`\`\`\`${languageOf(options)}\n${body}\n\`\`\``),
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

/** `{code:java}` may begin with options. An unclosed block stays unchanged. */
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

function languageOf(options: string | undefined): string {
  const first = (options ?? '').split('|')[0] ?? '';
  return /^\w+$/.test(first) ? first : '';
}

function translateLine(line: string, before: string | undefined): string {
  const heading = /^\s*h([1-6])\.\s+(.*)$/.exec(line);
  if (heading !== null) return `${'#'.repeat(Number(heading[1]))} ${inlineWiki(heading[2] ?? '')}`;
  const quote = /^\s*bq\.\s+(.*)$/.exec(line);
  if (quote !== null) return `> ${inlineWiki(quote[1] ?? '')}`;
  if (/^\s*-{4}\s*$/.test(line)) return '---';
  const item = /^\s*([*#-]+)\s+(.*)$/.exec(line);
  if (item !== null && !/^-{2,}$/.test(item[1] ?? '')) {
    const marks = item[1] ?? '';
    const marker = marks.endsWith('#') ? '1.' : '-';
    return `${'   '.repeat(marks.length - 1)}${marker} ${inlineWiki(item[2] ?? '')}`;
  }
  const head = /^\s*\|\|(.*)\|\|\s*$/.exec(line);
  if (head !== null) {
    const cells = (head[1] ?? '').split('||').map((cell) => inlineWiki(cell.trim()));
    return `| ${cells.join(' | ')} |\n|${cells.map(() => ' --- |').join('')}`;
  }
  if (/^\s*\|.*\|\s*$/.test(line)) {
    const cells = line.trim().slice(1, -1).split('|');
    const row = `| ${cells.map((cell) => inlineWiki(cell.trim())).join(' | ')} |`;
    // Markdown has no table without a head.
    return before !== undefined && /^\s*\|/.test(before)
      ? row
      : `|${' |'.repeat(cells.length)}\n|${' --- |'.repeat(cells.length)}\n${row}`;
  }
  return inlineWiki(line);
}

function inlineWiki(text: string): string {
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
