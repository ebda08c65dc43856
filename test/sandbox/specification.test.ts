/** Each row of specification.yaml, by the sandbox and by the target of unfair tests; what is refused has a reason and changes nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startUnfairTarget, TOKEN as UNFAIR } from '../support/unfair-target.ts';
import { runningOn, START } from './running-sandbox.ts';

type Json = Record<string, unknown>;
type Row = readonly [
  what: string,
  request: string,
  body: unknown,
  status: number,
  shown?: Json,
  more?: { at?: string; headers?: Record<string, string> },
];
interface Desk {
  send(request: string, body: unknown, headers?: Record<string, string>): Promise<Json>;
  /** The value of the table, with the names of this desk, as a matcher. */
  expected(shown: unknown): unknown;
  /** How much there is of everything. */
  size(): unknown;
}

const TABLES = parse(readFileSync(join(import.meta.dirname, 'specification.yaml'), 'utf8')) as Record<
  string,
  Row[]
>;

const desks = new Map<string, Desk>();
const closing: (() => Promise<void>)[] = [];

async function deskAt(url: string, token: string, size: Desk['size']): Promise<Desk> {
  const names = new Map([['{now}', new Date(START).toISOString()]]);
  const named = (text: string) =>
    [...names].reduce((now, [name, value]) => now.replaceAll(name, value), text);
  const send: Desk['send'] = async (request, body, headers = {}) => {
    const [method = '', path = ''] = named(request).split(' ');
    const text = typeof body === 'string' ? body : body == null ? undefined : named(JSON.stringify(body));
    const standard = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/core/v1${path}`, {
      ...{ method, headers: { ...standard, ...headers } },
      ...(text === undefined ? {} : { body: text }),
    });
    const shown = answer.headers.get('content-type')?.includes('json') ? await answer.json() : {};
    return { ...Object.fromEntries(answer.headers), ...(shown as Json), status: answer.status };
  };
  const expected: Desk['expected'] = (shown) => {
    if (typeof shown === 'string')
      return shown.startsWith('/') ? expect.stringMatching(new RegExp(shown.slice(1, -1))) : named(shown);
    if (Array.isArray(shown)) return shown.map(expected);
    if (shown === null || typeof shown !== 'object') return shown;
    return Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [
        name,
        name === 'fields'
          ? expect.arrayContaining([expect.objectContaining({ path: value })])
          : expected(value),
      ]),
    );
  };
  const contact = { email: 'ann@example.com' };
  const create = async (ticket: Json) =>
    (await send('POST /tickets', { contact, ...ticket }))['ticket'] as Json;
  const mine = await create({ subject: 'Mine', tags: ['kept'], readOnly: true });
  names.set('{id}', String(mine['id'])).set('{contact}', String(mine['contactId']));
  names.set('{other}', String((await create({ subject: 'Other' }))['id']));
  const put = await send(
    'PUT /tickets/{id}/messages',
    ['First', 'Second'].map((content, at) => ({
      ...{ actorType: 'customer', contact, content, occurredAt: `2021-01-0${at + 1}T00:00:00.000Z` },
    })),
  );
  names.set('{message}', (put['messages'] as { id: string }[])[1]?.id ?? '');
  return { send, expected, size };
}

beforeAll(async () => {
  for (const kind of ['strict', 'loose']) {
    const sandbox = await runningOn({ strict: kind === 'strict' });
    closing.push(() => sandbox.close());
    const tables = ['tickets', 'contacts', 'messages', 'events'];
    const size = () => tables.map((table) => sandbox.store.sql.value(`SELECT count(*) FROM ${table}`));
    desks.set(kind, await deskAt(sandbox.url, sandbox.token, size));
  }
  const unfair = await startUnfairTarget();
  closing.push(() => unfair.close());
  desks.set('both', await deskAt(unfair.url, UNFAIR, () => unfair.workspace.tickets.size));
});
afterAll(async () => {
  for (const close of closing) await close();
});

describe.each(Object.entries(TABLES))('%s', (_, rows) => {
  it.for(rows)('%s: %s', async ([, request, body, status, shown = {}, { at = '', headers } = {}]) => {
    const kinds = at.includes('loose') ? at : `strict ${at}`;
    for (const kind of kinds.trim().split(' ')) {
      const { send, expected, size } = desks.get(kind) as Desk;
      const before = size();
      const answer = await send(request, body, headers);
      expect(answer, `${kind}: ${JSON.stringify(answer)}`).toMatchObject({
        status,
        ...(expected(shown) as Json),
      });
      if (status < 400) continue;
      expect(size(), kind).toEqual(before);
      if (kind !== 'both') expect(answer['error']).toMatch(/[ ].*\.|…/);
    }
  });
});
