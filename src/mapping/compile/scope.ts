/** What an expression is evaluated on: a row, perhaps an item of a list in it, and the ticket that they belong to. */

import type { Problem } from '../../domain/problem.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import type { MappedValue } from '../../domain/ticket.ts';
import type { PathStep } from './column-path.ts';

/** A cell or value that an expression looked at, recorded for `--explain` and for the places of problems. */
export interface Touch {
  readonly table: string;
  readonly row: Row;
  readonly column: string;
  /** Undefined where it is empty. */
  readonly value: unknown;
  /** The list item that the column is of, where it is of one. */
  readonly item?: unknown;
  /** Where such items may be in the row. */
  readonly lists?: readonly (readonly PathStep[])[];
}

/** What mapping a ticket, a message or an event collects besides values; shared by all its scopes. */
export interface Notes {
  readonly problems: Problem[];
  readonly values: MappedValue[];
  /** The raw text that a value map translated last: what the plan shows as "from". */
  mappedFrom: string | undefined;
  /** The field being made, for problems: `status`; the mapper puts `messages[2].` before it. */
  field: string;
  /** What was read for the field being made, and the fields so far; only while explaining. */
  trace: Touch[] | undefined;
  explained: FieldOrigin[] | undefined;
}

/** Where one field of a payload came from. */
export interface FieldOrigin {
  readonly field: string;
  /** Undefined where nothing gave it one. */
  readonly value: unknown;
  /** The rule of the layout, in one line. */
  readonly rule: string;
  /** What was read for it, in order. */
  readonly touched: readonly Touch[];
}

export interface Scope {
  readonly ticket: SourceTicket;
  readonly row: Row;
  /** The list item, in a scope that has one around it. */
  readonly item: unknown;
  readonly outer: Scope | undefined;
  readonly notes: Notes;
}

/** A compiled expression: pure but for the notes; `undefined` is an absent value. */
export type Evaluate = (scope: Scope) => unknown;

export function rowScope(ticket: SourceTicket, row: Row, notes: Notes): Scope {
  return { ticket, row, item: undefined, outer: undefined, notes };
}

export function itemScope(outer: Scope, item: unknown): Scope {
  return { ticket: outer.ticket, row: outer.row, item, outer, notes: outer.notes };
}

/** `explaining`: origins of fields are recorded too. */
export function newNotes(explaining = false): Notes {
  const recorded = explaining ? { trace: [], explained: [] } : { trace: undefined, explained: undefined };
  return { problems: [], values: [], mappedFrom: undefined, field: '', ...recorded };
}

/** What was noted of a message or event, once it is known that it counts and as which: `messages[2].`. */
export function addNotes(notes: Notes, { problems, explained }: Partial<Notes>, place: string): void {
  for (const problem of problems ?? [])
    notes.problems.push({ ...problem, field: `${place}${problem.field ?? ''}` });
  for (const origin of explained ?? []) notes.explained?.push({ ...origin, field: place + origin.field });
}
