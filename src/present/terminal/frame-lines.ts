/** A line of the export beneath a problem, as compilers show it. */
import { fitFrame } from '../../domain/frame.ts';
import { textWidth } from '../../domain/printable.ts';
import type { SourceFrame } from '../../domain/source.ts';
import type { Style } from './style.ts';
import { widestText } from './text-block.ts';

/**
 * Two lines:
 *
 *     12 | in a cell of two lines",mira.holt(at)example.com,,,
 *        |                         ^^^^^^^^^^^^^^^^^^^^^^^^
 */
export function frameLines(
  frame: SourceFrame,
  style: Style,
  indent: number,
  paint: (text: string) => string,
): string[] {
  const number = String(frame.line).padStart(4);
  const margin = ' '.repeat(indent);
  const width = widestText(style) - indent - number.length - 3;
  const { before, marked, after } = fitFrame(frame, width, style.symbols.ellipsis);
  const carets = '^'.repeat(Math.max(1, textWidth(marked)));
  return [
    `${margin}${style.dim(`${number} |`)} ${before}${marked}${after}`,
    `${margin}${style.dim(`${' '.repeat(number.length)} |`)} ${' '.repeat(textWidth(before))}${paint(carets)}`,
  ];
}
