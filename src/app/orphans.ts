/** Rows that belong to no ticket of the export: told one by one, kept in the rejects, counted with no ticket. */
import type { ProblemSink } from '../domain/problem.ts';
import type { RecordRef } from '../domain/source.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { defectSpot, keySpot } from './problem-frames.ts';
import type { OpenedSource } from './source.ts';

type Kind = 'message' | 'event' | 'row';

export interface OrphanToTell {
  readonly kind: Kind;
  readonly table: string;
  readonly ref: RecordRef;
  /** The ticket id that the row names; may be empty. */
  readonly parent: string;
  readonly message: string;
}

export function* orphanRows({ staged, detection }: OpenedSource): Generator<OrphanToTell> {
  for (const { table, parent, ref } of staged.orphans()) {
    const kind = kindOf(table, detection.layout);
    const ticket =
      parent === '' ? 'names no ticket' : `belongs to the ticket ${parent}, which is not in the export`;
    yield {
      kind,
      table,
      ref,
      parent,
      message: `The ${kind} ${ticket}; add the ticket or correct the id, or leave the ${kind} out.`,
    };
  }
}

/** Tells them, and the rows beside the tickets that cannot be read; counts what would have become messages and events. */
export function reportOrphans(
  source: OpenedSource,
  problem: ProblemSink,
): { messages: number; events: number } {
  const counts: Record<Kind, number> = { message: 0, event: 0, row: 0 };
  const place = (ref: RecordRef) => ({ file: source.files.files[ref.file]?.name ?? '', line: ref.line });
  for (const { kind, table, ref, parent, message } of orphanRows(source)) {
    counts[kind]++;
    problem(
      {
        severity: 'warning',
        code: `orphan-${kind}`,
        ...(parent === '' ? {} : { ticket: parent }),
        ...place(ref),
        message,
        count: 1,
      },
      () => keySpot(source, table, ref),
    );
  }
  for (const { ref, message } of source.staged.unreadableRows())
    problem({ severity: 'warning', code: 'unreadable-row', ...place(ref), message, count: 1 }, () =>
      defectSpot(ref),
    );
  return { messages: counts.message, events: counts.event };
}

/** What rows of a table become, by the rules that read it. */
function kindOf(table: string, { messages = [], events = [] }: Layout): Kind {
  if (messages.some((rule) => rule.from === table)) return 'message';
  return events.some((rule) => rule.from === table) ? 'event' : 'row';
}
