/** The problems of one ticket, as they are found. */

import type { Problem, Severity } from '../domain/problem.ts';
import type { RecordRef } from '../domain/source.ts';
import type { MappedTicket } from '../domain/ticket.ts';

/** The record that a finding is about: the ticket, or one of its messages or events by its index in source order. */
export interface RecordPlace {
  readonly ref: RecordRef;
  readonly list?: 'messages' | 'events';
  readonly index: number;
}

/**
 * Starts from what mapping found. A field that has an error already gets no second one: the first says more (that a
 * value map has no entry, say, and not just that the value is missing).
 */
export class Findings {
  readonly #mapping: readonly Problem[];
  readonly #own: { readonly rank: number; readonly problem: Problem }[] = [];
  readonly #externalId: string;
  readonly #fileName: (ref: RecordRef) => string;
  readonly #wrong = new Set<string>();
  /** What holds a field that is wrong. */
  readonly #holding = new Set<string>();

  constructor(mapped: MappedTicket, fileName: (ref: RecordRef) => string) {
    this.#mapping = mapped.problems;
    this.#externalId = mapped.externalId;
    this.#fileName = fileName;
    for (const problem of mapped.problems) if (problem.severity === 'error') this.#mark(problem.field ?? '');
  }

  /** Mapping's first, then those of the ticket, its messages and its events in source order. */
  get problems(): readonly Problem[] {
    if (this.#own.length === 0) return this.#mapping;
    const own = this.#own.sort((a, b) => a.rank - b.rank).map(({ problem }) => problem);
    return [...this.#mapping, ...own];
  }

  /** Whether any error was found, be it by mapping: then the ticket is rejected. */
  get rejects(): boolean {
    return this.#wrong.size > 0;
  }

  error(place: RecordPlace, path: string, code: string, message: string): void {
    const field = fieldOf(place, path);
    if (this.#isWrong(field)) return;
    this.#mark(field);
    this.#add('error', place, field, code, message);
  }

  warning(place: RecordPlace, path: string, code: string, message: string): void {
    const field = fieldOf(place, path);
    if (!this.#isWrong(field)) this.#add('warning', place, field, code, message);
  }

  #add(severity: Severity, place: RecordPlace, field: string, code: string, message: string): void {
    const problem: Problem = {
      severity,
      code,
      ticket: this.#externalId,
      file: this.#fileName(place.ref),
      line: place.ref.line,
      field,
      message,
      count: 1,
    };
    this.#own.push({ rank: rankOf(place), problem });
  }

  #mark(field: string): void {
    this.#wrong.add(field);
    for (const outer of outersOf(field)) this.#holding.add(outer);
  }

  /** The field itself, something it holds, or what holds it. */
  #isWrong(field: string): boolean {
    return (
      this.#wrong.has(field) ||
      this.#holding.has(field) ||
      outersOf(field).some((outer) => this.#wrong.has(outer))
    );
  }
}

/** Ticket, messages, events: a list has far less than 2^40 elements. */
function rankOf({ list, index }: RecordPlace): number {
  if (list === undefined) return -1;
  return list === 'messages' ? index : 2 ** 40 + index;
}

/** `messages[1].contact.email` → `messages`, `messages[1]`, `messages[1].contact`. */
function outersOf(field: string): string[] {
  const outers: string[] = [];
  for (let at = 1; at < field.length; at++)
    if (field[at] === '.' || field[at] === '[') outers.push(field.slice(0, at));
  return outers;
}

/** The API's path from the ticket: `messages[1].agentId`. */
function fieldOf(place: RecordPlace, path: string): string {
  if (place.list === undefined) return path;
  const item = `${place.list}[${place.index}]`;
  return path === '' ? item : `${item}.${path}`;
}

/** A value as a sentence shows it: as JSON, and never longer than a line takes. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  const text = value.length > 60 ? `${value.slice(0, 60).toWellFormed()}…` : value;
  return JSON.stringify(text);
}
