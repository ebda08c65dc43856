/** The script of docs/platforms/zendesk.md, against a server that answers as Zendesk does. */
import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cli, fixtures, root, temporaryFolder } from '../support/cli.ts';

type Json = Record<string, unknown>;

const read = (name: string) => readFileSync(join(fixtures, 'zendesk-export', name), 'utf8');
const tickets = (JSON.parse(read('tickets.json')) as { tickets: Json[] }).tickets;
const users = (JSON.parse(read('users.json')) as { users: Json[] }).users;
const comments = read('comments.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Json);

/** Other parts of an audit: the person's location, the text, other fields. */
const audit = (id: number, author_id: number, created_at: string, ...changes: Json[]): Json => ({
  id,
  author_id,
  created_at,
  metadata: { system: { ip_address: '192.0.2.7' } },
  via: { channel: 'web' },
  events: [{ id: id * 10, type: 'Comment', body: 'Once more', public: true }, ...changes],
});
const status = (id: number, previous_value: string, value: string): Json => ({
  id,
  type: 'Change',
  field_name: 'status',
  previous_value,
  value,
  via: { channel: 'rule' },
});
const audits: Readonly<Record<string, readonly Json[]>> = {
  41: [
    audit(501, 7001, '2024-04-08T07:41:00Z', { id: 1, type: 'Create', field_name: 'status', value: 'new' }),
    audit(502, 9001, '2024-04-08T08:00:00Z', status(2, 'new', 'open')),
    audit(503, 9001, '2024-04-08T09:00:00Z', status(3, 'open', 'pending'), {
      id: 4,
      type: 'Change',
      field_name: 'priority',
      previous_value: null,
      value: 'high',
    }),
    audit(504, -1, '2024-04-10T12:30:00Z', status(5, 'pending', 'solved')),
  ],
  44: [1, 2, 3, 4].map((n) => audit(600 + n, 9002, `2024-05-0${n}T10:00:00Z`)),
};
/** Its audits come without pages. */
const ARCHIVED = '44';

/** Two tickets or users a page, three comments or audits a page; the first request of each kind is answered with 429. */
async function zendesk() {
  const asked: string[] = [];
  const limited = new Set<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    asked.push(url.pathname + url.search);
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (request.headers.authorization !== `Basic ${Buffer.from('a@b.example/token:t').toString('base64')}`)
      return answer(401, { error: 'Couldn’t authenticate you' });
    const [, kind = '', id = '', part = ''] =
      /^\/api\/v2\/(?:incremental\/(tickets|users)\/cursor\.json|tickets\/(\d+)\/(comments|audits)\.json)$/.exec(
        url.pathname,
      ) ?? [];
    if (!limited.has(kind + part)) {
      limited.add(kind + part);
      return answer(429, {}, { 'retry-after': '0' });
    }
    if (kind !== '') {
      const rows = kind === 'tickets' ? tickets : users;
      const from = Number(url.searchParams.get('cursor') ?? 0);
      const end = from + 2 >= rows.length;
      return answer(200, {
        [kind]: rows.slice(from, from + 2),
        after_cursor: String(from + 2),
        end_of_stream: end,
      });
    }
    const all =
      part === 'audits'
        ? (audits[id] ?? []).map((one) => ({ ticket_id: Number(id), ...one }))
        : comments
            .filter(({ ticket_id }) => String(ticket_id) === id)
            .map(({ ticket_id: _, ...comment }) => comment);
    if (part === 'audits' && id === ARCHIVED) return answer(200, { audits: all });
    const from = Number(url.searchParams.get('page[after]') ?? 0);
    const has_more = from + 3 < all.length;
    answer(200, {
      [part]: all.slice(from, from + 3),
      meta: { has_more },
      links: {
        next: has_more
          ? `${site}/api/v2/tickets/${id}/${part}.json?page[size]=100&page[after]=${from + 3}`
          : null,
      },
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const script = join(root, 'docs/examples/zendesk-export.mjs');
  return {
    asked,
    run: async (cwd: string, { token = 't', args = [] as readonly string[] } = {}) =>
      await promisify(execFile)(process.execPath, [script, 'export', ...args], {
        cwd,
        env: { ZENDESK_SITE: site, ZENDESK_EMAIL: 'a@b.example', ZENDESK_TOKEN: token },
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Nothing else is said of the folder than that the helpdesk has no such fields. */
const UNUSED = ['group_id', 'satisfaction_rating'].map((column) =>
  expect.objectContaining({ code: 'unused-column', column }),
);

describe('the export script for Zendesk', () => {
  it('fetches tickets, users and comments over all pages, waits when asked to, and its folder imports', async () => {
    using folder = temporaryFolder();
    await using desk = await zendesk();
    const { stdout } = await desk.run(folder.path);
    expect(stdout).toContain('Done: helpdesk-import run export --sandbox --serve');
    const lines = (name: string) =>
      readFileSync(folder.join('export', name), 'utf8').trim().split('\n').length;
    expect([lines('tickets.jsonl'), lines('users.jsonl'), lines('comments.jsonl')]).toEqual([
      tickets.length,
      users.length,
      comments.length,
    ]);
    const reported = await cli(['run', 'export', '--sandbox', '--json'], { cwd: folder.path });
    expect(JSON.parse(reported.stdout)).toMatchObject({
      layout: 'zendesk',
      tickets: { read: tickets.length, done: tickets.length },
      messages: { read: comments.length, sent: comments.length },
      problems: UNUSED,
    });
  });

  it('goes on where it was, and a comment that was fetched twice counts once', async () => {
    using folder = temporaryFolder();
    await using desk = await zendesk();
    await desk.run(folder.path);
    desk.asked.length = 0;
    await desk.run(folder.path);
    expect(desk.asked).toEqual([]);
    writeFileSync(folder.join('export.state/tickets-with-comments.txt'), '41\n42\n43\n');
    await desk.run(folder.path);
    expect(desk.asked).toEqual(['/api/v2/tickets/44/comments.json?page[size]=100']);
    const reported = await cli(['run', 'export', '--dry-run', '--json', '--config', 'c.yaml'], {
      cwd: writeSettings(folder.path),
    });
    expect(JSON.parse(reported.stdout)).toMatchObject({
      tickets: { pending: 4 },
      messages: { read: comments.length },
    });
  });

  it('--history brings the changes of status, with who made them, and nothing else of an audit', async () => {
    using folder = temporaryFolder();
    await using desk = await zendesk();
    await desk.run(folder.path);
    desk.asked.length = 0;
    await desk.run(folder.path, { args: ['--history'] });
    expect(new Set(desk.asked.map((path) => path.split('?')[0]))).toEqual(
      new Set(tickets.map(({ id }) => `/api/v2/tickets/${String(id)}/audits.json`)),
    );
    const kept = readFileSync(folder.join('export/audits.jsonl'), 'utf8');
    expect(kept).not.toMatch(/192\.0\.2\.7|Once more|priority|Create/);
    // As if the script had been killed before it noted that the ticket is done.
    appendFileSync(folder.join('export/audits.jsonl'), kept);
    const reported = await cli(['run', 'export', '--sandbox', 'desk', '--json'], { cwd: folder.path });
    // From new to open is no change here; what was fetched twice counts once.
    expect(JSON.parse(reported.stdout)).toMatchObject({
      tickets: { read: tickets.length, done: tickets.length },
      messages: { read: comments.length, sent: comments.length },
      events: { read: 2, sent: 2 },
      problems: UNUSED,
    });
    const explained = await cli(['run', 'export', '--explain', '41', '--json'], { cwd: folder.path });
    const fields = JSON.parse(explained.stdout) as { field: string; value: unknown }[];
    const ofEvents = fields.filter(({ field }) => /^events.*(Value|actorType)/.test(field));
    expect(ofEvents.map(({ value }) => value)).toEqual([
      ...['open', 'pending', 'agent'],
      ...['pending', 'resolved', 'system'],
    ]);
  });

  it('a refused token ends the script at once', async () => {
    using folder = temporaryFolder();
    await using desk = await zendesk();
    await expect(desk.run(folder.path, { token: 'wrong' })).rejects.toMatchObject({
      stderr: expect.stringMatching(/refused: 401/),
    });
  });
});

/** A dry run without a token looks up no agent. */
function writeSettings(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'c.yaml'), 'fallbackAgent: agt_1\n');
  return folder;
}
