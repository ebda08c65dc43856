/** HTML as the text that a person reads. No sanitizer. Pure. */
import { Parser } from 'htmlparser2';

const UNREAD = new Set(['script', 'style', 'head', 'title', 'template']);

interface HtmlReader {
  opened(name: string, attributes: Readonly<Record<string, string>>): string;
  closed(name: string): string;
  text(text: string): string;
}

function readHtml(html: string, reader: HtmlReader): string {
  const parts: string[] = [];
  let unread = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      parts.push(reader.opened(name, attributes));
      if (UNREAD.has(name)) unread++;
    },
    onclosetag: (name) => {
      if (UNREAD.has(name)) unread--;
      parts.push(reader.closed(name));
    },
    ontext: (text) => {
      if (unread === 0) parts.push(reader.text(text));
    },
  });
  parser.end(html);
  return parts.join('');
}

/** `gap` replaces each tag. */
export function htmlText(html: string, gap = ''): string {
  if (!/[<&]/.test(html)) return html;
  return readHtml(html, { opened: () => gap, closed: () => gap, text: (text) => text });
}

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl pre table blockquote'.split(' '));
const LINES = new Set('br hr div li dt dd tr caption'.split(' '));

export function htmlLines(html: string): string {
  const lists: (number | undefined)[] = [];
  const lines = readHtml(html, {
    opened: (name, { start = '' }) => {
      if (name === 'ul') lists.push(undefined);
      else if (name === 'ol') lists.push(/^\d{1,6}$/.test(start) ? Number(start) - 1 : 0);
      if (name !== 'li') return '';
      const last = lists.pop();
      const count = last === undefined ? undefined : last + 1;
      lists.push(count);
      return count === undefined ? '• ' : `${count}. `;
    },
    closed: (name) => {
      if (name === 'ul' || name === 'ol') lists.pop();
      if (BLOCKS.has(name)) return '\n\n';
      if (LINES.has(name)) return '\n';
      return name === 'td' || name === 'th' ? '  ' : '';
    },
    text: (text) => text.replace(/\s+/g, ' '),
  });
  return lines
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
