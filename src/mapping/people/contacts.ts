/** Contacts of customers, and what to do with a customer who has no e-mail address. */

import type { ContactRef } from '../../domain/payload.ts';
import { sha256 } from '../../domain/sha256.ts';
import type { Person } from './people.ts';

/** `reject`: the message fails checking. `synthesize`: an address under a domain that the user owns. */
export type CustomersWithoutEmail = 'reject' | { readonly synthesize: string };

/** Undefined where there is no address and none may be made up. */
export function contactOf(person: Person, policy: CustomersWithoutEmail): ContactRef | undefined {
  const email = person.email ?? synthesized(person, policy);
  if (email === undefined) return undefined;
  return person.name === undefined ? { email } : { email, name: person.name };
}

/** Somebody wrote and nothing says who: a contact of that ticket alone, where addresses may be made up. */
export function contactOfTicket(externalId: string, policy: CustomersWithoutEmail): ContactRef | undefined {
  return contactOf({ ...NAMELESS, id: `of-ticket-${externalId}` }, policy);
}

const NAMELESS: Person = {
  id: undefined,
  email: undefined,
  name: undefined,
  role: undefined,
  roleFrom: undefined,
};

/** The same person always gets the same address: the id where there is one, else the name, made safe. */
function synthesized(person: Person, policy: CustomersWithoutEmail): string | undefined {
  const source = person.id ?? person.name;
  if (policy === 'reject' || source === undefined) return undefined;
  const safe = source
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  // two names that look alike once made safe must not become one contact
  const plain = safe === source && safe.length <= 48;
  const digest = sha256(source).slice(0, 8);
  const local = plain ? safe : `${safe.slice(0, 39)}${safe === '' ? '' : '-'}${digest}`;
  return `customer-${local}@${policy.synthesize.replace(/^@/, '')}`;
}
