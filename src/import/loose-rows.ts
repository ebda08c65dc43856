/** Rows of no ticket, and unreadable ones: a problem each, in the rejects, in no count of tickets. */
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { RecordRef, SourceLocation } from '../domain/source.ts';
import type { Layout } from '../mapping/language/layout.ts';
import type { OpenedSource } from './import-job.ts';
import { defectLocation, keyLocation } from './problem-frames.ts';

interface LooseRow {
  /** `lost`: a part of a ticket that cannot be read. */
  readonly kind: 'message' | 'event' | 'row' | 'unreadable' | 'lost';
  readonly table: string;
  readonly ref: RecordRef;
  readonly message: string;
  readonly problem: Problem;
  readonly locate: () => SourceLocation | undefined;
}

export function* looseRows(source: OpenedSource): Generator<LooseRow> {
  const { joined, detection } = source;
  const place = (ref: RecordRef) => ({ file: source.nameOf(ref), line: ref.line, count: 1 });
  for (const { table, parent, ref, near } of joined.unmatchedRows()) {
    const kind = kindOf(table, detection.layout);
    const named =
      parent === ''
        ? 'names no ticket'
        : `belongs to the ticket ${parent}, which is not in the export or shares its ID with another one`;
    const hint = near === undefined ? '' : ` The ticket ${near} is in the export: is it the same?`;
    const message = `The ${kind} ${named}; add the ticket or correct the id, or leave the ${kind} out.${hint}`;
    const ticket = parent === '' ? {} : { ticket: parent };
    const problem: Problem = {
      ...{ severity: 'warning', code: `orphan-${kind}`, ...ticket },
      ...{ ...place(ref), message },
    };
    yield { kind, table, ref, message, problem, locate: () => keyLocation(source, table, ref) };
  }
  for (const { table, ref, message, text, isOfTicket } of joined.unreadableRows()) {
    const problem: Problem = {
      severity: isOfTicket ? 'error' : 'warning',
      code: 'unreadable-row',
      ...place(ref),
      message: isOfTicket
        ? `${message} A ticket would be imported without it: ${JSON.stringify(text.trim())}`
        : message,
    };
    const kind = isOfTicket ? 'lost' : 'unreadable';
    yield { kind, table, ref, message, problem, locate: () => defectLocation(ref) };
  }
}

function kindOf(table: string, { messages = [], events = [] }: Layout): 'message' | 'event' | 'row' {
  if (messages.some((rule) => rule.from === table)) return 'message';
  return events.some((rule) => rule.from === table) ? 'event' : 'row';
}

export function lostRows(source: OpenedSource): AppError {
  const lines = [...looseRows(source)].flatMap(({ kind, ref, message }) =>
    kind === 'lost' ? `${source.nameOf(ref)}:${ref.line}: ${message}` : [],
  );
  return new AppError(
    'source',
    lines.length === 1
      ? 'A row of a ticket cannot be read, so nothing was sent.'
      : `${lines.length} rows of tickets cannot be read, so nothing was sent.`,
    {
      lines,
      hint: 'Correct them in the export. To import the tickets without these rows, add --set source.allowUnreadableRows=true.',
    },
  );
}
