/** Atlassian Document Format, the nested JSON of Jira Cloud's bodies, to markdown. Unknown nodes give their text. */

interface Node {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly content?: unknown;
  readonly attrs?: unknown;
  readonly marks?: unknown;
}

/** Deeper nesting is cut. */
const DEEPEST = 50;

export function isAdf(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, 'content') &&
    (value as Node).type === 'doc'
  );
}

export function adfToMarkdown(document: unknown): string {
  return blocks(children(document), 0).trim();
}

function children(node: unknown): Node[] {
  const content = typeof node === 'object' && node !== null ? (node as Node).content : undefined;
  return Array.isArray(content) ? content.filter((child) => typeof child === 'object' && child !== null) : [];
}

function attr(node: Node, name: string): string {
  const { attrs } = node;
  if (typeof attrs !== 'object' || attrs === null || !Object.hasOwn(attrs, name)) return '';
  const value = (attrs as Record<string, unknown>)[name];
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
  switch (node.type) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, Number(attr(node, 'level')) || 1)))} ${inline(children(node), depth)}`;
    case 'bulletList':
      return list(node, depth, () => '- ');
    case 'orderedList':
      return list(node, depth, (index) => `${(Number(attr(node, 'order')) || 1) + index}. `);
    case 'taskList':
      return children(node)
        .map((item) => `- [${attr(item, 'state') === 'DONE' ? 'x' : ' '}] ${inline(children(item), depth)}`)
        .join('\n');
    case 'codeBlock':
      return `\`\`\`${attr(node, 'language')}\n${inline(children(node), depth)}\n\`\`\``;
    case 'blockquote':
    case 'panel':
      return prefix(blocks(children(node), depth + 1), '> ', '> ');
    case 'rule':
      return '---';
    case 'table':
      return table(node, depth);
    case 'mediaSingle':
    case 'mediaGroup':
      return children(node)
        .map((media) => `[${attr(media, 'alt') || attr(media, 'url') || 'attachment'}]`)
        .join(' ');
    case 'paragraph':
      return inline(children(node), depth);
    default: {
      const nested = children(node);
      return nested.length === 0 || nested.some((child) => child.type === 'text')
        ? inline(nested.length === 0 ? [node] : nested, depth)
        : blocks(nested, depth + 1);
    }
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

function table(node: Node, depth: number): string {
  const rows = children(node).map((row) =>
    children(row).map((cell) =>
      blocks(children(cell), depth + 1)
        .replace(/\n+/g, ' ')
        .replace(/\|/g, '\\|'),
    ),
  );
  const [head, ...body] = rows;
  if (head === undefined) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function inline(nodes: readonly Node[], depth: number): string {
  if (depth > DEEPEST) return '';
  return nodes.map((node) => inlineNode(node, depth)).join('');
}

function inlineNode(node: Node, depth: number): string {
  switch (node.type) {
    case 'text':
      return marked(typeof node.text === 'string' ? node.text : '', node.marks);
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

function marked(text: string, marks: unknown): string {
  if (!Array.isArray(marks)) return text;
  let result = text;
  for (const mark of marks as unknown[]) {
    if (typeof mark !== 'object' || mark === null) continue;
    const { type } = mark as Node;
    if (type === 'strong') result = `**${result}**`;
    else if (type === 'em') result = `*${result}*`;
    else if (type === 'code') result = `\`${result}\``;
    else if (type === 'strike') result = `~~${result}~~`;
    else if (type === 'link') result = `[${result}](${attr(mark as Node, 'href')})`;
  }
  return result;
}

function prefix(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : rest) + line)
    .join('\n');
}
