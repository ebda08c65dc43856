/** The contact of a body: by address, created if needed, or by ID (specification, 2.5). */
import { normalizeEmail } from '../../check/email.ts';
import { rowNumber } from '../store/kept-values.ts';
import type { ContactRow, NamedEmail } from '../store/people.ts';
import { unprocessable } from './refusal.ts';
import type { Request } from './route.ts';

interface ContactMention {
  contact?: NamedEmail | undefined;
  contactId?: string | undefined;
}

/** The contact, or null. `path` is its place in the body. Call inside a write. */
export type MatchContact = (mention: ContactMention, path: string) => ContactRow | null;

/** A thread repeats people: each is matched once a request and name. */
export function matching({
  service: { store },
  c,
  now,
}: Pick<Request, 'service' | 'c' | 'now'>): MatchContact {
  const contacts = c.get('contacts') ?? store.contacts;
  const matched = new Map<string, ContactRow>();
  return ({ contact, contactId }, path) => {
    if (contact === undefined) {
      const row = contacts.bySeq(rowNumber('contact', contactId ?? '') ?? -1);
      if (contactId !== undefined && row === undefined)
        throw unprocessable(path, `There is no contact ${contactId.slice(0, 100)}.`);
      return row ?? null;
    }
    const email = normalizeEmail(contact.email);
    const before = matched.get(email);
    const row =
      before === undefined
        ? contacts.matchOrCreate(contact, now)
        : contacts.update(before, contact.name, before.updated_at);
    matched.set(email, row);
    return row;
  };
}
