/**
 * Markup that is safe by construction: whatever a template takes in is escaped, unless it is markup itself. The report
 * holds texts of an export, of strangers, in every corner; there is one place that makes them harmless, and it is this.
 */

/** Text that is markup already. Made by `html`, and by `trusted` for what is known to be harmless. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: nothing for undefined, null and false; lists one part behind the other. */
export type Part = Markup | string | number | undefined | null | false | readonly Part[];

export const NOTHING = new Markup('');

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) text += textOf(part) + (strings[index + 1] ?? '');
  return new Markup(text);
}

/** Only for texts of this program and for what a sanitizer has let through. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function textOf(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return part.map(textOf).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that no document may hold, and those that mean something to a terminal: line feed and tab may stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** For text and for values of attributes in quotes. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(CONTROL, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** At most so many characters, an ellipsis behind what was cut; never within a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}

/** The longest text from outside that stands in a line or a cell. */
const LONGEST_VALUE = 300;

/** A short text from outside: cut, and kept from turning the writing direction of what stands around it. */
export function value(text: string, most = LONGEST_VALUE): Markup {
  return html`<bdi>${cut(text, most)}</bdi>`;
}
