/** The parameters of `GET /tickets` (public facts): read strictly, so that a client's slip is not a silent "no match". */
import { TICKET_STATUSES } from '../../domain/payload.ts';
import { rowNumber } from '../store/kept-values.ts';
import type { ListPosition, TicketFilter } from '../store/ticket-list.ts';
import { Refusal } from './refusal.ts';

export interface ListQuery {
  filter: TicketFilter;
  order: 'newest' | 'oldest';
  take: number;
  after?: ListPosition;
  /** The contact that was asked for does not exist: nothing can match. */
  impossible: boolean;
}

export const DEFAULT_TAKE = 25;
export const MOST_TAKE = 100;

/** `queries` as they stand in the URL, each parameter with all its values. Throws Refusal 400. */
export function listQuery(queries: Readonly<Record<string, readonly string[]>>): ListQuery {
  const filter: TicketFilter = {};
  const search = last(queries['search']);
  if (search !== undefined) filter.search = search;
  const statuses = listed(queries['status']);
  for (const status of statuses)
    if (!TICKET_STATUSES.some((known) => known === status))
      throw wrong('status', `must be one of ${TICKET_STATUSES.join(', ')}`);
  if (statuses.length > 0) filter.statuses = statuses;
  const tags = listed(queries['tags']);
  if (tags.length > 0) filter.tags = tags;
  let impossible = false;
  const contactId = last(queries['contactId']);
  if (contactId !== undefined) {
    const contactSeq = rowNumber('contact', contactId);
    if (contactSeq === undefined) impossible = true;
    else filter.contactSeq = contactSeq;
  }
  const after = cursorPosition(last(queries['cursor']));
  return {
    filter,
    order: sortOrder(last(queries['sort'])),
    take: takeNumber(last(queries['take'])),
    ...(after === undefined ? {} : { after }),
    impossible,
  };
}

/** Opaque for clients; what it holds is the place in the order. */
export function cursorFor(position: ListPosition): string {
  return Buffer.from(`${position.createdMs}.${position.seq}`).toString('base64url');
}

function cursorPosition(cursor: string | undefined): ListPosition | undefined {
  if (cursor === undefined) return undefined;
  const match = /^(-?\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null) throw wrong('cursor', 'is not one that this service gave');
  return { createdMs: Number(match[1]), seq: Number(match[2]) };
}

function sortOrder(sort: string | undefined): 'newest' | 'oldest' {
  if (sort === undefined || sort === '-createdAt') return 'newest';
  if (sort === 'createdAt') return 'oldest';
  throw wrong('sort', 'must be createdAt or -createdAt');
}

function takeNumber(take: string | undefined): number {
  if (take === undefined) return DEFAULT_TAKE;
  const number = /^\d{1,4}$/.test(take) ? Number(take) : 0;
  if (number < 1 || number > MOST_TAKE) throw wrong('take', `must be a number from 1 to ${MOST_TAKE}`);
  return number;
}

/** Repeated, or with commas between. */
function listed(values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => value.split(',')).filter((value) => value !== '');
}

/** An empty parameter stands for none. */
function last(values: readonly string[] | undefined): string | undefined {
  const value = values?.at(-1);
  return value === '' ? undefined : value;
}

function wrong(parameter: string, what: string): Refusal {
  return new Refusal(400, 'invalid_parameter', `${parameter}: ${what}.`, {
    details: [{ path: parameter, message: what }],
  });
}
