import { decodeHTMLStrict } from 'entities';
import { decoded } from '../attachments/address.ts';
import * as bodies from '../attachments/addresses-in-body.ts';
import type { ContentType, MessagePayload } from '../domain/payload.ts';
import { addressWithId, escapedHtml, escapedPattern } from '../domain/printable.ts';
import type { RewrittenLink } from '../domain/ticket.ts';

export interface LinkRules {
  idIn(address: string): string | undefined;
  readonly target: string;
  ticketOf(externalId: string): string | undefined;
}

export function rewriteLinks(
  messages: readonly MessagePayload[],
  { idIn, target, ticketOf }: LinkRules,
): { readonly messages: readonly MessagePayload[]; readonly links: readonly RewrittenLink[] } {
  const links: RewrittenLink[] = [];
  const rewritten = messages.map((message, index) => {
    const replaced = linksIn(message.content, message.contentType).flatMap((found) => {
      const oldId = idIn(found.written);
      const newId = oldId === undefined ? undefined : ticketOf(oldId);
      if (oldId === undefined || newId === undefined) return [];
      const address = addressWithId(target, newId);
      links.push({ message: index, written: found.written, oldId, newId, newAddress: address });
      return { found, address };
    });
    return replaced.length === 0
      ? message
      : { ...message, content: bodies.replaceAddresses(message.content, replaced) };
  });
  return { messages: links.length === 0 ? messages : rewritten, links };
}

/** The first of overlapping links. */
function linksIn(content: string, type: ContentType | undefined): bodies.FoundAddress[] {
  const { text, code } =
    type === 'html' ? bodies.htmlParts(content) : { text: '', code: bodies.codeIn(content) };
  const inText = bodies.bareLinks(text).map((link) => ({
    ...link,
    written: decodeHTMLStrict(link.written),
    escape: escapedHtml,
  }));
  const found: bodies.FoundAddress[] = [];
  for (const link of [...bodies.addressesInBody(content, type), ...inText]) {
    const isTaken = [...code, ...found].some(({ start, end }) => link.start < end && start < link.end);
    if (link.kind === 'link' && !isTaken) found.push(link);
  }
  return found.sort((one, other) => one.start - other.start);
}

export interface LinkPlaces {
  readonly source?: string | undefined;
  readonly target: string;
  readonly platform: string;
}

/** `*` matches one part of the path. */
const PATHS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    zendesk: '/agent/tickets/{id} /tickets/{id} /requests/{id} /hc/requests/{id} /hc/*/requests/{id}',
    freshdesk: '/a/tickets/{id} /helpdesk/tickets/{id} /support/tickets/{id} /*/support/tickets/{id}',
    jira: '/browse/{id}',
  }),
);

export function ticketReader({
  source,
  platform,
}: Omit<LinkPlaces, 'target'>): (address: string) => string | undefined {
  if (source === undefined) return () => undefined;
  const { origin } = new URL(source);
  const paths = PATHS.get(platform)?.split(' ') ?? [];
  const templates = [source, ...paths.map((path) => origin + path)];
  const readers = templates.map(addressReader);
  return (address) => {
    const url = /^https?:/i.test(address) ? URL.parse(address) : null;
    if (url === null) return undefined;
    for (const read of readers) {
      const id = read(url);
      if (id !== undefined) return id;
    }
    return undefined;
  };
}

const PLACE = 'id-of-the-ticket';

function addressReader(template: string): (url: URL) => string | undefined {
  const form = new URL(template.replaceAll('{id}', PLACE));
  const path = patternOf(form.pathname.replace(/\/$/, ''));
  const hash = form.hash.includes(PLACE) ? patternOf(form.hash) : undefined;
  const query = [...form.searchParams];
  return (url) => {
    if (url.host.toLowerCase() !== form.host.toLowerCase()) return undefined;
    const match = path.exec(url.pathname.replace(/\/$/, ''));
    if (match === null) return undefined;
    const found = match.slice(1);
    if (hash !== undefined) {
      const behind = hash.exec(url.hash);
      if (behind === null) return undefined;
      found.push(...behind.slice(1));
    }
    for (const [name, value] of query) {
      const given = url.searchParams.get(name);
      if (value === PLACE && given !== null) found.push(encodeURIComponent(given));
      else if (given !== value) return undefined;
    }
    const [id, ...others] = found.map((part) => decoded(part ?? ''));
    return id === '' || others.some((other) => other !== id) ? undefined : id;
  };
}

function patternOf(text: string): RegExp {
  const escaped = escapedPattern(text).replaceAll(PLACE, '([^/]+)').replaceAll('\\*', '[^/]+');
  return new RegExp(`^${escaped}$`);
}
