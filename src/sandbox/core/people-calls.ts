import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isEmail } from '../../check/people.ts';
import { isoOf, publicId } from '../store/kept-values.ts';
import { CHANNELS } from '../store/tickets.ts';
import type { Service } from './request.ts';
import { one, type Route, route, someTexts, take } from './router.ts';

export const PEOPLE_CALLS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/contacts',
    query: {
      email: someTexts,
      page: one(z.coerce.number().int().min(1).max(1e9).default(1)),
      take: take(25),
    },
    handle({ service: { store }, query }) {
      const offset = (query.page - 1) * query.take;
      const { contacts, total } = store.contacts.list({ emails: query.email, take: query.take, offset });
      return {
        contacts: contacts.map(({ seq, email, name, created_at: created, updated_at: updated }) => ({
          id: publicId('contact', seq),
          email,
          name,
          createdAt: isoOf(created),
          updatedAt: isoOf(updated),
        })),
        page: query.page,
        hasNextPage: offset + contacts.length < total,
        hasPreviousPage: query.page > 1,
        total,
      };
    },
  }),
  route({
    method: 'GET',
    path: '/agents',
    query: { email: someTexts },
    handle({ service: { store, inventAgents }, query }) {
      if (query.email === undefined) return { agents: store.agents.all() };
      const agents = query.email.flatMap((email) => {
        const known = store.agents.byEmail(email);
        if (known !== undefined) return [known];
        return inventAgents && isEmail(email) ? [store.agents.add({ email })] : [];
      });
      return { agents };
    },
  }),
  route({
    method: 'GET',
    path: '/channels',
    handle: () => ({ channels: CHANNELS }),
  }),
  route({
    method: 'GET',
    path: '/organization',
    handle: ({ service }) => ({ organization: organizationOf(service) }),
  }),
  route({
    method: 'GET',
    path: '/me',
    handle({ service }) {
      const organization = organizationOf(service);
      const user = { id: `usr_${organization.id.slice('org_'.length)}`, name: 'Import', email: null };
      return { user, organization };
    },
  }),
];

function organizationOf({ store }: Service): { id: string; name: string } {
  const id = store.settings.getOrMake('organization', () => `org_${randomBytes(9).toString('base64url')}`);
  return { id, name: `Sandbox ${id.slice(-4)}` };
}
