/** 4,000 equal problems are one entry with a count, an example and what to do. */
import { framePlace } from '../domain/frame.ts';
import { beginning, countOf, formatCount } from '../domain/printable.ts';
import { groupKey, type Problem, type ProblemGroup } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source.ts';
import { wordsOf } from '../domain/text/problem-words.ts';
import * as b from './blocks.ts';
import { SHOWN, type View } from './run-view.ts';

type Advice = Readonly<Record<'title' | 'todo', string>>;

interface ProblemOptions extends Pick<View, 'frames' | 'shownBefore'> {
  /** Rows, for further examples. */
  readonly rows?: readonly Problem[] | undefined;
  readonly most?: number;
  readonly what?: string;
  readonly advice?: (code: string) => Advice | undefined;
}

export function problemBlocks(groups: readonly ProblemGroup[], options: ProblemOptions = {}): b.Block[] {
  const { most = 12, what = 'tickets', rows = [], shownBefore } = options;
  const isKnown = ({ example }: ProblemGroup) => shownBefore?.has(groupKey(example)) === true;
  const examples = Map.groupBy(rows, groupKey);
  const parts = {
    errors: `Errors: these ${what} are not imported`,
    twice: `Errors: these ${what} are in the helpdesk twice`,
    warnings: 'Warnings: these do not stop an import',
  };
  const partOf = ({ severity, code }: ProblemGroup) =>
    severity === 'warning' ? 'warnings' : code === 'duplicate-in-target' ? 'twice' : 'errors';
  const sections = Object.entries(parts).flatMap(([id, title]) => {
    const of = byCell(
      groups.filter((group) => partOf(group) === id),
      options,
    );
    if (of.length === 0) return [];
    // Twenty problems of one column are one thing to know.
    const entries = [...Map.groupBy(of, (group) => (isAboutColumn(group) ? group.code : group)).values()];
    const [shown, rest] = [entries.slice(0, most), entries.slice(most).flat()];
    const tone = id === 'warnings' ? 'warn' : 'bad';
    const items = shown.map((entry): b.Item => {
      const below = () => detailBlocks(entry, examples, tone, options);
      return { ...titleOf(entry, options), tone, below: entry.every(isKnown) ? undefined : below() };
    });
    return b.blocks(
      b.heading(title, { id, count: entries.length }),
      b.list('counts', items),
      rest.length > 0 &&
        b.paragraph(
          `and ${formatCount(totalOf(rest))} more of ${formatCount(rest.length)} other kinds: see --json or --report`,
          { look: 'more' },
        ),
    );
  });
  const known = 'For details of problems in one line add --verbose.';
  return b.blocks(sections, groups.some(isKnown) && b.paragraph(known, { look: 'more', only: 'screen' }));
}

/** One wrong cell may be two fields, such as the time of a ticket and of its first message. */
function byCell(groups: readonly ProblemGroup[], { frames }: ProblemOptions): ProblemGroup[] {
  const cells = Map.groupBy(groups, (group) => {
    const frame = frames?.[groupKey(group.example)];
    return frame === undefined ? group : `${group.code} ${group.count} ${framePlace(frame)}`;
  });
  return [...cells.values()].flatMap(([first, ...others]) =>
    first === undefined || others.length === 0
      ? (first ?? [])
      : { ...first, field: [first, ...others].map(({ field }) => field).join(', ') },
  );
}

function isAboutColumn({ code }: ProblemGroup): boolean {
  return code === 'unused-column' || code === 'unknown-field';
}

function totalOf(groups: readonly ProblemGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** A reader counts tickets, not rows. */
function titleOf(
  [group, ...others]: readonly ProblemGroup[],
  { advice = wordsOf }: ProblemOptions,
): Pick<b.Item, 'lead' | 'text'> {
  if (group === undefined) return { text: '' };
  const title = advice(group.code)?.title ?? group.code;
  const isOne = others.length === 0;
  return {
    lead:
      isOne && group.tickets !== undefined
        ? countOf(group.tickets, 'ticket')
        : formatCount(totalOf([group, ...others])),
    text: isOne && group.field !== undefined ? [`${title} `, { text: `(${group.field})` }] : title,
  };
}

const MOST_COLUMNS = 24;

function detailBlocks(
  entry: readonly ProblemGroup[],
  examples: ReadonlyMap<string, readonly Problem[]>,
  tone: b.Tone,
  { advice: adviceOf = wordsOf, frames }: ProblemOptions,
): b.Block[] {
  const [group, ...others] = entry;
  if (group === undefined) return [];
  const { code, example } = group;
  const advice = adviceOf(code);
  const names = b.present(entry.map(({ field }) => field));
  const more = names.length > MOST_COLUMNS ? `, and ${formatCount(names.length - MOST_COLUMNS)} more` : '';
  const isEach = wordsOf(code)?.each === true;
  const [, ...rest] = examples.get(groupKey(example))?.slice(0, isEach ? SHOWN.rows : SHOWN.examples) ?? [];
  const frame = frames?.[groupKey(example)];
  return b.blocks(
    others.length > 0
      ? b.paragraph(`${names.slice(0, MOST_COLUMNS).join(', ')}${more}`)
      : [
          b.paragraph(exampleText(example, frame), { look: 'example' }),
          frame !== undefined && { kind: 'frame', frame, tone },
          rest.map((one) =>
            b.paragraph(exampleText(one, undefined), { look: 'example', only: isEach ? undefined : 'page' }),
          ),
        ],
    advice !== undefined && b.paragraph(advice.todo, { look: 'advice' }),
    advice !== undefined && b.paragraph(code, { look: 'more', only: 'page' }),
  );
}

function exampleText({ file, line, ticket, message }: Problem, frame: SourceFrame | undefined): string {
  const record = file === undefined || line === undefined ? file : `${file}:${line}`;
  const where = b
    .present([
      frame === undefined ? record : framePlace(frame),
      ticket !== undefined && `ticket ${beginning(ticket, 200)}`,
    ])
    .join(', ');
  return where === '' ? message : `${where}: ${message}`;
}
