/** Screens and pages as data. Drawing makes every text harmless, so a text of an export may be anywhere. */
import type { TicketStatus } from '../domain/payload.ts';
import { formatCount } from '../domain/printable.ts';
import type { SourceFrame } from '../domain/source.ts';
import type { Conversation } from './conversation/conversation.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'soft' | 'strong';

export type Swatch = TicketStatus | 'done' | 'ready' | 'rejected' | 'failed' | 'doubt' | 'skipped';

export interface Span {
  readonly text: string;
  readonly tone?: Tone | undefined;
  readonly look?: 'tag' | undefined;
  readonly swatch?: Swatch | undefined;
  /** The ID of a section, or a path. */
  readonly to?: string | undefined;
}

export type Line = string | Span | readonly (string | Span)[];

interface Medium {
  readonly only?: 'page' | 'screen' | undefined;
}

/** 1: the verdict. 2: a section. 3: a part. */
interface Heading extends Medium {
  readonly kind: 'heading';
  readonly level: 1 | 2 | 3;
  readonly text: string;
  readonly tone?: Tone | undefined;
  readonly id?: string | undefined;
  readonly count?: number | undefined;
}

export interface Fact {
  readonly label: string;
  readonly value: Line;
  readonly remarks?: readonly string[] | undefined;
  readonly tone?: Tone | undefined;
}

interface Facts extends Medium {
  readonly kind: 'facts';
  readonly facts: readonly Fact[];
  readonly areTiles?: boolean | undefined;
}

export interface Column {
  readonly title?: string | undefined;
  readonly align?: 'right' | undefined;
  readonly flexible?: boolean | undefined;
  readonly isRemark?: boolean | undefined;
}

interface Table extends Medium {
  readonly kind: 'table';
  readonly caption?: string | undefined;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Line[])[];
  readonly sum?: readonly Line[] | undefined;
  readonly more?: number | undefined;
  readonly bar?: readonly { readonly swatch: Swatch; readonly count: number }[] | undefined;
}

export interface Item {
  readonly lead?: string | undefined;
  readonly text: Line;
  readonly tone?: Tone | undefined;
  readonly below?: readonly Block[] | undefined;
}

/** `checks` have a sign by tone, `counts` lead with a count. */
interface List extends Medium {
  readonly kind: 'list';
  readonly look: 'bullets' | 'checks' | 'counts';
  readonly items: readonly Item[];
  readonly more?: number | undefined;
}

interface Paragraph extends Medium {
  readonly kind: 'paragraph';
  readonly text: Line;
  readonly tone?: Tone | undefined;
  /** `lead`: behind the verdict. `more`: what a list left out. `verbatim`: not wrapped. */
  readonly look?: 'advice' | 'example' | 'lead' | 'more' | 'verbatim' | undefined;
}

interface Command extends Medium {
  readonly kind: 'command';
  readonly text: string;
  readonly settings?: readonly string[] | undefined;
  readonly command?: string | undefined;
}

interface Frame extends Medium {
  readonly kind: 'frame';
  readonly frame: SourceFrame;
  readonly tone?: Tone | undefined;
}

export interface ConversationBlock extends Medium {
  readonly kind: 'conversation';
  readonly ticket: Conversation;
  readonly ticketId?: string | undefined;
  readonly below?: readonly Block[] | undefined;
}

export type Block = Heading | Facts | Table | List | Paragraph | Command | Frame | ConversationBlock;

export type Of<K extends Block['kind']> = Extract<Block, { kind: K }>;

/** `false` and `undefined` are left out. */
export type Part = Block | false | undefined | readonly Part[];

export function blocks(...parts: readonly Part[]): Block[] {
  return parts.flatMap((part) => {
    if (part === false || part === undefined) return [];
    return 'kind' in part ? [part] : blocks(...part);
  });
}

export function section(title: string | Heading, ...parts: readonly Part[]): Block[] {
  const below = blocks(...parts);
  return below.length === 0 ? [] : [typeof title === 'string' ? heading(title) : title, ...below];
}

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

export function list(look: List['look'], items: readonly (Item | string)[], more: Partial<List> = {}): List {
  const shown = items.map((item) => (typeof item === 'string' ? { text: item } : item));
  return { kind: 'list', look, items: shown, ...more };
}

interface TableSpec extends Omit<Table, 'kind' | 'columns' | 'rows'> {
  readonly columns: readonly (Column | string)[];
  readonly rows: readonly (readonly (Line | number)[])[];
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

export function counts(title: string): Column {
  return { title, align: 'right' };
}

export function flexible(title: string): Column {
  return { title, flexible: true };
}

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
