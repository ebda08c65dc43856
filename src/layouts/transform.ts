/**
 * `transform: ./my-transform.ts`: a module of the user for what the language cannot say. It exports one function,
 * called once for each ticket after mapping; Node strips the types when it loads the module.
 *
 *     import type { TransformTicket } from 'helpdesk-import';
 *     export const transform: TransformTicket = (ticket) => ({ ...ticket, ticket: { ...ticket.ticket, appId: 'app_1' } });
 */
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../domain/errors.ts';
import type { ShapedTicket } from '../domain/shaped.ts';
import type { Row, SourceTicket } from '../domain/source.ts';

/** What the function gets and gives back: candidates for payloads, checked after it. */
export interface TransformedTicket {
  readonly externalId: string;
  readonly ticket: Record<string, unknown>;
  readonly messages: readonly Record<string, unknown>[];
  readonly events: readonly Record<string, unknown>[];
}

export interface TransformSource {
  /** The ticket's own row as an object: headers or keys → values. */
  readonly row: Record<string, unknown>;
  /** Rows of child tables by table name. */
  readonly rows: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

/** Gives back the ticket to import, or a text: the reason for which it is left out. */
export type TransformTicket = (
  ticket: TransformedTicket,
  source: TransformSource,
) => TransformedTicket | string;

/** Loads the module; throws AppError `configuration` when there is none or it exports no function `transform`. */
export async function loadTransform(path: string, folder: string): Promise<TransformTicket> {
  const file = isAbsolute(path) ? path : resolve(folder, path);
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new AppError(
      'configuration',
      `The transform ${path} cannot be loaded: ${(error as Error).message}.`,
      {
        cause: error,
      },
    );
  }
  const { transform } = module;
  if (typeof transform !== 'function')
    throw new AppError('configuration', `The transform ${path} exports no function named transform.`);
  return transform as TransformTicket;
}

/** Applies the function; whatever it throws rejects this ticket and no other. */
export function applyTransform(
  transform: TransformTicket,
  shaped: ShapedTicket,
  source: SourceTicket,
  headers: (file: number) => readonly string[],
): ShapedTicket {
  const object = (row: Row) => rowObject(row, headers);
  try {
    const result = transform(
      {
        externalId: shaped.externalId,
        ticket: shaped.ticket,
        messages: shaped.messages.map((item) => item.value),
        events: shaped.events.map((item) => item.value),
      },
      {
        row: object(source.row),
        rows: Object.fromEntries([...source.children].map(([table, rows]) => [table, rows.map(object)])),
      },
    );
    if (typeof result === 'string') return { ...shaped, excluded: result };
    const items = (values: readonly Record<string, unknown>[], before: ShapedTicket['messages']) =>
      values.map((value, index) => ({
        value,
        // a value that was handed on keeps its row; a new one stands at the same place, or at the ticket
        ref: (before.find((item) => item.value === value) ?? before[index])?.ref ?? shaped.ref,
      }));
    return {
      ...shaped,
      ticket: result.ticket,
      messages: items(result.messages, shaped.messages),
      events: items(result.events, shaped.events),
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...shaped,
      problems: [
        ...shaped.problems,
        {
          severity: 'error',
          code: 'transform-failed',
          ticket: shaped.externalId,
          line: shaped.ref.line,
          message: `The transform failed for this ticket: ${message.slice(0, 200)}.`,
          count: 1,
        },
      ],
    };
  }
}

function rowObject(row: Row, headers: (file: number) => readonly string[]): Record<string, unknown> {
  if (row.object !== undefined) return row.object;
  return Object.fromEntries(headers(row.ref.file).map((header, index) => [header, row.cells?.[index] ?? '']));
}
