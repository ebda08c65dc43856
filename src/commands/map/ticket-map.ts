/** What became what: tickets of the source beside those of the target, in the forms in which that is used. Pure. */
import { addressWithId, csvCell, escapedPattern, printable } from '../../domain/printable.ts';
import type { Outcome } from '../../domain/ticket-state.ts';
import type { MapFormat } from './map-options.ts';

export interface MappedTicket {
  readonly externalId: string;
  /** Absent where it is not in the target. */
  readonly ticketId?: string | undefined;
  readonly state: Outcome;
}

/** Addresses with `{id}` for the id of a ticket; `notice` with `{url}` and `{id}`. */
export interface Addresses {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
  readonly notice?: string | undefined;
}

/** Which addresses a format cannot do without, as options. */
export const NEEDED: Readonly<Record<MapFormat, readonly ('source' | 'target')[]>> = {
  csv: [],
  jsonl: [],
  nginx: ['source', 'target'],
  caddy: ['source', 'target'],
  notices: ['target'],
};

export const NOTICE = 'This conversation has moved to our new helpdesk: {url}';

/** The file, piece by piece. Needs the addresses that the format cannot do without; `tickets` may be called twice. */
export function* mapLines(
  tickets: () => Iterable<MappedTicket>,
  format: MapFormat,
  addresses: Addresses,
): Generator<string> {
  switch (format) {
    case 'csv':
      yield 'old_id,old_address,new_id,new_address,state\r\n';
      for (const ticket of tickets())
        yield `${cellsOf(ticket, addresses)
          .map((text) => csvCell(text))
          .join(',')}\r\n`;
      return;
    case 'jsonl':
      for (const ticket of tickets()) yield `${JSON.stringify(objectOf(ticket, addresses))}\n`;
      return;
    case 'notices':
      for (const ticket of tickets()) yield* noticeOf(ticket, addresses);
      return;
    case 'nginx':
      yield* nginx(tickets, addresses);
      return;
    case 'caddy':
      yield* caddy(tickets(), addresses);
  }
}

function objectOf({ externalId, ticketId, state }: MappedTicket, { source, target }: Addresses) {
  return {
    oldId: externalId,
    oldAddress: source && addressWithId(source, externalId),
    newId: ticketId,
    newAddress: target && ticketId && addressWithId(target, ticketId),
    state,
  };
}

function cellsOf(ticket: MappedTicket, addresses: Addresses): string[] {
  const { oldId, oldAddress = '', newId = '', newAddress = '', state } = objectOf(ticket, addresses);
  return [oldId, oldAddress, newId, newAddress, state];
}

function* noticeOf({ externalId, ticketId }: MappedTicket, { target = '', notice = NOTICE }: Addresses) {
  if (ticketId === undefined) return;
  const text = notice.replaceAll('{url}', addressWithId(target, ticketId)).replaceAll('{id}', ticketId);
  yield `${JSON.stringify({ oldId: externalId, text })}\n`;
}

/** Where a request for an old ticket goes: what of the address a web server compares, decoded as servers decode it. */
interface Redirect {
  readonly externalId: string;
  readonly from: string;
  readonly to: string;
}

function* redirects(
  tickets: Iterable<MappedTicket>,
  { source = '', target = '' }: Addresses,
): Generator<Redirect> {
  for (const { externalId, ticketId } of tickets) {
    if (ticketId === undefined) continue;
    const from = comparedOf(source, externalId);
    // No address has a control character, and a line of a configuration must not.
    if (printable(from) === from) yield { externalId, from, to: addressWithId(target, ticketId) };
  }
}

function hasQuery(template: string): boolean {
  return template.includes('?');
}

/** With a query all of the request as browsers write it; without one the path, in which servers decode escapes. */
function comparedOf(template: string, id: string): string {
  if (hasQuery(template)) {
    const { pathname, search } = new URL(addressWithId(template, id));
    return pathname + search;
  }
  const { pathname } = new URL(template.replaceAll('{id}', PLACE));
  return decodeURI(pathname).replaceAll(PLACE, id);
}

const PLACE = 'ID-OF-THE-TICKET';

/** Strings of a map are compared without regard to case, so ids that differ in nothing else stand as patterns. */
function* nginx(tickets: () => Iterable<MappedTicket>, addresses: Addresses): Generator<string> {
  const variable = hasQuery(addresses.source ?? '') ? '$request_uri' : '$uri';
  const alike = alikeButForCase(tickets());
  yield '# Redirects from tickets of the old helpdesk to those of the new one.\n';
  yield '# In http { … }:    include this file;\n';
  yield '# In server { … }:  if ($moved_ticket) { return 301 $moved_ticket; }\n';
  yield 'map_hash_max_size 262144;\nmap_hash_bucket_size 512;\n\n';
  yield `map ${variable} $moved_ticket {\n    default "";\n`;
  for (const { externalId, from, to } of redirects(tickets(), addresses)) {
    const key = alike.has(externalId.toLowerCase()) ? `~^${escapedPattern(from)}$` : from;
    yield `    ${nginxText(key)} ${nginxText(to)};\n`;
  }
  yield '}\n';
}

function alikeButForCase(tickets: Iterable<MappedTicket>): ReadonlySet<string> {
  const seen = new Set<string>();
  const alike = new Set<string>();
  for (const { externalId } of tickets) {
    const folded = externalId.toLowerCase();
    // An id without letters is alike to none.
    if (folded === externalId.toUpperCase()) continue;
    if (seen.has(folded)) alike.add(folded);
    seen.add(folded);
  }
  return alike;
}

/** A value of its configuration: in quotes, and no variable is put into it. */
function nginxText(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function* caddy(tickets: Iterable<MappedTicket>, addresses: Addresses): Generator<string> {
  const variable = hasQuery(addresses.source ?? '') ? '{http.request.uri}' : '{http.request.uri.path}';
  yield '# Redirects from tickets of the old helpdesk to those of the new one.\n';
  yield '# In the block of the old site:  import <this file>\n';
  yield `map ${variable} {moved_ticket} {\n`;
  for (const { from, to } of redirects(tickets, addresses)) yield `\t${caddyText(from)} ${caddyText(to)}\n`;
  yield '\tdefault ""\n}\n@moved_ticket expression `{moved_ticket} != ""`\nredir @moved_ticket {moved_ticket} 301\n';
}

function caddyText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
