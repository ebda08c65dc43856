/** An html body as text of the same length, so that places hold, with what is code in it and what is a link or a quoted mail. Pure. */
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
const QUIET: ReadonlySet<string> = new Set(['a', 'blockquote', 'button', 'select']);
/** These stand within a line. */
const INLINE: ReadonlySet<string> = new Set([
  'a',
  'b',
  'i',
  'u',
  'em',
  'strong',
  'span',
  'font',
  'small',
  'sub',
  'sup',
  'mark',
]);

export function markedHtml(html: string): { text: string; code: Range[]; quiet: Range[] } {
  const code: Range[] = [];
  const quiet: Range[] = [];
  const open = { code: [] as string[], quiet: [] as string[] };
  let begun = { code: 0, quiet: 0 };
  let text = '';
  const upTo = (end: number, shown: boolean, isBreak = false) => {
    const part = html.slice(text.length, Math.max(text.length, end));
    text += shown
      ? part
      : isBreak && part !== ''
        ? `\n${' '.repeat(part.length - 1)}`
        : ' '.repeat(part.length);
  };
  let isBreak = false;
  const change = (name: string, kind: 'code' | 'quiet', at: number, isOpening: boolean) => {
    const stack = open[kind];
    if (isOpening) {
      if (stack.length === 0) begun = { ...begun, [kind]: at };
      stack.push(name);
    } else if (stack.includes(name)) {
      stack.length = stack.lastIndexOf(name);
      if (stack.length === 0) (kind === 'code' ? code : quiet).push({ start: begun[kind], end: at });
    }
  };
  const tag = (start: number, end: number, isOpening: boolean) => {
    const name = html.slice(start, end).toLowerCase();
    isBreak = !INLINE.has(name);
    if (CODE.has(name)) change(name, 'code', start, isOpening);
    if (QUIET.has(name)) change(name, 'quiet', start, isOpening);
  };
  const nothing = () => undefined;
  const tokens = new Tokenizer(
    { decodeEntities: false },
    {
      ontext: (start, end) => {
        upTo(start, false, isBreak);
        isBreak = false;
        upTo(end, true);
      },
      onopentagname: (start, end) => tag(start, end, true),
      onclosetag: (start, end) => tag(start, end, false),
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
  upTo(html.length, false);
  for (const [kind, list] of [
    ['code', code],
    ['quiet', quiet],
  ] as const)
    if (open[kind].length > 0) list.push({ start: begun[kind], end: html.length });
  return { text, code, quiet };
}
