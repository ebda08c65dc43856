/** The first request of a command: a wrong token, a wrong address and a helpdesk that is down are one sentence, before the export is read. */
import type { RequestListener, Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCheckpoint } from '../cli/checkpoints.ts';
import { agentRows } from '../support/agent-rows.ts';
import { listening } from '../support/canned.ts';
import { type Desk, LENIENT, startDesk } from '../support/desk.ts';
import { hurried } from '../support/hurried-clock.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await startDesk(LENIENT);
  desk.write(
    'tickets.csv',
    'id,subject,text,email,agent,at\n1,First,Hello,a@example.com,ana@team.example,2024-01-01T00:00:00Z\n',
  );
  // An agent with an address: the helpdesk is asked while the export is read.
  const mapping = agentRows({ requester: 'email: email', author: 'email: agent' });
  desk.write('own.yaml', mapping);
  desk.write('hasty.yaml', `run: { timeout: 1 }\n${mapping}`);
  expect((await typed(['run', 'tickets.csv', '--yes'])).code).toBe(0);
});

afterAll(() => desk.close());

/** With these variables in place of its own. */
const typed = (words: readonly string[], variables: Record<string, string> = {}) =>
  desk.typeWith({ env: { ...desk.env, ...variables } }, ...words, '-c', 'own.yaml');

const COMMANDS = [
  ['run', ['run', 'tickets.csv', '--yes']],
  ['run --trial', ['run', 'tickets.csv', '--yes', '--trial']],
  ['run --delta', ['run', 'tickets.csv', '--yes', '--delta']],
  ['verify', ['verify', 'tickets.csv']],
] as const;

type Answer = (...given: [...Parameters<RequestListener>, Server]) => void;

async function served<T>(answer: Answer, work: (url: string) => Promise<T>): Promise<T> {
  await using own = await listening((...given) => answer(...given, own.server));
  return await work(own.url);
}

const page: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Log in</title>');
};

/** A port that refuses connections. */
const refusing = () => served(page, (url) => Promise.resolve(url));

describe('a wrong token', () => {
  it.each(COMMANDS)('%s ends with 5 and one sentence, after one request', async (_, args) => {
    const before = desk.sandbox.log.requests().length;
    const { code, stderr, stdout } = await typed(args, { HELPDESK_TOKEN: 'wrong' });
    expect(code, stderr).toBe(5);
    expect(stderr).toMatch(/The helpdesk refuses the token \(401/);
    expect(stderr + stdout).not.toMatch(/bug|\n\s+at /);
    expect(stderr).not.toMatch(/reading/i);
    expect(desk.sandbox.log.requests().length - before).toBe(1);
  });
});

describe('a wrong base URL', () => {
  it.each(COMMANDS)('%s ends with 6 if a page answers', async (name, args) => {
    await served(page, async (url) => {
      // The first checkpoint belongs to another address.
      const checkpoint = `${name.replaceAll(' ', '')}.sqlite`;
      const target = `${url}/api/core/v1`;
      await makeCheckpoint(desk.folder.join(checkpoint), { target, tickets: { 1: 'done' } });
      const { code, stderr } = await typed([...args, '--checkpoint', checkpoint], { HELPDESK_BASE_URL: url });
      expect(code, stderr).toBe(6);
      expect(stderr).toMatch(/answers with a page[\s\S]*Check\s+the\s+base\s+URL/);
      expect(stderr).not.toMatch(/bug|\n\s+at /);
    });
  });
});

describe('a helpdesk that refuses connections', () => {
  it('ends a run at its first connection with 6, before the export is read', async () => {
    const env = { HELPDESK_BASE_URL: await refusing() };
    const { code, stderr } = await typed(['run', 'tickets.csv', '--yes', '--checkpoint', 'c.sqlite'], env);
    expect(code).toBe(6);
    expect(stderr).toMatch(/cannot be reached: connection refused/);
    expect(stderr).not.toMatch(/reading/i);
  });

  it.each([
    ['off a terminal', {}],
    ['on a terminal', { isTTY: true, columns: 200 }],
  ])('later in a run is reported from the first failure on, %s', async (_, terminal) => {
    let url = '';
    const shown = await served(
      (request, response, server) => {
        const close = request.url?.includes('/agents') === true;
        response.setHeader('connection', 'close');
        // The agent is asked for while the export is read.
        if (close) server.close();
        response.writeHead(close ? 503 : 404, { 'content-type': 'application/json' }).end('{"error":"no"}');
      },
      async (at) => {
        url = at;
        const around = { clock: hurried(20), env: { ...desk.env, HELPDESK_BASE_URL: at }, terminal };
        const line = `run tickets.csv -c hasty.yaml --yes --checkpoint ${new URL(at).port}.sqlite`;
        return await desk.typeWith(around, ...line.split(' '));
      },
    );
    expect(shown.code, shown.stderr).toBe(6);
    expect(shown.stderr).toContain(`cannot reach ${url} (`);
    expect(shown.stderr).toMatch(/, trying again in 1 s \(gives up in \d+ s\)/);
  });
});

it('a run says whom the helpdesk takes it for', async () => {
  const { stderr } = await typed(['run', 'tickets.csv', '--yes']);
  expect(stderr).toMatch(/Connected to http:\/\/127\.0\.0\.1:\d+ as \S+/);
});
