/** Problems: the same problem 4,000 times is one entry with a count, an example with its place, and what to do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { framePlace } from '../domain/frame.ts';
import { beginning } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source.ts';
import { type Block, blocks, heading, type Item, list, paragraph, present, type Tone } from './blocks.ts';
import { formatCount } from './format.ts';
import type { ShownGroup } from './run-view.ts';

/** A problem's own sentence names the value; this holds for all of its group. */
interface Advice {
  /** What is wrong, without a full stop. */
  readonly title: string;
  /** What to do, one or two sentences. */
  readonly todo: string;
}

let table: Readonly<Record<string, Advice>> | undefined;

/** By code; the problem codes of docs/reference.md come from the same table. */
export function allAdvice(): Readonly<Record<string, Advice>> {
  table ??= parse(readFileSync(join(import.meta.dirname, 'advice.yaml'), 'utf8')) as Record<string, Advice>;
  return table;
}

/** Undefined for a code that the table does not have: then the problem's own sentence must do. */
export function adviceFor(code: string): Advice | undefined {
  return Object.hasOwn(allAdvice(), code) ? allAdvice()[code] : undefined;
}

interface ProblemOptions {
  /** Groups of each severity that are shown; the rest is counted. */
  readonly most?: number;
  /** What is not imported because of an error, in the plural; default: `tickets`. */
  readonly what?: string;
  /** What a kind of problem is called and what to do about it; default: as of tickets. */
  readonly advice?: (code: string) => Advice | undefined;
}

/** Errors first; nothing where there is no problem. */
export function problemBlocks(
  groups: readonly ShownGroup[],
  { most = 12, what = 'tickets', advice = adviceFor }: ProblemOptions = {},
): Block[] {
  const parts = {
    errors: `Errors: these ${what} are not imported`,
    twice: `Errors: these ${what} are in the helpdesk twice`,
    warnings: 'Warnings: these do not stop an import',
  };
  const partOf = ({ severity, code }: ShownGroup) =>
    severity === 'warning' ? 'warnings' : code === 'duplicate-in-target' ? 'twice' : 'errors';
  return Object.entries(parts).flatMap(([id, title]) => {
    const of = groups.filter((group) => partOf(group) === id);
    if (of.length === 0) return [];
    // Twenty problems that are about a column and not about a value are one thing to know.
    const entries = [...Map.groupBy(of, (group) => (isAboutColumn(group) ? group.code : group)).values()];
    const [shown, rest] = [entries.slice(0, most), entries.slice(most).flat()];
    return blocks(
      heading(title, { id, count: countOf(of) }),
      list(
        'counts',
        shown.map((entry) => itemOf(entry, advice, id === 'warnings' ? 'warn' : 'bad')),
      ),
      shown.some(isKnown) &&
        paragraph('Problems in one line were shown in full before; --verbose shows them in full again.', {
          look: 'more',
          only: 'screen',
        }),
      rest.length > 0 &&
        paragraph(
          `and ${formatCount(countOf(rest))} more of ${formatCount(rest.length)} other kinds: see --json or --report`,
          { look: 'more' },
        ),
    );
  });
}

function isAboutColumn({ code }: ShownGroup): boolean {
  return code === 'unused-column' || code === 'unknown-field';
}

function isKnown(entry: readonly ShownGroup[]): boolean {
  return entry.every((group) => group.isKnown === true);
}

function countOf(groups: readonly ShownGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

const MOST_COLUMNS = 24;

/** One kind with its examples; of several columns what they have in common, and their names. */
function itemOf(
  entry: readonly ShownGroup[],
  adviceOf: (code: string) => Advice | undefined,
  tone: Tone,
): Item {
  const [group, ...others] = entry;
  if (group === undefined) return { text: '' };
  const advice = adviceOf(group.code);
  const title = advice?.title ?? group.code;
  const names = present(entry.map(({ field = '' }) => field));
  const more = names.length - MOST_COLUMNS;
  return {
    lead: formatCount(countOf(entry)),
    text:
      group.field === undefined || others.length > 0 ? title : [`${title} `, { text: `(${group.field})` }],
    tone,
    below: isKnown(entry)
      ? undefined
      : blocks(
          others.length > 0
            ? paragraph(
                `${names.slice(0, MOST_COLUMNS).join(', ')}${more > 0 ? `, and ${formatCount(more)} more` : ''}`,
              )
            : exampleBlocks(group, tone),
          advice !== undefined && paragraph(advice.todo, { look: 'advice' }),
        ),
  };
}

/** On a screen the first one alone. */
function exampleBlocks({ example, examples = [example], frame }: ShownGroup, tone: Tone): Block[] {
  return blocks(
    examples.map((one, index) =>
      index > 0
        ? paragraph(exampleText(one, undefined), { look: 'example', only: 'page' })
        : [
            paragraph(exampleText(one, frame), { look: 'example' }),
            frame !== undefined && ({ kind: 'frame', frame, tone } as const),
          ],
    ),
  );
}

/** `tickets.csv:12:7, ticket 4711: "foo" is not an e-mail address.` */
function exampleText({ file, line, ticket, message }: Problem, frame: SourceFrame | undefined): string {
  const record = file === undefined || line === undefined ? file : `${file}:${line}`;
  const where = present([
    frame === undefined ? record : framePlace(frame),
    ticket !== undefined && `ticket ${beginning(ticket, 200)}`,
  ]).join(', ');
  return where === '' ? message : `${where}: ${message}`;
}
