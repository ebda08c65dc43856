/** The document that the service gives of itself: valid, complete, and true of every request that this program sends. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import createClient from 'openapi-fetch';
import generateTypes from 'openapi-typescript';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import type { OpenApiDocument } from '../../src/sandbox/core/openapi.ts';
import { createCoreApi } from '../../src/target/core-api/client.ts';
import { createAdmission } from '../../src/target/pace/admission.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { generatedEvents, generatedMessages, generatedTicket } from '../support/generated-ticket.ts';
import type { components, paths } from './openapi-types.ts';
import { type RunningSandbox, running } from './running-sandbox.ts';

const documentOf = async ({ url }: RunningSandbox): Promise<OpenApiDocument> =>
  (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;

it.each([true, false])('the document is valid, strict %s', async (strict) => {
  const document = await documentOf(await running({ strict }));
  expect(await new Validator().validate(document as unknown as Record<string, unknown>)).toMatchObject({
    valid: true,
  });
  const calls = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const ids = calls.map((call) => call['operationId']);
  expect(new Set(ids).size).toBe(ids.length);
});

it('strict leaves of the writes of the Core API the three that the specification names', async () => {
  const { paths: strict } = await documentOf(await running({ strict: true }));
  const writes = Object.entries(strict).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get' && path.startsWith('/api/core'))
      .map((method) => `${method} ${path.slice('/api/core/v1'.length)}`),
  );
  expect(writes).toEqual([
    'post /tickets',
    'put /tickets/{ticketId}/messages',
    'put /tickets/{ticketId}/events',
  ]);
});

const TYPES = join(import.meta.dirname, 'openapi-types.ts');

it('a client generated from the document works: types by openapi-typescript, calls by openapi-fetch', async () => {
  const sandbox = await running({ strict: false });
  const document = await documentOf(sandbox);
  const stable = { ...document, servers: [], components: { ...document.components, securitySchemes: {} } };
  const types = await generateTypes(stable as never);
  // `UPDATE_TYPES=1 npx vitest run test/sandbox/openapi.test.ts` writes them anew.
  if (process.env['UPDATE_TYPES'] === '1') writeFileSync(TYPES, types);
  expect(types).toBe(readFileSync(TYPES, 'utf8'));

  const client = createClient<paths>({
    baseUrl: sandbox.url,
    headers: { authorization: `Bearer ${sandbox.token}` },
  });
  const made = await client.POST('/api/core/v1/tickets', {
    body: {
      subject: 'Typed',
      contact: { email: 'ann@example.com' },
      tags: ['a', 'b'],
      channelId: 'chn_email',
    },
  });
  const ticket: components['schemas']['Ticket'] | undefined = made.data?.ticket;
  expect(ticket).toMatchObject({ subject: 'Typed', channel: { name: 'E-mail' }, ticketNumber: 1 });
  const params = { path: { ticketId: ticket?.id ?? '' } };
  await client.PUT('/api/core/v1/tickets/{ticketId}', {
    params,
    body: { status: 'pending', priority: 'high' },
  });
  await client.POST('/api/core/v1/tickets/{ticketId}/messages', {
    params,
    body: { actorType: 'customer', content: 'Hello', contact: { email: 'ann@example.com' } },
  });
  const list = await client.GET('/api/core/v1/tickets', {
    params: {
      query: { status: ['pending', 'open'], tags: ['a', 'b'], sort: 'updatedAt', sortDirection: 'desc' },
    },
  });
  expect(list.data?.tickets).toMatchObject([{ id: ticket?.id, priority: 'high', messageCount: 1 }]);
  const refused = await client.GET('/api/core/v1/tickets', { params: { query: { take: 1000 } } });
  expect(refused.error).toMatchObject({ error: expect.stringContaining('take'), code: 'invalid_parameter' });
});

/** Passes requests on to the sandbox and says of each in what the document does not allow it. */
async function inspected(
  sandbox: RunningSandbox,
): Promise<{ url: string; faults: string[]; calls: Set<string> }> {
  const { paths: known, components: parts } = await documentOf(sandbox);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const faults: string[] = [];
  const calls = new Set<string>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', sandbox.url);
    const method = (request.method ?? '').toLowerCase();
    const body = await buffer(request);
    const template = Object.keys(known).find((path) =>
      new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
    );
    const call = known[template ?? '']?.[method];
    calls.add(`${method} ${template ?? pathname}`);
    if (call === undefined) faults.push(`no call ${method} ${pathname}`);
    for (const name of searchParams.keys())
      if (call?.parameters.some((each) => each.in === 'query' && each.name === name) !== true)
        faults.push(`${method} ${pathname}: no parameter ${name}`);
    const schema = call?.requestBody?.content['application/json'].schema;
    if (body.length > 0 !== (schema !== undefined)) faults.push(`${method} ${pathname}: a body, or none`);
    if (schema !== undefined && !ajv.validate({ ...schema, components: parts }, JSON.parse(String(body))))
      faults.push(`${method} ${pathname}: ${ajv.errorsText()}`);
    const answer = await fetch(`${sandbox.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(body.length === 0 ? {} : { body }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults, calls };
}

it('every request that this program sends to the Core API is valid by the document, strict and not', async () => {
  for (const strict of [true, false]) {
    const sandbox = await running({ strict, inventAgents: true });
    const { url, faults, calls } = await inspected(sandbox);
    const clock = createFakeClock();
    const api = createCoreApi({
      baseUrl: url,
      credentials: { kind: 'token', token: new Secret(sandbox.token) },
      timeoutMs: 30_000,
      connections: 4,
      admission: createAdmission({ budgets: [], clock }),
      clock,
      random: () => 1,
    });
    const signal = AbortSignal.timeout(60_000);
    const shape = { tickets: 12, messages: 4, seed: 5 };
    for (let index = 0; index < shape.tickets; index++) {
      const { id: external, ...ticket } = generatedTicket(shape, index);
      const { id } = await api.createTicket({ ...ticket, tags: [...ticket.tags, external] }, signal);
      const messages = generatedMessages(shape, index);
      await api.replaceMessages(id, messages, signal);
      await api.replaceEvents(id, generatedEvents(shape, index), signal);
      expect(await api.readMessages(id, signal)).toHaveLength(messages.length);
      await api.readEvents(id, signal);
      await api.readTicket(id, signal);
      const [first] = await api.readMessages(id, signal);
      if (first !== undefined) await api.readMessage(id, first.id, signal);
    }
    expect(await api.findTickets({ search: 'order', tags: ['billing'] }, signal)).toBeInstanceOf(Array);
    expect(await api.countTickets({}, signal)).toBe(12);
    expect(await api.whoIs(signal)).toMatch(/^org_/);
    expect(await api.findAgent('kim@desk.example', signal)).toMatch(/^agt_/);
    await api.close();
    expect(faults).toEqual([]);
    expect(calls.size).toBe(10);
  }
});
