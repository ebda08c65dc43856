/**
 * Whether a ticket or message hangs on the contact that was sent (2.5). A target may tell the address, or the contact's
 * id only; then the address cannot be compared, but that one address always leads to the same id can (contact-ids.ts).
 */
import type { ContactRef } from '../domain/payload.ts';
import { normalizedEmail, toldId, toldObject, toldString } from '../domain/snapshot.ts';
import { type Check, NOT_TOLD } from './check.ts';

export interface SentContact {
  readonly contact?: ContactRef;
  readonly contactId?: string;
}

/** `of` names the bearer in the sentence: `the ticket`, `message 3`. */
export function compareContact(
  sent: SentContact,
  read: Readonly<Record<string, unknown>>,
  of: string,
): Check | undefined {
  const name = 'contact matching';
  if (sent.contact === undefined && sent.contactId === undefined) return undefined;
  const contact = toldObject(read, 'contact');
  const id = toldId(read, 'contactId', 'contact');
  const email = contact ? toldString(contact, 'email') : toldString(read, 'contactEmail');

  if (sent.contactId !== undefined) {
    if (typeof id === 'string')
      return id === sent.contactId
        ? { name, ok: true, detail: 'The contact is the one that was named by its id.' }
        : {
            name,
            ok: false,
            detail: `The target links ${of} to contact ${id} instead of ${sent.contactId}.`,
          };
  } else if (sent.contact !== undefined && typeof email === 'string') {
    const wanted = normalizedEmail(sent.contact.email);
    return normalizedEmail(email) === wanted
      ? { name, ok: true, detail: 'The contact has the address that was sent.' }
      : { name, ok: false, detail: `The target links ${of} to ${email} instead of ${wanted}.` };
  } else if (typeof id === 'string') {
    return { name, ok: true, detail: `A contact is linked; the target tells its id only.` };
  }
  if (id === null || contact === null)
    return { name, ok: false, detail: `The target links no contact to ${of}.` };
  return { name, ok: true, detail: NOT_TOLD };
}
