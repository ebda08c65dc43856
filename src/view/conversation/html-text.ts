/** What a person reads of an html body, as text: for comparing, for a line in a list, for paper. It is no sanitizer. Pure. */
import { Parser } from 'htmlparser2';

/** Elements whose contents are not text. */
const UNREAD = new Set(['script', 'style', 'head', 'title', 'template']);

/** The words between the tags. `gap` replaces each tag. */
export function htmlText(html: string, gap = ''): string {
  const parts: string[] = [];
  readHtml(html, {
    opened: () => parts.push(gap),
    closed: () => parts.push(gap),
    text: (text) => parts.push(text),
  });
  return parts.join('');
}

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl pre table blockquote'.split(' '));
const LINES = new Set('br hr div li dt dd tr caption'.split(' '));

/** The same in lines and paragraphs, list items with their bullet or number, cells apart. */
export function htmlLines(html: string): string {
  const parts: string[] = [];
  /** Of the lists around: the last number, or undefined for one with bullets. */
  const lists: (number | undefined)[] = [];
  readHtml(html, {
    opened: (name, { start }) => {
      if (name === 'ul') lists.push(undefined);
      else if (name === 'ol') lists.push(/^\d{1,6}$/.test(start ?? '') ? Number(start) - 1 : 0);
      else if (name === 'li') {
        const last = lists.pop();
        const count = last === undefined ? undefined : last + 1;
        lists.push(count);
        parts.push(count === undefined ? '• ' : `${count}. `);
      }
    },
    closed: (name) => {
      if (name === 'ul' || name === 'ol') lists.pop();
      if (BLOCKS.has(name)) parts.push('\n\n');
      else if (LINES.has(name)) parts.push('\n');
      else if (name === 'td' || name === 'th') parts.push('  ');
    },
    text: (text) => parts.push(text.replace(/\s+/g, ' ')),
  });
  return parts
    .join('')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

interface HtmlReader {
  opened(name: string, attributes: Readonly<Record<string, string>>): void;
  closed(name: string): void;
  text(text: string): void;
}

function readHtml(html: string, reader: HtmlReader): void {
  let unread = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      reader.opened(name, attributes);
      if (UNREAD.has(name)) unread++;
    },
    onclosetag: (name) => {
      if (UNREAD.has(name)) unread--;
      reader.closed(name);
    },
    ontext: (text) => {
      if (unread === 0) reader.text(text);
    },
  });
  parser.end(html);
}
