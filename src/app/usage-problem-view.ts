/** Problems of usage events on screen: one line for each kind with its count, an example with its place, and what to do. */
import { printable } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import { formatCount } from '../report/format.ts';
import type { ProblemGroup } from '../report/problem-log.ts';
import type { Style } from '../report/style.ts';
import { heading, wrap } from '../report/text-block.ts';

const MOST_GROUPS = 12;

/** The example says what is wrong with its row; this says what the kind is called. */
const TITLES: Readonly<Record<string, string>> = {
  unreadable: 'The record cannot be read',
  'missing-field': 'A needed field is empty',
  'missing-time': 'The event has no time',
  'invalid-time': 'The time cannot be read',
  'time-without-zone': 'The time has no time zone',
  'time-in-future': 'The time lies in the future',
  'invalid-type': 'The value is of the wrong type',
  'invalid-properties': 'The properties are no object',
  'too-long': 'The value is too long',
  'unmapped-value': 'A value is not in its value map',
  'duplicate-event': 'A row repeats the event id of an earlier one',
  'unknown-field': 'A column that usage events have no field for',
  'unused-column': 'A column that nothing uses',
  refused: 'The target refused the event',
  'unknown-outcome': 'It is not known whether the target took the event',
  'cut-off': 'The request was cut off',
};

/** Lines, errors first; none where there is no problem. */
export function usageProblemLines(groups: readonly ProblemGroup[], style: Style): string[] {
  return [
    ...severityLines('error', 'Errors: these events are not counted', groups, style),
    ...severityLines('warning', 'Warnings: these stop nothing', groups, style),
  ];
}

function severityLines(
  severity: Problem['severity'],
  title: string,
  all: readonly ProblemGroup[],
  style: Style,
): string[] {
  const groups = all.filter((group) => group.severity === severity);
  if (groups.length === 0) return [];
  const paint = severity === 'error' ? style.red : style.yellow;
  const lines = groups.slice(0, MOST_GROUPS).flatMap(({ code, count, field, example }) => {
    const lead = `${formatCount(count)} ${style.symbols.times} `;
    const where = field === undefined ? '' : ` (${printable(field)})`;
    return [
      ...wrap(`${TITLES[code] ?? code}${where}`, style, {
        indent: 2,
        lead,
        paintLead: paint,
        paint: style.bold,
      }),
      ...wrap(exampleText(example), style, { indent: 2 + lead.length, lead: 'e.g. ' }),
    ];
  });
  const more = groups.length - MOST_GROUPS;
  return [
    ...heading(title, style),
    ...lines,
    ...(more > 0 ? [style.dim(`  and ${formatCount(more)} more kinds: see --json`)] : []),
  ];
}

function exampleText({ file, line, message }: Problem): string {
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
  return printable(place + message);
}
