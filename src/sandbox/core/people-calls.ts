/** Contacts, team members, channels and the organization. */
import { z } from 'zod';
import { isEmail } from '../../check/email.ts';
import { organizationOf } from '../store/settings.ts';
import { CHANNELS, contactView } from './answers.ts';
import { type Route, route, someTexts, take } from './route.ts';

export const PEOPLE_CALLS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/contacts',
    kind: 'contacts',
    query: { email: someTexts, page: z.coerce.number().int().min(1).max(1e9).default(1), take: take(25) },
    handle({ service: { store }, query }) {
      const offset = (query.page - 1) * query.take;
      const { contacts, total } = store.contacts.list({ emails: query.email, take: query.take, offset });
      return {
        contacts: contacts.map(contactView),
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
    kind: 'agents',
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
    kind: 'workspace',
    handle: () => ({ channels: CHANNELS }),
  }),
  route({
    method: 'GET',
    path: '/organization',
    kind: 'workspace',
    handle: ({ service }) => ({ organization: organizationOf(service.store.settings) }),
  }),
  route({
    method: 'GET',
    path: '/me',
    kind: 'workspace',
    handle({ service }) {
      const organization = organizationOf(service.store.settings);
      const user = { id: `usr_${organization.id.slice('org_'.length)}`, name: 'Import', email: null };
      return { user, organization };
    },
  }),
];
