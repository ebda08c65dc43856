/** Rows that belong to no ticket of the export: a warning each, in the rejects, in no count of tickets. */
import { AppError } from '../domain/errors.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import type { RecordRef, UnreadableRow } from '../domain/source.ts';
import type { Layout } from '../mapping/language/layout.ts';
import type { OpenedSource } from './import-job.ts';
import { defectLocation, keyLocation } from './problem-frames.ts';

type Kind = 'message' | 'event' | 'row';

export function* unmatchedRows({ joined, detection }: OpenedSource) {
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
 * Reports them, and the rows that cannot be read; counts what would have become messages and events, and `lost`, the
 * unreadable rows of tickets.
 */
export function reportUnmatchedRows(
  source: OpenedSource,
  problem: ProblemSink,
): { messages: number; events: number; lost: number } {
  const counts: Record<Kind, number> = { message: 0, event: 0, row: 0 };
  const place = (ref: RecordRef) => ({ file: source.nameOf(ref), line: ref.line });
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
    if (row.isOfTicket) lost++;
    problem({ ...unreadableRow(row), ...place(row.ref), count: 1 }, () => defectLocation(row.ref));
  }
  return { messages: counts.message, events: counts.event, lost };
}

function unreadableRow({
  isOfTicket,
  message,
  text,
}: UnreadableRow): Pick<Problem, 'severity' | 'code' | 'message'> {
  const code = 'unreadable-row';
  if (!isOfTicket) return { severity: 'warning', code, message };
  const shown = JSON.stringify(text.trim());
  return {
    severity: 'error',
    code,
    message: `${message} A ticket would be imported without it: ${shown}`,
  };
}

/** What rows of a table become, by the rules that read it. */
function kindOf(table: string, { messages = [], events = [] }: Layout): Kind {
  if (messages.some((rule) => rule.from === table)) return 'message';
  return events.some((rule) => rule.from === table) ? 'event' : 'row';
}

/** Tickets would be imported without them. */
export function unreadableRows(source: OpenedSource, count: number): AppError {
  const rows = [...source.joined.unreadableRows()].filter(({ isOfTicket }) => isOfTicket);
  return new AppError(
    'source',
    count === 1
      ? 'A row of a ticket cannot be read, so nothing was sent.'
      : `${count} rows of tickets cannot be read, so nothing was sent.`,
    {
      lines: rows.map(({ ref, message }) => `${source.nameOf(ref)}:${ref.line}: ${message}`),
      hint: 'Correct them in the export. To import the tickets without these rows, add --allow-unreadable-rows.',
    },
  );
}
