/** Problems on screen: the same problem 4,000 times is one line with a count, an example with its place, and what to do. */
import { framePlace } from '../domain/fit-frame.ts';
import { printable } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source-frame.ts';
import { formatCount } from './format.ts';
import { frameLines } from './frame-lines.ts';
import { adviceFor } from './problem-advice.ts';
import type { ProblemGroup, ProblemSnapshot } from './problem-log.ts';
import type { Style } from './style.ts';
import { heading, wrap } from './text-block.ts';

export interface ProblemViewOptions {
  /** Groups of each severity that are shown; the rest is counted. */
  readonly mostGroups?: number;
  /** Lines of the export, by the example of a group. */
  readonly frames?: ReadonlyMap<Problem, SourceFrame> | undefined;
}

/** Lines, errors first; none where there is no problem. */
export function problemLines(
  problems: Pick<ProblemSnapshot, 'groups'>,
  style: Style,
  { mostGroups = 12, frames = new Map() }: ProblemViewOptions = {},
): string[] {
  return [
    ...severityLines('error', problems.groups, style, mostGroups, frames),
    ...severityLines('warning', problems.groups, style, mostGroups, frames),
  ];
}

function severityLines(
  severity: 'error' | 'warning',
  all: readonly ProblemGroup[],
  style: Style,
  most: number,
  frames: ReadonlyMap<Problem, SourceFrame>,
): string[] {
  const groups = all.filter((group) => group.severity === severity);
  if (groups.length === 0) return [];
  const paint = severity === 'error' ? style.red : style.yellow;
  const title =
    severity === 'error' ? 'Errors: these tickets are not imported' : 'Warnings: these stop nothing';
  const shown = groups.slice(0, most);
  const rest = groups.slice(most);
  const widest = Math.max(...shown.map(({ count }) => formatCount(count).length));
  const lines = [
    ...heading(title, style),
    ...shown.flatMap((group) => groupLines(group, frames.get(group.example), widest, paint, style)),
  ];
  if (rest.length > 0) {
    const count = rest.reduce((sum, group) => sum + group.count, 0);
    lines.push(
      style.dim(
        `  and ${formatCount(count)} more of ${formatCount(rest.length)} other kinds: see --json or --report`,
      ),
    );
  }
  return lines;
}

function groupLines(
  group: ProblemGroup,
  frame: SourceFrame | undefined,
  widest: number,
  paint: (text: string) => string,
  style: Style,
): string[] {
  const { symbols } = style;
  const count = `${formatCount(group.count).padStart(widest)} ${symbols.times}`;
  const advice = adviceFor(group.code);
  const field = group.field === undefined ? '' : ` (${printable(group.field)})`;
  const indent = 2 + count.length + 1;
  return [
    ...wrap(`${advice?.title ?? group.code}${field}`, style, {
      indent: 2,
      lead: `${count} `,
      paintLead: paint,
      paint: style.bold,
    }),
    ...wrap(exampleText(group, frame), style, { indent, lead: 'e.g. ' }),
    ...(frame === undefined ? [] : frameLines(frame, style, indent, paint)),
    ...(advice === undefined
      ? []
      : wrap(advice.todo, style, { indent, lead: `${symbols.arrow} `, paint: style.dim })),
  ];
}

/** `tickets.csv:12:7, ticket 4711: "foo" is no e-mail address.` */
function exampleText({ example }: ProblemGroup, frame: SourceFrame | undefined): string {
  const place = frame === undefined ? recordPlace(example) : framePlace(frame);
  const ticket = example.ticket === undefined ? undefined : `ticket ${example.ticket}`;
  const where = [place, ticket].filter((part) => part !== undefined).join(', ');
  return printable(where === '' ? example.message : `${where}: ${example.message}`);
}

/** Where the record begins, as far as that is known. */
function recordPlace({ file, line }: Problem): string | undefined {
  return file === undefined || line === undefined ? file : `${file}:${line}`;
}
