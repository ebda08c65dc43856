/** What becomes of a text that a person wrote: the value, or one sentence that says what is allowed. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** Turns a text (a flag, a variable, a value of the file) into a value. */
export type Parser<T> = (text: string) => Parsed<T>;

export const good = <T>(value: T): Parsed<T> => ({ value });
export const bad = (problem: string): { readonly problem: string } => ({ problem });

/** Whatever was written, in quotes and short enough for one line. */
export function quoted(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`;
}
