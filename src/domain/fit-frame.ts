/** A line of the export, cut to a width so that what is marked on it can be seen. */
import { printable, shorten, shortenStart, textWidth } from './printable.ts';
import type { SourceFrame } from './source-frame.ts';

/** Three stretches of a line, harmless on a terminal, with ellipses where something was cut. */
export interface FittedLine {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

/** `width`: columns for all of it. What is marked goes first, up to two thirds; what stands around it shares the rest. */
export function fitFrame(frame: SourceFrame, width: number, ellipsis = '…'): FittedLine {
  const before = (frame.cutBefore ? ellipsis : '') + printable(frame.before);
  const marked = printable(frame.marked);
  const after = printable(frame.after) + (frame.cutAfter ? ellipsis : '');
  const wide = { before: textWidth(before), marked: Math.max(1, textWidth(marked)), after: textWidth(after) };
  if (wide.before + wide.marked + wide.after <= width) return { before, marked, after };
  const third = Math.floor(width / 3);
  const spare = Math.max(third, width - wide.marked);
  const behind = Math.min(wide.after, Math.floor(spare / 2));
  const shownMarked = Math.min(wide.marked, width - behind - Math.min(wide.before, third));
  const shownBefore = Math.min(wide.before, width - behind - shownMarked);
  return {
    before: shortenStart(before, shownBefore, ellipsis),
    marked: shorten(marked, shownMarked, ellipsis),
    after: shorten(after, width - shownMarked - shownBefore, ellipsis),
  };
}

/** `tickets.csv:12:25`; without the column where it is not known. */
export function framePlace({ file, line, column }: Pick<SourceFrame, 'file' | 'line' | 'column'>): string {
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}
