/**
 * Which contact a body means: matched or created by e-mail, or named by id (specification, 2.5).
 *
 * Normally the whole decision falls inside the request's write, so two requests cannot both create one contact. The
 * racy form looks first, pauses, and then creates what it did not find, as services without a unique index do: it
 * exists to prove that a client does not provoke it.
 */
import { normalizeEmail } from '../../check/email.ts';
import type { Clock } from '../../domain/clock.ts';
import { rowNumber } from '../store/kept-values.ts';
import type { ContactRow, Contacts, NamedEmail } from '../store/people.ts';
import { unprocessable } from './refusal.ts';
import type { Request } from './route.ts';

export interface ContactMention {
  contact?: NamedEmail | undefined;
  contactId?: string | undefined;
}

/** The contact that is meant, null for none. `path` leads to the mention in the body. To be called inside the request's write. */
export type MatchContact = (mention: ContactMention, path: string) => ContactRow | null;

/** As this service matches, for one request that mentions these contacts. */
export function matching(
  { service: { store, clock, closing, racyContactsMs }, c, traits, now }: Omit<Request, 'body' | 'query'>,
  mentions: readonly ContactMention[],
): MatchContact | Promise<MatchContact> {
  const { contacts } = store;
  const racyMs = c.get('reported')?.racyMs ?? racyContactsMs;
  if (traits.has('contacts-merged')) return mergedMatching(contacts, now);
  if (racyMs === undefined) return atomicMatching(contacts, now);
  return racyMatching(contacts, mentions, clock, racyMs, closing);
}

export function atomicMatching(contacts: Contacts, now: number): MatchContact {
  return matchingBy(contacts, (contact) => contacts.matchOrCreate(contact, now));
}

/** A service that takes all people of one company for one: the first contact of the domain stands for them. */
function mergedMatching(contacts: Contacts, now: number): MatchContact {
  return matchingBy(contacts, (contact) => {
    const domain = normalizeEmail(contact.email).split('@').at(-1) ?? '';
    return contacts.firstOf(domain) ?? contacts.matchOrCreate(contact, now);
  });
}

/** Looks every mentioned contact up now, and resolves after `pauseMs` with a matching that trusts what it saw. */
async function racyMatching(
  contacts: Contacts,
  mentions: readonly ContactMention[],
  clock: Clock,
  pauseMs: number,
  signal: AbortSignal,
): Promise<MatchContact> {
  const seen = new Map<string, ContactRow | undefined>();
  for (const { contact } of mentions)
    if (contact !== undefined) seen.set(normalizeEmail(contact.email), contacts.find(contact.email));
  await clock.sleep(pauseMs, signal);
  const now = clock.now();
  return matchingBy(contacts, (contact) => {
    const found = seen.get(normalizeEmail(contact.email));
    return found === undefined
      ? contacts.create(contact, now)
      : contacts.update(found, { name: contact.name }, now);
  });
}

/** A thread names few people many times: each is matched once for a request, and again only under another name. */
function matchingBy(contacts: Contacts, match: (contact: NamedEmail) => ContactRow): MatchContact {
  const matched = new Map<string, ContactRow>();
  return ({ contact, contactId }, path) => {
    if (contact === undefined) return contactById(contacts, contactId, path);
    const email = normalizeEmail(contact.email);
    const before = matched.get(email);
    const row =
      before === undefined
        ? match(contact)
        : contacts.update(before, { name: contact.name }, before.updated_at);
    matched.set(email, row);
    return row;
  };
}

function contactById(contacts: Contacts, contactId: string | undefined, path: string): ContactRow | null {
  if (contactId === undefined) return null;
  const seq = rowNumber('contact', contactId);
  const row = seq === undefined ? undefined : contacts.bySeq(seq);
  if (row === undefined)
    throw unprocessable(
      path.startsWith('contactIds') ? path.slice(0, -1) : `${path}contactId`,
      `There is no contact ${contactId.slice(0, 100)}.`,
    );
  return row;
}
