/** An HTML body as text of the same length, so that offsets hold, and its code. */
import { Tokenizer } from 'htmlparser2';

export interface Range {
  readonly start: number;
  readonly end: number;
}

const CODE: ReadonlySet<string> = new Set([
  'code',
  'pre',
  'script',
  'style',
  'textarea',
  'kbd',
  'samp',
  'title',
]);

/** In `text` white space replaces tags. */
export function markedHtml(html: string): { readonly text: string; readonly code: readonly Range[] } {
  const code: Range[] = [];
  const open: string[] = [];
  let begun = 0;
  let text = '';
  const blankUpTo = (end: number) => {
    text += ' '.repeat(Math.max(0, end - text.length));
  };
  const nameIn = (start: number, end: number) => html.slice(start, end).toLowerCase();
  const nothing = () => undefined;
  const tokens = new Tokenizer(
    { decodeEntities: false },
    {
      ontext: (start, end) => {
        blankUpTo(start);
        text += html.slice(text.length, end);
      },
      onopentagname: (start, end) => {
        const name = nameIn(start, end);
        if (!CODE.has(name)) return;
        if (open.length === 0) begun = start;
        open.push(name);
      },
      onclosetag: (start, end) => {
        const at = open.lastIndexOf(nameIn(start, end));
        if (at < 0) return;
        open.length = at;
        if (at === 0) code.push({ start: begun, end: start });
      },
      onattribname: nothing,
      onattribdata: nothing,
      onattribend: nothing,
      onopentagend: nothing,
      onselfclosingtag: nothing,
      onattribentity: nothing,
      ontextentity: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  tokens.write(html);
  tokens.end();
  blankUpTo(html.length);
  if (open.length > 0) code.push({ start: begun, end: html.length });
  return { text, code };
}
