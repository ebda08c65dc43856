/** Contacts, team members, channels; and whose workspace this is. */
import { z } from 'zod';
import { isEmail } from '../../check/email.ts';
import { organizationOf } from '../faults/change-data.ts';
import { rowNumber } from '../store/kept-values.ts';
import type { ContactRow } from '../store/people.ts';
import { keptTags, parsedTags } from '../store/tickets.ts';
import {
  agentSchema,
  CHANNELS,
  channelSchema,
  contactSchema,
  contactView,
  organizationSchema,
  page,
} from './answers.ts';
import { notFound, Refusal } from './refusal.ts';
import { anyOf, type Request, type Route, route, someText, take } from './route.ts';

const email = z.string().refine(isEmail, 'Must be an e-mail address.');
const name = z.string().optional();
const tags = z.array(z.string());
const tagsBody = z.strictObject({ tags: tags.min(1) }).meta({ id: 'Tags' });
const contactAnswer = z.object({ contact: contactSchema });
const byId = '/contacts/{contactId}';

export const PEOPLE_CALLS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/contacts',
    kind: 'contacts',
    summary: 'Contacts by e-mail, in pages that are counted from 1',
    query: {
      email: anyOf(z.string()),
      search: someText.describe('In the name or the e-mail'),
      page: z.coerce.number().int().min(1).max(1e9).default(1),
      take: take(25),
    },
    answer: z.object({ contacts: z.array(contactSchema), ...page, page: z.int() }),
    handle({ service: { store }, query }) {
      const offset = (query.page - 1) * query.take;
      const { contacts, total } = store.contacts.list({
        search: query.search,
        emails: query.email,
        take: query.take,
        offset,
      });
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
    method: 'POST',
    path: '/contacts',
    kind: 'update',
    summary: 'Find a contact by its e-mail, or create it; a name is taken over',
    body: z.strictObject({ email, name, tags: tags.optional() }).meta({ id: 'NewContact' }),
    status: 201,
    answer: contactAnswer,
    handle: ({ service: { store }, body, now }) =>
      store.group.write(() => {
        const row = store.contacts.matchOrCreate(body, now);
        return { contact: contactView(changed(store, row, { tags: body.tags }, now)) };
      }),
  }),
  route({
    method: 'GET',
    path: byId,
    kind: 'contacts',
    summary: 'One contact',
    answer: contactAnswer,
    handle: (request) => ({ contact: contactView(contactOf(request)) }),
  }),
  route({
    method: 'PUT',
    path: byId,
    kind: 'update',
    summary: 'Change a contact; what is left out stays',
    body: z
      .strictObject({ email: email.optional(), name, tags: tags.optional() })
      .meta({ id: 'ContactChanges' }),
    answer: contactAnswer,
    handle(request) {
      const { store } = request.service;
      const row = contactOf(request);
      const other = request.body.email === undefined ? undefined : store.contacts.find(request.body.email);
      if (other !== undefined && other.seq !== row.seq)
        throw new Refusal(409, 'conflict', 'email: Another contact has this address.', {
          fields: [{ path: 'email', message: 'Another contact has this address.' }],
        });
      return store.group.write(() => ({
        contact: contactView(changed(store, row, request.body, request.now)),
      }));
    },
  }),
  route({
    method: 'DELETE',
    path: byId,
    kind: 'update',
    summary: 'Delete a contact; its tickets stay',
    answer: z.object({ success: z.boolean() }),
    handle(request) {
      const { store } = request.service;
      const { seq } = contactOf(request);
      store.group.write(() => store.contacts.delete(seq));
      return { success: true };
    },
  }),
  ...(['addTags', 'removeTags'] as const).map((how) =>
    route({
      method: 'POST',
      path: `${byId}/${how}`,
      kind: 'update',
      summary: how === 'addTags' ? 'Give a contact tags' : 'Take tags from a contact',
      body: tagsBody,
      answer: contactAnswer,
      handle(request) {
        const { store } = request.service;
        const row = contactOf(request);
        const before = parsedTags(row.tags);
        const given = request.body.tags;
        const now = how === 'addTags' ? [...before, ...given] : before.filter((tag) => !given.includes(tag));
        return store.group.write(() => ({
          contact: contactView(changed(store, row, { tags: now }, request.now)),
        }));
      },
    }),
  ),
  route({
    method: 'GET',
    path: '/agents',
    kind: 'agents',
    summary: 'Team members',
    query: { email: anyOf(z.string()), search: someText.describe('A part of the e-mail or the name') },
    answer: z.object({ agents: z.array(agentSchema) }),
    handle({ service: { store, inventAgents }, query }) {
      const found = store.agents.all(query.search);
      if (query.email === undefined) return { agents: found };
      const asked = query.email.flatMap((each) => {
        const known = store.agents.byEmail(each);
        if (known !== undefined) return found.filter(({ id }) => id === known.id);
        return inventAgents && isEmail(each) ? [store.agents.add({ email: each })] : [];
      });
      return { agents: asked };
    },
  }),
  route({
    method: 'POST',
    path: '/agents',
    kind: 'update',
    summary: 'Find a team member by its e-mail, or create it',
    body: z.strictObject({ email, name }).meta({ id: 'NewAgent' }),
    status: 201,
    answer: z.object({ agent: agentSchema }),
    handle: ({ service: { store }, body }) => ({ agent: store.agents.add(body) }),
  }),
  route({
    method: 'GET',
    path: '/channels',
    kind: 'workspace',
    summary: 'Channels; a ticket that names none is in the first',
    answer: z.object({ channels: z.array(channelSchema) }),
    handle: () => ({ channels: CHANNELS }),
  }),
  route({
    method: 'GET',
    path: '/organization',
    kind: 'workspace',
    summary: 'Whose workspace this is',
    answer: z.object({ organization: organizationSchema }),
    handle: ({ service }) => ({ organization: organizationOf(service.store) }),
  }),
  route({
    method: 'GET',
    path: '/me',
    kind: 'workspace',
    summary: 'Who calls',
    answer: z.object({
      user: z.object({ id: z.string(), name: z.string(), email: z.string().nullable() }),
      organization: organizationSchema,
    }),
    handle({ service }) {
      const organization = organizationOf(service.store);
      const user = { id: `usr_${organization.id.slice('org_'.length)}`, name: 'Import', email: null };
      return { user, organization };
    },
  }),
];

/** The contact in the path. Throws Refusal 404. */
function contactOf({ service: { store }, param }: Pick<Request, 'service' | 'param'>): ContactRow {
  const id = param('contactId');
  const row = store.contacts.bySeq(rowNumber('contact', id) ?? -1);
  if (row === undefined) throw notFound('contact', id);
  return row;
}

function changed(
  { contacts }: Request['service']['store'],
  row: ContactRow,
  given: { email?: string | undefined; name?: string | undefined; tags?: readonly string[] | undefined },
  now: number,
): ContactRow {
  const { email, name, tags } = given;
  return contacts.update(row, { email, name, ...(tags === undefined ? {} : { tags: keptTags(tags) }) }, now);
}
