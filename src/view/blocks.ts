/**
 * What a screen or a page says, as data: every view is a list of blocks, built once. `terminal/blocks.ts` and
 * `html/blocks.ts` draw them and make every text in them harmless, so a text of an export may be anywhere.
 */
import type { TicketStatus } from '../domain/payload.ts';
import type { SourceFrame } from '../domain/source.ts';
import type { OutcomeView } from '../summary/summary.ts';
import type { Conversation } from './conversation/conversation.ts';
import { formatCount } from './format.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'soft' | 'strong';

/** Colours of outcomes and statuses in the stylesheet. */
export type Swatch = TicketStatus | OutcomeView['swatch'] | 'plain';

export interface Span {
  readonly text: string;
  readonly tone?: Tone | undefined;
  readonly look?: 'tag' | undefined;
  /** A colour before the text, on a page. */
  readonly swatch?: Swatch | undefined;
  /** The id of a heading, to which a page links. */
  readonly to?: string | undefined;
}

/** Text, in one piece or in several. */
export type Line = string | Span | readonly (string | Span)[];

/** Where a block is shown; without it in both. */
interface Medium {
  readonly only?: 'page' | 'screen' | undefined;
}

/** Level 1 is the verdict of a view, 2 a section, 3 a part of one. */
interface Heading extends Medium {
  readonly kind: 'heading';
  readonly level: 1 | 2 | 3;
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** Of a section: its place in the contents of a page. */
  readonly id?: string | undefined;
  readonly count?: number | undefined;
}

export interface Fact {
  readonly label: string;
  readonly value: Line;
  /** Smaller, behind the value. */
  readonly remarks?: readonly string[] | undefined;
  readonly tone?: Tone | undefined;
}

interface Facts extends Medium {
  readonly kind: 'facts';
  readonly facts: readonly Fact[];
  /** Large numbers, on a page. */
  readonly areTiles?: boolean | undefined;
}

export interface Column {
  readonly title?: string | undefined;
  readonly align?: 'right' | undefined;
  /** May be shortened on a narrow screen. */
  readonly flexible?: boolean | undefined;
  /** Takes what is left of the width of a page, and is soft. */
  readonly isRemark?: boolean | undefined;
}

interface Table extends Medium {
  readonly kind: 'table';
  /** Where the heading above does not say what the table holds. */
  readonly caption?: string | undefined;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Line[])[];
  readonly sum?: readonly Line[] | undefined;
  /** Rows that are left out. */
  readonly more?: number | undefined;
  /** Shares of the whole, drawn above the table of a page. */
  readonly bar?: readonly { readonly swatch: Swatch; readonly count: number }[] | undefined;
}

export interface Item {
  /** Before the text: a count, or the name of a check. */
  readonly lead?: string | undefined;
  readonly text: Line;
  readonly tone?: Tone | undefined;
  readonly below?: readonly Block[] | undefined;
}

/** `checks` have a sign by their tone, `boxes` are to be ticked, `counts` have a count as lead. */
interface List extends Medium {
  readonly kind: 'list';
  readonly look: 'bullets' | 'checks' | 'boxes' | 'counts';
  readonly items: readonly Item[];
  readonly more?: number | undefined;
}

interface Paragraph extends Medium {
  readonly kind: 'paragraph';
  readonly text: Line;
  readonly tone?: Tone | undefined;
  /** `advice`: what to do. `example`: one of many. `lead`: behind the verdict. `more`: what a list left out. `signatures`: lines to sign on. `verbatim`: not wrapped. */
  readonly look?: 'advice' | 'example' | 'lead' | 'more' | 'signatures' | 'verbatim' | undefined;
}

/** What to do next: a sentence, and what to copy. */
interface Command extends Medium {
  readonly kind: 'command';
  readonly text: string;
  readonly settings?: readonly string[] | undefined;
  readonly command?: string | undefined;
}

/** A line of the export with what is wrong marked. */
interface Frame extends Medium {
  readonly kind: 'frame';
  readonly frame: SourceFrame;
  readonly tone?: Tone | undefined;
}

interface Chart extends Medium {
  readonly kind: 'chart';
  readonly title: string;
  /** What a person sees at a glance, in one sentence. */
  readonly summary: string;
  /** What the columns are: `Month`. */
  readonly header: string;
  readonly series: readonly { readonly label: string; readonly swatch: Swatch }[];
  readonly columns: readonly {
    readonly label: string;
    /** By series. */
    readonly values: readonly number[];
  }[];
}

/** A ticket with its messages and events, and what the checks of a trial say of it. */
export interface ConversationBlock extends Medium {
  readonly kind: 'conversation';
  readonly ticket: Conversation;
  readonly ticketId?: string | undefined;
  readonly below?: readonly Block[] | undefined;
}

export type Block = Heading | Facts | Table | List | Paragraph | Command | Frame | Chart | ConversationBlock;

export type Of<K extends Block['kind']> = Extract<Block, { kind: K }>;

/** What a view is put together from: conditions are written in place, and their `false` and `undefined` are left out. */
export type Part = Block | false | undefined | readonly Part[];

export function blocks(...parts: readonly Part[]): Block[] {
  return parts.flatMap((part) => {
    if (part === false || part === undefined) return [];
    return 'kind' in part ? [part] : blocks(...part);
  });
}

/** Nothing where nothing is below its heading. */
export function section(title: string | Heading, ...parts: readonly Part[]): Block[] {
  const below = blocks(...parts);
  return below.length === 0 ? [] : [typeof title === 'string' ? heading(title) : title, ...below];
}

/** A list with conditions: `false` and `undefined` are left out. */
export function present<T>(list: readonly (T | false | undefined)[]): T[] {
  return list.filter((entry): entry is T => entry !== false && entry !== undefined);
}

export function heading(text: string, more: Partial<Omit<Heading, 'kind' | 'text'>> = {}): Heading {
  return { kind: 'heading', level: 2, text, ...more };
}

export function paragraph(text: Line, more: Partial<Omit<Paragraph, 'kind' | 'text'>> = {}): Paragraph {
  return { kind: 'paragraph', text, ...more };
}

export function facts(list: readonly (Fact | false | undefined)[], more: Partial<Facts> = {}): Facts {
  return { kind: 'facts', facts: present(list), ...more };
}

/** Items of text alone may be strings. */
export function list(look: List['look'], items: readonly (Item | string)[], more: Partial<List> = {}): List {
  const shown = items.map((item) => (typeof item === 'string' ? { text: item } : item));
  return { kind: 'list', look, items: shown, ...more };
}

interface TableSpec extends Omit<Table, 'kind' | 'columns' | 'rows'> {
  /** A string is the title of a column without a look. */
  readonly columns: readonly (Column | string)[];
  readonly rows: readonly (readonly (Line | number)[])[];
  /** The first rows of many; the rest is counted. */
  readonly most?: number;
}

export function table({
  most = Number.POSITIVE_INFINITY,
  columns,
  rows,
  more = 0,
  ...rest
}: TableSpec): Table {
  return {
    kind: 'table',
    ...rest,
    columns: columns.map((column) => (typeof column === 'string' ? { title: column } : column)),
    rows: rows
      .slice(0, most)
      .map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell))),
    more: more + Math.max(0, rows.length - most),
  };
}

/** A column of numbers. */
export function counts(title: string): Column {
  return { title, align: 'right' };
}

/** A column that may be shortened on a narrow screen. */
export function flexible(title: string): Column {
  return { title, flexible: true };
}

/** A column that takes what is left of the width of a page, and is soft. */
export function remark(title: string): Column {
  return { title, isRemark: true };
}

export function spansOf(line: Line): readonly Span[] {
  const parts = typeof line === 'string' || 'text' in line ? [line] : line;
  return parts.map((part) => (typeof part === 'string' ? { text: part } : part));
}

export function plainText(line: Line): string {
  return spansOf(line)
    .map(({ text }) => text)
    .join('');
}
