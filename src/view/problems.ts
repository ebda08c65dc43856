/** Problems: the same problem 4,000 times is one entry with a count, an example with its place, and what to do. */
import { framePlace } from '../domain/frame.ts';
import { beginning } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source.ts';
import { type Advice, adviceFor } from './advice.ts';
import { type Block, heading, type Item, type Line, list, paragraph, present, type Tone } from './blocks.ts';
import { formatCount } from './format.ts';
import type { ShownGroup } from './run-view.ts';

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
  const isTwice = ({ code }: ShownGroup) => code === 'duplicate-in-target';
  const errors = groups.filter(({ severity }) => severity === 'error');
  const parts = [
    ['errors', `Errors: these ${what} are not imported`, errors.filter((group) => !isTwice(group))],
    ['twice', `Errors: these ${what} are in the helpdesk twice`, errors.filter(isTwice)],
    [
      'warnings',
      'Warnings: these do not stop an import',
      groups.filter(({ severity }) => severity === 'warning'),
    ],
  ] as const;
  return parts.flatMap(([id, title, of]) => {
    if (of.length === 0) return [];
    const entries = folded(of);
    const rest = entries.slice(most).flat();
    const shown = entries.slice(0, most);
    return present<Block>([
      heading(title, { id, count: countOf(of) }),
      list(
        'counts',
        shown.map((entry) => itemOf(entry, advice(entry[0].code), id === 'warnings' ? 'warn' : 'bad')),
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
    ]);
  });
}

/** Groups that are one entry; most often one alone. */
type Together = readonly [ShownGroup, ...ShownGroup[]];

function isKnown(entry: Together): boolean {
  return entry.every((group) => group.isKnown === true);
}

/** Problems that are about a column and not about a value: twenty of them are one thing to know. */
const ABOUT_COLUMNS: ReadonlySet<string> = new Set(['unused-column', 'unknown-field']);
const MOST_COLUMNS = 24;

/** In the order of the first of each. */
function folded(groups: readonly ShownGroup[]): Together[] {
  const byKind = Map.groupBy(groups, (group) =>
    ABOUT_COLUMNS.has(group.code) ? group.code : (group as object | string),
  );
  return [...byKind.values()].filter((entry): entry is [ShownGroup, ...ShownGroup[]] => entry.length > 0);
}

function countOf(groups: readonly ShownGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** One kind with its examples; of several columns what they have in common, and their names. */
function itemOf(entry: Together, advice: Advice | undefined, tone: Tone): Item {
  const [group, ...others] = entry;
  const title = advice?.title ?? group.code;
  const text: Line =
    group.field === undefined || others.length > 0 ? title : [`${title} `, { text: `(${group.field})` }];
  const head = { lead: formatCount(countOf(entry)), text, tone };
  if (isKnown(entry)) return head;
  return {
    ...head,
    below: [
      ...(others.length > 0 ? [columnNames(entry)] : exampleBlocks(group, tone)),
      ...(advice === undefined ? [] : [paragraph(advice.todo, { look: 'advice' })]),
    ],
  };
}

function columnNames(entry: Together): Block {
  const names = entry.slice(0, MOST_COLUMNS).map(({ field = '' }) => field);
  const more = entry.length - names.length;
  return paragraph(`${names.join(', ')}${more > 0 ? `, and ${formatCount(more)} more` : ''}`);
}

/** On a screen the first one alone. */
function exampleBlocks({ example, examples = [example], frame }: ShownGroup, tone: Tone): Block[] {
  return examples.flatMap((one, index) =>
    present<Block>([
      paragraph(exampleText(one, index === 0 ? frame : undefined), {
        look: 'example',
        only: index === 0 ? undefined : 'page',
      }),
      index === 0 && frame !== undefined && { kind: 'frame', frame, tone },
    ]),
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
