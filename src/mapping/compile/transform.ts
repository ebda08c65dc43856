/**
 * `transform: ./my-transform.ts`: a module of the user for what the language cannot say. It exports one function,
 * called once for each ticket after mapping; Node strips the types when it loads the module.
 *
 *     import type { TransformTicket } from 'helpdesk-import';
 *     export const transform: TransformTicket = (ticket) => ({ ...ticket, ticket: { ...ticket.ticket, appId: 'app_1' } });
 */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../domain/errors.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import type { MappedTicket } from '../../domain/ticket.ts';

export interface TransformedTicket {
  readonly externalId: string;
  readonly ticket: Record<string, unknown>;
  readonly messages: readonly Record<string, unknown>[];
  readonly events: readonly Record<string, unknown>[];
}

export interface TransformSource {
  /** A CSV row without empty cells: `contact.email` nests, a repeated header is a list. */
  readonly row: Record<string, unknown>;
  readonly rows: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

/** Returns the ticket to import, or a text: why it is left out. */
export type TransformTicket = (
  ticket: TransformedTicket,
  source: TransformSource,
) => TransformedTicket | string;

/** Throws AppError `configuration` without a function `transform`. */
export async function loadTransform(path: string, folder: string): Promise<TransformTicket> {
  const file = isAbsolute(path) ? path : resolve(folder, path);
  if (!existsSync(file))
    throw new AppError('configuration', `The transform ${path} does not exist.`, {
      hint: 'Correct `transform` in the settings. A path there starts at the folder of the settings file.',
    });
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    const message = `The transform ${path} cannot be loaded: ${(error as Error).message}.`;
    throw new AppError('configuration', message, { cause: error });
  }
  const { transform } = module;
  if (typeof transform !== 'function')
    throw new AppError('configuration', `The transform ${path} exports no function named transform.`);
  return transform as TransformTicket;
}

export function applyTransform(
  transform: TransformTicket,
  mapped: MappedTicket,
  source: SourceTicket,
): MappedTicket {
  const object = ({ object = {} }: Row) => object;
  try {
    const result = transform(
      {
        externalId: mapped.externalId,
        ticket: mapped.ticket,
        messages: mapped.messages.map((item) => item.value),
        events: mapped.events.map((item) => item.value),
      },
      {
        row: object(source.row),
        rows: Object.fromEntries([...source.children].map(([table, rows]) => [table, rows.map(object)])),
      },
    );
    if (typeof result === 'string') return { ...mapped, excluded: result };
    const items = (values: readonly Record<string, unknown>[], before: MappedTicket['messages']) =>
      values.map((value, index) => ({
        value,
        // A passed value keeps its row; a new one gets the row at its place, or the ticket's.
        ref: (before.find((item) => item.value === value) ?? before[index])?.ref ?? mapped.ref,
      }));
    return {
      ...mapped,
      ticket: result.ticket,
      messages: items(result.messages, mapped.messages),
      events: items(result.events, mapped.events),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const problem = {
      severity: 'error',
      code: 'transform-failed',
      ticket: mapped.externalId,
      line: mapped.ref.line,
      message: `The transform failed for this ticket: ${why.slice(0, 200)}.`,
      count: 1,
    } as const;
    return { ...mapped, problems: [...mapped.problems, problem] };
  }
}
