/** What goes over the wire, to the letter: every form of the good fixtures gives the same requests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canned } from '../support/canned.ts';
import { fixtures } from '../support/cli.ts';
import { openFolder } from '../support/desk.ts';

interface Sent {
  ticket: Record<string, unknown>;
  messages: unknown[];
  events: unknown[];
}

/** A ticket waits for another one that makes its contact, so the order of creates is no promise. */
const inOrder = (tickets: readonly Sent[]) =>
  [...tickets].sort((a, b) =>
    JSON.stringify(a.ticket['subject']) < JSON.stringify(b.ticket['subject']) ? -1 : 1,
  );

/** A service that takes everything and remembers it by ticket. */
async function recorder() {
  const tickets: Sent[] = [];
  const server = await canned(({ method, url, body: text }) => {
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const [, id, list] = /\/tickets\/tic_(\d+)\/(messages|events)$/.exec(url) ?? [];
    if (method === 'POST') {
      tickets.push({ ticket: body as Sent['ticket'], messages: [], events: [] });
      // no short text: a token of another test that is the same would hide it
      return { status: 201, body: { ticket: { id: `tic_${tickets.length}` } } };
    }
    if (method !== 'PUT' || id === undefined) return { status: 404, body: { error: 'not_found' } };
    const ticket = tickets[Number(id) - 1];
    if (ticket !== undefined) ticket[list as 'messages' | 'events'] = body as unknown[];
    return {};
  });
  return { ...server, tickets };
}

async function sent(files: readonly string[]): Promise<Sent[]> {
  await using service = await recorder();
  const { type } = openFolder({ env: { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: 'token' } });
  const args = ['run', ...files, '--set', 'run.rate=100000/1', '--set', 'unmapped=drop', '--quiet'];
  const result = await type(...args);
  expect(result.stderr).toBe('');
  expect(result.code, result.stdout).toBe(0);
  const own = service.tickets.map(({ ticket }) => (ticket['tags'] as string[])[0] ?? '');
  expect(new Set(own).size, 'a tag of its own for each ticket').toBe(service.tickets.length);
  return inOrder(service.tickets).map(unmarked);
}

/** Without the two tags of identity, which come first, that of the run, and an id that the identity has as a hash. */
function unmarked({ ticket, ...rest }: Sent): Sent {
  const tags = ticket['tags'] as string[];
  expect(tags.slice(0, 2)).toEqual([expect.stringMatching(/^import--?[\w.-]+$/), 'from-import']);
  const own = tags.slice(2);
  expect(own.filter((tag) => /^run-\d{8}-\d{6}$/.test(tag))).toHaveLength(1);
  const isOurs = (tag: string) => /^run-\d{8}-\d{6}$/.test(tag) || tag.startsWith('import:');
  return { ticket: { ...ticket, tags: own.filter((tag) => !isOurs(tag)) }, ...rest };
}

const good = join(fixtures, 'native/good');
const expected = (path: string) =>
  inOrder(
    (JSON.parse(readFileSync(path, 'utf8')) as Sent[]).map(({ ticket, messages = [], events = [] }) => ({
      ticket,
      messages,
      events,
    })),
  );
const payloads = expected(join(good, 'expected-payloads.json'));

describe('sent payloads', () => {
  it.each(['jsonl', 'json', 'csv', 'csv-awkward'])('of the good fixture as %s', async (form) => {
    expect(await sent([join(good, form)])).toEqual(payloads);
  });
});
