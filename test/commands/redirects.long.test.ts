/** The redirects that `map` writes, in the web servers that they are for: every old address leads to its ticket. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mapLines } from '../../src/commands/map/ticket-map.ts';
import { addressWithId } from '../../src/domain/printable.ts';
import { openScene } from '../cli/scene.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const TARGET = 'https://new.example.com/tickets/{id}';
const IDS = [
  '1',
  '1041',
  'SUP-12',
  'sup-12',
  'Sup-12',
  'a b',
  'über/7',
  '100%',
  'a"b',
  'a$b',
  '{x}',
  "it's",
  'a;b',
  '#5',
  'x?y',
  '日本',
];
const TICKETS = [...IDS, ...Array.from({ length: 20_000 }, (_, index) => String(2_000_000 + index))].map(
  (id, index) => ({
    externalId: id,
    ticketId: `tic_${index}`,
    state: 'done' as const,
  }),
);

const NGINX = '/usr/sbin/nginx';
const CADDY = '/usr/bin/caddy';

describe.each([
  ['nginx', NGINX, startNginx],
  ['caddy', CADDY, startCaddy],
] as const)('%s', (format, program, start) => {
  it.runIf(existsSync(program)).each([
    ['in the path', 'https://old.example.com/agent/tickets/{id}'],
    ['in the query', 'https://old.example.com/ticket.php?id={id}'],
  ])('leads every old address to its ticket, the id %s', async (_where, source) => {
    const port = await freePort();
    const folder = temporaryFolder();
    writeFileSync(
      folder.join('map'),
      [...mapLines(() => TICKETS, format, { source, target: TARGET })].join(''),
    );
    const server = start(folder, port);
    onTestFinished(async () => {
      server.kill();
      await new Promise((ended) => server.once('exit', ended));
      folder[Symbol.dispose]();
    });
    const wrong: unknown[] = [];
    for (const { externalId, ticketId } of TICKETS.slice(0, 200)) {
      const { pathname, search } = new URL(addressWithId(source, externalId));
      const location = await locationOf(port, pathname + search);
      if (location !== addressWithId(TARGET, ticketId)) wrong.push({ externalId, location });
    }
    expect(wrong).toEqual([]);
    for (const path of ['/', '/agent/tickets/9999999', '/ticket.php?id=9999999'])
      expect(await locationOf(port, path)).toBeUndefined();
  });
});

/** Bodies of an old helpdesk that name each other, in the ways that people and editors write links. */
const WRITTEN = [
  (address: string) => `See ${address} for the rest.`,
  (address: string) => `(${address})`,
  (address: string) => `<p>As in <a href="${address}">the other ticket</a>.</p>`,
  (address: string) => `[the other one](${address}), please`,
];

describe('links in the old conversations', () => {
  it.runIf(existsSync(NGINX))(
    'lead, through nginx with the written map, to the page of the ticket',
    async () => {
      await using scene = await openScene();
      const { folder, sandbox, env } = scene;
      const ids = Array.from({ length: 40 }, (_, index) =>
        index % 3 === 0 ? `SUP-${index}` : `${1000 + index}`,
      );
      const old = (id: string) => `https://old.example.com/agent/tickets/${id}`;
      const planted = ids.map((id, index) => ({ from: id, to: ids[(index * 7 + 3) % ids.length] as string }));
      const lines = planted.map(({ from, to }, index) =>
        JSON.stringify({
          id: from,
          subject: `Subject of ${from}`,
          contact: { email: `c${index}@example.com` },
          createdAt: '2024-01-01T00:00:00Z',
          messages: [
            {
              actorType: 'customer',
              contact: { email: `c${index}@example.com` },
              content: (WRITTEN[index % WRITTEN.length] as (address: string) => string)(old(to)),
              contentType: (['text', 'text', 'html', 'markdown'] as const)[index % 4],
              occurredAt: '2024-01-01T00:00:00Z',
            },
          ],
        }),
      );
      writeFileSync(folder.join('tickets.jsonl'), lines.join('\n'));
      const call = async (...args: string[]) => {
        const ended = await commandLine(args, { cwd: folder.path, env });
        expect(ended.code, ended.stderr).toBe(0);
      };
      await call('run', 'tickets.jsonl', '--yes', '--rate', '10000/1');
      const addresses = ['--source-url', old('{id}'), '--target-url', `${sandbox.url}/tickets/{id}`];
      await call('map', '--format', 'nginx', ...addresses, '-o', 'map');
      const port = await freePort();
      const server = startNginx(folder, port);
      onTestFinished(() => void server.kill());
      const wrong: unknown[] = [];
      let followed = 0;
      for (const { to } of planted)
        for (const [address] of lines[ids.indexOf(to)]?.matchAll(/https:\/\/old\.example\.com[^\s"\\)<]+/g) ??
          []) {
          followed += 1;
          const meant = planted[ids.indexOf(to)]?.to;
          const location = await locationOf(port, new URL(address).pathname);
          const page = location === undefined ? undefined : await fetch(`${location}?token=${sandbox.token}`);
          const shown = page?.ok === true ? await page.text() : '';
          if (!shown.includes(`<title>Subject of ${meant} `))
            wrong.push({ address, location, status: page?.status });
        }
      expect(wrong).toEqual([]);
      expect(followed).toBe(ids.length);
    },
  );
});

function startNginx(folder: ReturnType<typeof temporaryFolder>, port: number): ChildProcess {
  const conf = folder.join('nginx.conf');
  writeFileSync(
    conf,
    `daemon off; pid ${folder.join('pid')}; error_log stderr; events {}
     http { access_log off; client_body_temp_path ${folder.path}; proxy_temp_path ${folder.path}; fastcgi_temp_path ${folder.path};
       uwsgi_temp_path ${folder.path}; scgi_temp_path ${folder.path};
       include ${folder.join('map')};
       server { listen 127.0.0.1:${port}; if ($moved_ticket) { return 301 $moved_ticket; } return 404; } }`,
  );
  execFileSync(NGINX, ['-t', '-c', conf], { stdio: 'pipe' });
  return spawn(NGINX, ['-c', conf], { stdio: 'ignore' });
}

function startCaddy(folder: ReturnType<typeof temporaryFolder>, port: number): ChildProcess {
  const conf = folder.join('Caddyfile');
  writeFileSync(
    conf,
    `{
	admin off
	auto_https off
	storage file_system ${folder.path}
}
http://127.0.0.1:${port} {
	import ${folder.join('map')}
	respond 404
}
`,
  );
  const env = { ...process.env, HOME: folder.path, XDG_CONFIG_HOME: folder.path, XDG_DATA_HOME: folder.path };
  return spawn(CADDY, ['run', '--adapter', 'caddyfile', '--config', conf], { stdio: 'ignore', env });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Where a request is led to; undefined where it is not. Asked again while the server starts. */
async function locationOf(port: number, path: string): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await new Promise((done, fail) => {
        request({ port, host: '127.0.0.1', path }, (response) => {
          response.resume();
          done(response.headers.location);
        })
          .on('error', fail)
          .end();
      });
    } catch (error) {
      if (attempt > 100 || (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      await new Promise((again) => setTimeout(again, 100));
    }
  }
}
