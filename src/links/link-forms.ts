/** Finds the ticket of the source at an address. */
import { escapedPattern } from '../domain/printable.ts';

/** Old and new addresses of tickets, kept in the checkpoint for deltas and `verify`. */
export interface LinkPlaces {
  /** Address of a ticket in the old helpdesk, with `{id}`. */
  readonly source?: string | undefined;
  /** Address of a ticket in the new helpdesk, with `{id}`. */
  readonly target: string;
  readonly platform: string;
}

/** Further paths of the same tickets on the same host. `*` matches one part of the path. */
const PATHS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    zendesk: '/agent/tickets/{id} /tickets/{id} /requests/{id} /hc/requests/{id} /hc/*/requests/{id}',
    freshdesk: '/a/tickets/{id} /helpdesk/tickets/{id} /support/tickets/{id} /*/support/tickets/{id}',
    jira: '/browse/{id}',
  }),
);

/** Reads the external id of a ticket from its address in the old helpdesk. */
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

/** A further query or fragment only names a place on the ticket's page. */
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
    const [id, ...others] = found.map(decoded);
    return id === '' || others.some((other) => other !== id) ? undefined : id;
  };
}

function patternOf(text: string): RegExp {
  const escaped = escapedPattern(text).replaceAll(PLACE, '([^/]+)').replaceAll('\\*', '[^/]+');
  return new RegExp(`^${escaped}$`);
}

function decoded(text: string | undefined): string {
  try {
    return decodeURIComponent(text ?? '');
  } catch {
    return '';
  }
}
