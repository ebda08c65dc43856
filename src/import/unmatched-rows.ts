/** Rows that belong to no ticket of the export: told one by one, kept in the rejects, counted with no ticket. */
import type { Problem, ProblemSink } from '../domain/problem.ts';
import type { RecordRef, UnreadableRow } from '../domain/source.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { defectLocation, keyLocation } from './problem-frames.ts';
import type { OpenedSource } from './source.ts';

type Kind = 'message' | 'event' | 'row';

export interface UnmatchedRow {
  readonly kind: Kind;
  readonly table: string;
  readonly ref: RecordRef;
  /** The ticket id that the row names; may be empty. */
  readonly parent: string;
  readonly message: string;
}

export function* unmatchedRows({ joined, detection }: OpenedSource): Generator<UnmatchedRow> {
  for (const { table, parent, ref } of joined.unmatchedRows()) {
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

/**
 * Tells them, and the rows beside the tickets that cannot be read; counts what would have become messages and events, and
 * `lost`, the rows of tickets that nobody knows.
 */
export function reportUnmatchedRows(
  source: OpenedSource,
  problem: ProblemSink,
): { messages: number; events: number; lost: number } {
  const counts: Record<Kind, number> = { message: 0, event: 0, row: 0 };
  const place = (ref: RecordRef) => ({ file: source.files.files[ref.file]?.name ?? '', line: ref.line });
  for (const { kind, table, ref, parent, message } of unmatchedRows(source)) {
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
      () => keyLocation(source, table, ref),
    );
  }
  let lost = 0;
  for (const row of source.joined.unreadableRows()) {
    // The ticket itself tells of it.
    if (row.owner === 'ticket') continue;
    if (row.owner === 'unknown') lost++;
    problem({ ...unreadableRow(row), ...place(row.ref), count: 1 }, () => defectLocation(row.ref));
  }
  return { messages: counts.message, events: counts.event, lost };
}

function unreadableRow({
  owner,
  message,
  text,
}: UnreadableRow): Pick<Problem, 'severity' | 'code' | 'message'> {
  const code = 'unreadable-row';
  if (owner !== 'unknown') return { severity: 'warning', code, message };
  const shown = JSON.stringify(text.trim());
  return {
    severity: 'error',
    code,
    message: `${message} Whose row it is cannot be read, so a ticket may be imported without it: ${shown}`,
  };
}

/** What rows of a table become, by the rules that read it. */
function kindOf(table: string, { messages = [], events = [] }: Layout): Kind {
  if (messages.some((rule) => rule.from === table)) return 'message';
  return events.some((rule) => rule.from === table) ? 'event' : 'row';
}
