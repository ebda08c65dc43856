import { fitFrame } from '../../domain/frame.ts';
import { formatCount, padText, printable, shorten, textWidth } from '../../domain/printable.ts';
import type { SourceFrame } from '../../domain/source.ts';
import * as b from '../blocks.ts';
import { conversationLines } from './conversation.ts';
import { factLines, oneLine, type Paint, type Style, same, widestText, wrap } from './style.ts';

export function blockLines(blocks: readonly b.Block[], style: Style): string[] {
  const lines: string[] = [];
  let indent = 0;
  let before: b.Block | undefined;
  for (const block of blocks) {
    if (block.only === 'page' || (block.kind === 'facts' && block.facts.length === 0)) continue;
    const drawn = linesOf(block, indent, style);
    if (before !== undefined && needsGap(before, block, indent)) lines.push('');
    if (block.kind === 'heading') indent = 2 * (block.level - 1);
    lines.push(...drawn);
    before = block;
  }
  return lines;
}

function needsGap(before: b.Block, block: b.Block, indent: number): boolean {
  if (block.kind === 'heading') return before.kind !== 'heading' || block.level <= before.level;
  if (before.kind === 'heading') return before.level === 1 && block.kind !== 'paragraph';
  const kinds = [before.kind, block.kind];
  if (kinds.includes('facts') && kinds.includes('table')) return true;
  return block.kind === 'conversation' || (indent === 0 && before.kind !== block.kind);
}

type Draw<B> = (block: B, indent: number, style: Style) => string[];

const DRAW: { readonly [K in b.Block['kind']]: Draw<b.Of<K>> } = {
  heading: headingLines,
  facts: factsBlock,
  table: tableLines,
  list: listLines,
  paragraph: paragraphLines,
  command: commandLines,
  frame: ({ frame, tone }, indent, style) => frameLines(frame, style, indent, paintOf(tone, style)),
  conversation: ({ ticket, below = [] }, _, style) => [
    ...conversationLines(ticket, style),
    ...below.flatMap((one) => linesOf(one, 2, style)),
  ],
};

function linesOf(block: b.Block, indent: number, style: Style): string[] {
  return (DRAW[block.kind] as Draw<b.Block>)(block, indent, style);
}

function paintOf(tone: b.Tone | undefined, style: Style): Paint {
  if (tone === undefined) return same;
  return { good: style.green, warn: style.yellow, bad: style.red, soft: style.dim, strong: style.bold }[tone];
}

function signOf(tone: b.Tone | undefined, { symbols: { tick, warning, cross } }: Style): string {
  return { good: tick, warn: warning, bad: cross, soft: '', strong: '' }[tone ?? 'soft'];
}

function headingLines({ level, text, tone }: b.Of<'heading'>, _: number, style: Style): string[] {
  const paint = paintOf(tone ?? 'strong', style);
  const sign = level === 1 ? signOf(tone, style) : '';
  if (sign === '') return wrap(printable(text), style, { indent: level === 3 ? 2 : 0, paint });
  return wrap(printable(text), style, { lead: `${sign} `, paintLead: paint, paint });
}

function factsBlock({ facts }: b.Of<'facts'>, indent: number, style: Style): string[] {
  const shown = facts.map(({ label, value, remarks = [], tone }) => {
    const text = b.plainText(value);
    const behind = text === '' ? remarks.join(', ') : remarks.length > 0 ? ` (${remarks.join(', ')})` : '';
    return { label, text: text + behind, paint: paintOf(tone, style) };
  });
  return factLines(shown, style, Math.max(2, indent));
}

const GAP = 2;
const LEAST = 6;
const LEAST_REMARK = 20;

/** Long texts are shortened, remarks at the end wrapped, numbers to the right. A table with a bar has no header. */
function tableLines(
  { columns, rows, sum, more = 0, caption, bar }: b.Of<'table'>,
  indent: number,
  style: Style,
): string[] {
  const margin = Math.max(2, indent) + (caption === undefined ? 0 : 2);
  const header = columns.map(({ title = '' }): b.Span => ({ text: title, tone: 'soft' }));
  const hasHeader = bar === undefined && columns.some(({ title }) => title !== undefined);
  const cells = [...(hasHeader ? [header] : []), ...rows, ...(sum === undefined ? [] : [sum])].map((row) =>
    columns.map(({ isRemark }, index) => cellOf(row[index] ?? '', isRemark === true, style)),
  );
  const wanted = columns.map((_, index) =>
    Math.max(0, ...cells.map((row) => textWidth(row[index]?.text ?? ''))),
  );
  const room = style.width - margin - GAP * (columns.length - 1);
  const hasRemark = columns.at(-1)?.isRemark === true;
  const fitted = fitWidths(wanted, columns, room);
  // A remark that would become a narrow column is written below its row.
  const isBelow = hasRemark && (fitted.at(-1) ?? 0) < Math.min(LEAST_REMARK, wanted.at(-1) ?? 0);
  const widths = isBelow ? fitWidths(wanted.slice(0, -1), columns.slice(0, -1), room + GAP) : fitted;
  const lines = cells.flatMap((row, at) => {
    const last = hasRemark ? row.at(-1) : undefined;
    const line = (last === undefined ? row : row.slice(0, -1)).map(({ text, paint }, index) => {
      const [width = 0, align = 'left'] = [widths[index], columns[index]?.align];
      const short = shorten(text, width, style.symbols.ellipsis);
      return paint(index === row.length - 1 && align === 'left' ? short : padText(short, width, align));
    });
    const lead = `${' '.repeat(margin)}${[...line, ''].join(' '.repeat(GAP))}`;
    if (last === undefined || last.text === '' || (isBelow && hasHeader && at === 0)) return [lead.trimEnd()];
    if (isBelow)
      return [lead.trimEnd(), ...wrap(last.text, style, { indent: margin + 2, paint: last.paint })];
    return wrap(last.text, style, { lead, paint: last.paint });
  });
  return [
    ...(caption === undefined ? [] : [`${' '.repeat(margin - 2)}${style.yellow(printable(caption))}`]),
    ...lines,
    ...moreLines(more, margin, style),
  ];
}

function cellOf(line: b.Line, isSoft: boolean, style: Style): { text: string; paint: Paint } {
  const tone = b.spansOf(line)[0]?.tone ?? (isSoft ? 'soft' : undefined);
  return { text: oneLine(b.plainText(line), style), paint: paintOf(tone, style) };
}

function fitWidths(wanted: readonly number[], columns: readonly b.Column[], room: number): number[] {
  const widths = [...wanted];
  const isFlexible = ({ flexible, isRemark }: b.Column) => flexible ?? isRemark ?? false;
  while (widths.reduce((sum, width) => sum + width, 0) > room) {
    const widest = Math.max(...widths.filter((_, index) => isFlexible(columns[index] ?? {})));
    if (widest <= LEAST) break;
    widths[widths.findIndex((width, index) => width === widest && isFlexible(columns[index] ?? {}))] =
      widest - 1;
  }
  return widths;
}

function moreLines(more: number, indent: number, style: Style): string[] {
  return more > 0 ? [`${' '.repeat(indent)}${style.dim(`and ${formatCount(more)} more`)}`] : [];
}

function listLines({ look, items, more = 0 }: b.Of<'list'>, indent: number, style: Style): string[] {
  const margin = Math.max(look === 'bullets' ? 2 : 0, indent);
  const widest = Math.max(0, ...items.map(({ lead = '' }) => textWidth(lead)));
  const lines = items.flatMap(({ lead = '', text, tone, below = [] }) => {
    const mark = {
      bullets: `${style.symbols.bullet} `,
      checks: `${signOf(tone, style)} ${widest === 0 ? '' : `${padText(printable(lead), widest)}  `}`,
      // A unit says what is counted.
      counts: `${padText(lead, widest, 'right')} ${/\d$/.test(lead) ? style.symbols.times : ' '} `,
    }[look];
    const paint = look === 'counts' ? style.bold : look === 'bullets' ? paintOf(tone, style) : same;
    const left = margin + (look === 'counts' ? textWidth(mark) : 2);
    return [
      ...wrap(printable(b.plainText(text)), style, {
        indent: margin,
        lead: mark,
        paintLead: paintOf(tone, style),
        paint: paintFirst(text, style) ?? paint,
      }),
      ...below.filter(({ only }) => only !== 'page').flatMap((block) => linesOf(block, left, style)),
    ];
  });
  return [...lines, ...moreLines(more, margin, style)];
}

function paintFirst(line: b.Line, style: Style): Paint | undefined {
  const [first, ...others] = b.spansOf(line);
  return first?.tone !== undefined && others.length === 0 ? paintOf(first.tone, style) : undefined;
}

function paragraphLines({ text, tone, look }: b.Of<'paragraph'>, indent: number, style: Style): string[] {
  if (look === 'verbatim') return [`${' '.repeat(indent)}${printable(b.plainText(text))}`];
  const lead = look === 'advice' ? `${style.symbols.arrow} ` : look === 'example' ? 'e.g. ' : '';
  const soft = look === 'advice' || look === 'more' ? 'soft' : undefined;
  return wrap(printable(b.plainText(text)), style, {
    indent,
    lead,
    paint: paintOf(tone ?? soft, style),
  });
}

function commandLines({ text, settings = [], command }: b.Of<'command'>, _: number, style: Style): string[] {
  const sentence = command === undefined ? text.replace(/:$/, '.') : text;
  return [
    ...wrap(printable(sentence), style, { indent: 2 }),
    ...settings.map((line) => `    ${printable(line, Number.POSITIVE_INFINITY)}`),
    ...(command === undefined ? [] : shellLines(command, style)),
  ];
}

/** A command that is longer than a line of the terminal goes on behind a backslash, so that a shell takes it as it is. */
export function shellLines(command: string, style: Style): string[] {
  const typed = printable(command, Number.POSITIVE_INFINITY);
  const lines: string[] = [];
  for (const word of typed.match(WORDS) ?? []) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(`${line} ${word} \\`) <= style.columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`${line === undefined ? '    ' : '      '}${word}`);
  }
  return lines.map((line, at) => style.cyan(at < lines.length - 1 ? `${line} \\` : line));
}

/** The words of a shell: a flag stays with its value, and what is in quotes or behind a backslash with its word. */
const WORDS = /(?:--[\w-]+ (?!-))?(?:[^\s'\\]|\\.|'[^']*')+/g;

/**
 * Two lines:
 *
 *     12 | in a cell of two lines",mira.holt(at)example.com,,,
 *        |                         ^^^^^^^^^^^^^^^^^^^^^^^^
 */
export function frameLines(frame: SourceFrame, style: Style, indent: number, paint: Paint): string[] {
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
