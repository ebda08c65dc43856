/** Problems on screen: the same problem 4,000 times is one line with a count, an example with its place, and what to do. */
import { fitFrame, framePlace } from '../../domain/frame.ts';
import { beginning, printable, textWidth } from '../../domain/printable.ts';
import type { Problem } from '../../domain/problem.ts';
import type { SourceFrame } from '../../domain/source.ts';
import { groupKey, type ProblemGroup, type ProblemSnapshot } from '../../summary/problem-log.ts';
import { type Advice, adviceFor } from '../advice.ts';
import { formatCount } from '../format.ts';
import type { Style } from './style.ts';
import { heading, widestText, wrap } from './text-block.ts';

interface ProblemViewOptions {
  /** Groups of each severity that are shown; the rest is counted. */
  readonly mostGroups?: number;
  /** Lines of the export, by the example of a group. */
  readonly frames?: ReadonlyMap<Problem, SourceFrame> | undefined;
  /** Kinds that were shown in full before, by `groupKey`: one line each. */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  /** What is not imported because of an error, in the plural; default: `tickets`. */
  readonly what?: string | undefined;
  /** What a kind of problem is called and what to do about it; default: as of tickets. */
  readonly advice?: ((code: string) => Advice | undefined) | undefined;
}

/** Lines, errors first; none where there is no problem. */
export function problemLines(
  problems: Pick<ProblemSnapshot, 'groups'>,
  style: Style,
  options: ProblemViewOptions = {},
): string[] {
  const { what = 'tickets' } = options;
  const titles = [
    ['error', false, `Errors: these ${what} are not imported`],
    ['error', true, `Errors: these ${what} are in the target twice`],
    ['warning', false, 'Warnings: these do not stop an import'],
  ] as const;
  return titles.flatMap(([severity, isTwice, title]) => {
    const groups = problems.groups.filter(
      (group) => group.severity === severity && (group.code === 'duplicate-in-target') === isTwice,
    );
    return severityLines(severity, title, groups, style, options);
  });
}

function severityLines(
  severity: 'error' | 'warning',
  title: string,
  all: readonly ProblemGroup[],
  style: Style,
  { mostGroups: most = 12, frames = new Map(), shownBefore, advice = adviceFor }: ProblemViewOptions,
): string[] {
  const groups = folded(all);
  if (groups.length === 0) return [];
  const paint = severity === 'error' ? style.red : style.yellow;
  const isKnown = (together: Together) => together.every((group) => shownBefore?.has(groupKey(group)));
  const shown = groups.slice(0, most);
  const rest = groups.slice(most).flat();
  const widest = Math.max(...shown.map((together) => formatCount(countOf(together)).length));
  return [
    ...heading(title, style),
    ...shown.flatMap((together) => {
      const lines = [together, advice(together[0].code), widest, paint, style] as const;
      return isKnown(together) ? titleLines(...lines) : groupLines(frames.get(together[0].example), ...lines);
    }),
    ...(shown.some(isKnown)
      ? [style.dim('  Problems in one line were shown in full before: --verbose shows them in full again.')]
      : []),
    ...(rest.length === 0
      ? []
      : [
          style.dim(
            `  and ${formatCount(countOf(rest))} more of ${formatCount(rest.length)} other kinds: see --json or --report`,
          ),
        ]),
  ];
}

/** Groups that are told in one entry; most often one alone. */
type Together = readonly [ProblemGroup, ...ProblemGroup[]];

/** Problems that are about a column and not about a value: twenty of them are one thing to know. */
const ABOUT_COLUMNS: ReadonlySet<string> = new Set(['unused-column', 'unknown-field']);
const MOST_COLUMNS = 24;

/** In the order of the first of each. */
function folded(groups: readonly ProblemGroup[]): Together[] {
  const entries: [ProblemGroup, ...ProblemGroup[]][] = [];
  const byCode = new Map<string, [ProblemGroup, ...ProblemGroup[]]>();
  for (const group of groups) {
    const known = ABOUT_COLUMNS.has(group.code) ? byCode.get(group.code) : undefined;
    if (known !== undefined) known.push(group);
    else {
      const entry: [ProblemGroup] = [group];
      byCode.set(group.code, entry);
      entries.push(entry);
    }
  }
  return entries;
}

function countOf(groups: readonly ProblemGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** One kind with its example; of several columns what they have in common, and their names one behind the other. */
function groupLines(
  frame: SourceFrame | undefined,
  together: Together,
  advice: Advice | undefined,
  widest: number,
  paint: (text: string) => string,
  style: Style,
): string[] {
  const { symbols } = style;
  const [group, ...others] = together;
  const indent = widest + symbols.times.length + 4;
  const names = together.slice(0, MOST_COLUMNS).map((one) => printable(one.field ?? ''));
  const more = together.length - names.length;
  return [
    ...titleLines(together, advice, widest, paint, style),
    ...(others.length > 0
      ? wrap(`${names.join(', ')}${more > 0 ? `, and ${formatCount(more)} more` : ''}`, style, { indent })
      : [
          ...wrap(style.typed(exampleText(group, frame)), style, { indent, lead: 'e.g. ' }),
          ...(frame === undefined ? [] : frameLines(frame, style, indent, paint)),
        ]),
    ...(advice === undefined
      ? []
      : wrap(style.typed(advice.todo), style, { indent, lead: `${symbols.arrow} `, paint: style.dim })),
  ];
}

function titleLines(
  together: Together,
  advice: Advice | undefined,
  widest: number,
  paint: (text: string) => string,
  style: Style,
): string[] {
  const [group, ...others] = together;
  const field = group.field === undefined || others.length > 0 ? '' : ` (${printable(group.field)})`;
  return wrap(`${advice?.title ?? group.code}${field}`, style, {
    indent: 2,
    lead: `${formatCount(countOf(together)).padStart(widest)} ${style.symbols.times} `,
    paintLead: paint,
    paint: style.bold,
  });
}

/** `tickets.csv:12:7, ticket 4711: "foo" is not an e-mail address.` */
function exampleText({ example }: ProblemGroup, frame: SourceFrame | undefined): string {
  const place = frame === undefined ? recordPlace(example) : framePlace(frame);
  const ticket = example.ticket === undefined ? undefined : `ticket ${beginning(example.ticket, 200)}`;
  const where = [place, ticket].filter((part) => part !== undefined).join(', ');
  return printable(where === '' ? example.message : `${where}: ${example.message}`);
}

/** Where the record begins, as far as that is known. */
function recordPlace({ file, line }: Problem): string | undefined {
  return file === undefined || line === undefined ? file : `${file}:${line}`;
}

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
