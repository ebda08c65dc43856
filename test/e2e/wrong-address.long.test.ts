/** What answers at the base URL is not the Core API: from the first request on, or for a while in the middle. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { count, type RunSummary, reportedByProcess, withService } from './service-run.ts';

const TICKETS = 120;
const run = ['run', 'export', '--rate', '300/1', '--timeout', '5', '--no-progress'];

type Answer = (message: IncomingMessage, response: ServerResponse) => unknown;

async function served<T>(answer: Answer, work: (url: string, posts: () => number) => Promise<T>): Promise<T> {
  let posts = 0;
  const server = createServer((message, response) => {
    if (message.method === 'POST') posts++;
    void answer(message, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => posts);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const page: Answer = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Log in</title>');
const nothingHere: Answer = (_, response) => response.writeHead(404).end('Not found');
const noSuchPath: Answer = (_, response) => response.writeHead(404).end('{"error":"not_found"}');
const fails: Answer = (_, response) => response.writeHead(500).end('{}');

async function exported(): Promise<ReturnType<typeof temporaryFolder>> {
  const folder = temporaryFolder();
  await generateExport({
    dir: folder.join('export'),
    tickets: TICKETS,
    messages: 1,
    seed: 8,
    format: 'jsonl',
  });
  return folder;
}

describe('an address with something else behind it', () => {
  it.each<[string, Answer, string]>([
    ['an error for everything', fails, 'inDoubt'],
    ['404 with a text for everything', nothingHere, 'inDoubt'],
    ['404 of an API for everything', noSuchPath, 'failed'],
  ])('%s: five creates, and exit 6', async (_, answer, outcome) => {
    using folder = await exported();
    await served(answer, async (url, posts) => {
      const env = { HELPDESK_BASE_URL: url, HELPDESK_TOKEN: 'secret' };
      const reported = await reportedByProcess(run, folder.path, env);
      expect(reported.exitCode).toBe(6);
      expect(reported.tickets).toMatchObject({ read: TICKETS, done: 0, [outcome]: 5, pending: TICKETS - 5 });
      expect(posts()).toBe(5);
    });
  });
});

describe('a page in front of the service for a while', () => {
  it('leaves few tickets in doubt, takes nothing for sent, and nothing is created twice or lost', async () => {
    using folder = await exported();
    await withService({}, async (desk) => {
      let isBefore = false;
      const passOn: Answer = async (message, response) => {
        const { method = 'GET', url = '/', headers } = message;
        const body = method === 'GET' ? undefined : await buffer(message);
        if (isBefore) return page(message, response);
        const { authorization = '', 'content-type': type = 'application/json' } = headers;
        const answer = await request(desk.url + url, {
          method: method as 'GET',
          headers: { authorization, 'content-type': type },
          ...(body === undefined ? {} : { body }),
        });
        response.writeHead(answer.statusCode, { 'content-type': 'application/json' });
        response.end(Buffer.from(await answer.body.arrayBuffer()));
      };
      await served(passOn, async (url) => {
        const env = { ...desk.env, HELPDESK_BASE_URL: url };
        const importing = startCli([...run, '--json'], { cwd: folder.path, env });
        while (count(desk, 'SELECT count(*) FROM tickets') < 30) await pause(5);
        isBefore = true;
        await importing.shown(/creates fail, tries again/);
        isBefore = false;
        const first = await importing.result;
        const { tickets } = JSON.parse(first.stdout) as RunSummary;
        expect([0, 3, 4], first.stderr).toContain(first.code);
        expect(tickets['pending']).toBe(0);
        const last = await reportedByProcess(run, folder.path, env);
        expect(last).toMatchObject({ exitCode: 0, tickets: { done: TICKETS } });
      });
      expect(count(desk, 'SELECT count(*) FROM tickets')).toBe(TICKETS);
      expect(count(desk, 'SELECT count(*) FROM messages')).toBe(TICKETS);
      expect(desk.store.log.duplicates()).toEqual([]);
    });
  });
});
