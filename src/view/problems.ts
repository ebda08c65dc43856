/** 4,000 equal problems are one entry with a count, an example and what to do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { framePlace } from '../domain/frame.ts';
import { beginning, countOf, formatCount } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source.ts';
import { type Block, blocks, heading, type Item, list, paragraph, present, type Tone } from './blocks.ts';
import type { ShownGroup } from './run-view.ts';

interface Advice {
  readonly title: string;
  readonly todo: string;
}

let table: Readonly<Record<string, Advice>> | undefined;

export function allAdvice(): Readonly<Record<string, Advice>> {
  table ??= parse(readFileSync(join(import.meta.dirname, 'advice.yaml'), 'utf8')) as Record<string, Advice>;
  return table;
}

export function adviceFor(code: string): Advice | undefined {
  return Object.hasOwn(allAdvice(), code) ? allAdvice()[code] : undefined;
}

interface ProblemOptions {
  readonly most?: number;
  readonly what?: string;
  readonly advice?: (code: string) => Advice | undefined;
}

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
  const sections = Object.entries(parts).flatMap(([id, title]) => {
    const of = groups.filter((group) => partOf(group) === id);
    if (of.length === 0) return [];
    // Twenty problems of one column are one thing to know.
    const entries = [...Map.groupBy(of, (group) => (isAboutColumn(group) ? group.code : group)).values()];
    const [shown, rest] = [entries.slice(0, most), entries.slice(most).flat()];
    return blocks(
      heading(title, { id, count: entries.length }),
      list(
        'counts',
        shown.map((entry) => itemOf(entry, advice, id === 'warnings' ? 'warn' : 'bad')),
      ),
      rest.length > 0 &&
        paragraph(
          `and ${formatCount(totalOf(rest))} more of ${formatCount(rest.length)} other kinds: see --json or --report`,
          { look: 'more' },
        ),
    );
  });
  const known = 'Problems in one line were shown in full before; --verbose shows them in full again.';
  return blocks(
    sections,
    groups.some(({ isKnown }) => isKnown === true) && paragraph(known, { look: 'more', only: 'screen' }),
  );
}

function isAboutColumn({ code }: ShownGroup): boolean {
  return code === 'unused-column' || code === 'unknown-field';
}

function isKnown(entry: readonly ShownGroup[]): boolean {
  return entry.every((group) => group.isKnown === true);
}

function totalOf(groups: readonly ShownGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** A reader counts tickets, not rows. */
function leadOf(entry: readonly ShownGroup[]): string {
  const [group, ...others] = entry;
  const tickets = others.length === 0 ? group?.tickets : undefined;
  return tickets === undefined ? formatCount(totalOf(entry)) : countOf(tickets, 'ticket');
}

const CODES = 'docs/reference.md#problem-codes';
const MOST_COLUMNS = 24;

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
    lead: leadOf(entry),
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
          advice !== undefined && paragraph({ text: group.code, to: CODES }, { look: 'more', only: 'page' }),
        ),
  };
}

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

function exampleText({ file, line, ticket, message }: Problem, frame: SourceFrame | undefined): string {
  const record = file === undefined || line === undefined ? file : `${file}:${line}`;
  const where = present([
    frame === undefined ? record : framePlace(frame),
    ticket !== undefined && `ticket ${beginning(ticket, 200)}`,
  ]).join(', ');
  return where === '' ? message : `${where}: ${message}`;
}
