import type { Problem } from '../domain/problem.ts';
import type { RecordRef } from '../domain/source.ts';
import { type ProblemData, problemOf } from '../domain/text/problem-words.ts';
import type { MappedTicket } from '../domain/ticket.ts';

/** `path`: from the record. `kind`: as of `problemOf`. */
export type Reporter = (path: string, kind: string, data?: ProblemData) => void;

/** A field with a mapping error gets no second one. */
export class Findings {
  readonly #mapped: MappedTicket;
  readonly #fileName: (ref: RecordRef) => string;
  readonly #own: { readonly rank: number; readonly problem: Problem }[] = [];
  readonly #wrong = new Set<string>();
  readonly #holding = new Set<string>();

  constructor(mapped: MappedTicket, fileName: (ref: RecordRef) => string) {
    this.#mapped = mapped;
    this.#fileName = fileName;
    for (const { severity, field } of mapped.problems) if (severity === 'error') this.#mark(field ?? '');
  }

  get problems(): readonly Problem[] {
    const own = this.#own.sort((a, b) => a.rank - b.rank).map(({ problem }) => problem);
    return [...this.#mapped.problems, ...own];
  }

  get rejects(): boolean {
    return this.#wrong.size > 0;
  }

  reporter(ref: RecordRef, list?: 'messages' | 'events', index = 0): Reporter {
    const { externalId: ticket } = this.#mapped;
    // A list has far less than 2^40 elements.
    const rank = list === undefined ? -1 : list === 'messages' ? index : 2 ** 40 + index;
    return (path, kind, data = {}) => {
      const item = list === undefined ? '' : `${list}[${index}]`;
      const field = item === '' || path === '' ? item + path : `${item}.${path}`;
      if (this.#isWrong(field)) return;
      const problem = problemOf(kind, data, { ticket, file: this.#fileName(ref), line: ref.line, field });
      if (problem.severity === 'error') this.#mark(field);
      this.#own.push({ rank, problem });
    };
  }

  #mark(field: string): void {
    this.#wrong.add(field);
    for (const outer of outersOf(field)) this.#holding.add(outer);
  }

  #isWrong(field: string): boolean {
    if (this.#wrong.size === 0) return false;
    if (this.#wrong.has(field) || this.#holding.has(field)) return true;
    return outersOf(field).some((outer) => this.#wrong.has(outer));
  }
}

function outersOf(field: string): string[] {
  return [...field.matchAll(/[.[]/g)].flatMap(({ index }) => (index === 0 ? [] : [field.slice(0, index)]));
}
