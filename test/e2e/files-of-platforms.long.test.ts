/** The commands of docs/attachments.md, each against a small fake of its platform: who was sent what is on a ledger. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { picture } from '../support/file-source.ts';

interface Asked {
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly encrypted: boolean;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let cwd = '';
let tls = { key: '', cert: '' };
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'platforms-'));
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2';
  const paths = ['-keyout', join(cwd, 'key.pem'), '-out', join(cwd, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      names,
      ...paths,
    ],
    { stdio: 'ignore' },
  );
  tls = {
    key: readFileSync(join(cwd, 'key.pem'), 'utf8'),
    cert: readFileSync(join(cwd, 'cert.pem'), 'utf8'),
  };
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

class Hosts implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly #open: (() => Promise<void>)[] = [];

  /** A host of its own; its origin. */
  async serve(answer: Answer, { address = '127.0.0.1', encrypted = true } = {}): Promise<string> {
    const listener: Answer = (request, response) => {
      const { headers, url: path = '' } = request;
      this.asked.push({ host: headers.host ?? '', path, headers, encrypted });
      answer(request, response);
    };
    const server = encrypted ? createTlsServer(tls, listener) : createServer(listener);
    await new Promise<void>((done) => void server.listen(0, address, done));
    this.#open.push(async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    });
    return `${encrypted ? 'https' : 'http'}://${address}:${(server.address() as AddressInfo).port}`;
  }

  sentTo(origin: string): Asked[] {
    return this.asked.filter(({ host }) => host === new URL(origin).host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#open) await close();
  }
}

let runs = 0;

interface Fetched {
  readonly code: unknown;
  readonly told: { wanted: number; fetched: number; missing: number; problems: { message: string }[] };
  readonly contents: string[];
}

/** `files fetch` for messages with these attachments and bodies, with the credentials that the page names. */
async function fetched(
  messages: readonly { attachments?: object[]; content?: string }[],
  credentials: string,
  settings = '',
): Promise<Fetched> {
  const own = join(cwd, `run-${runs++}`);
  execFileSync('mkdir', ['-p', own]);
  const contact = { email: 'ann@example.com' };
  const at = '2024-05-06T07:08:09Z';
  const ticket = {
    id: '1',
    subject: 'Files',
    contact,
    createdAt: at,
    messages: messages.map((one) => ({
      actorType: 'customer',
      contact,
      occurredAt: at,
      content: 'See it.',
      contentType: 'html',
      ...one,
    })),
  };
  writeFileSync(join(own, 'export.jsonl'), JSON.stringify(ticket));
  writeFileSync(
    join(own, 'helpdesk-import.yaml'),
    `run:\n  timeout: 5\nfiles:\n  hosts: [127.0.0.1, 127.0.0.2, localhost]\n  publicUrl: https://files.example.com\n${settings}`,
  );
  const { code, stdout, stderr } = await cli(
    ['files', 'fetch', 'export.jsonl', '--files', 'kept', '--json'],
    {
      cwd: own,
      env: { HELPDESK_FILES_CREDENTIALS: credentials, NODE_EXTRA_CA_CERTS: join(cwd, 'cert.pem') },
    },
  );
  expect(stdout, stderr).toContain('"wanted"');
  const contents = readdirSync(join(own, 'kept'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'base64'));
  return { code, told: JSON.parse(stdout), contents: contents.toSorted() };
}

const hostOf = (origin: string) => new URL(origin).host;
const base64 = (bytes: Buffer) => bytes.toString('base64');
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const gif = (response: ServerResponse, number: number) =>
  void response.writeHead(200, { 'content-type': 'image/gif' }).end(picture(number));

describe('files of', () => {
  it('Zendesk: an API token, and a content host that gets none of it', async () => {
    await using hosts = new Hosts();
    const cdn = await hosts.serve((_, response) => gif(response, 1), { address: '127.0.0.2' });
    const desk = await hosts.serve(({ headers }, response) => {
      if (headers.authorization !== basic('ana@example.com/token:API_TOKEN'))
        return void response.writeHead(302, { location: '/access/unauthenticated' }).end();
      return void response.writeHead(302, { location: `${cdn}/attachments/1?token=signed` }).end();
    });
    const url = `${desk}/attachments/token/abc/?name=shot.gif`;
    const { told, contents } = await fetched(
      [{ attachments: [{ url }] }, { content: `<p><img src="${url}"></p>` }],
      `${hostOf(desk)} Authorization: ${basic('ana@example.com/token:API_TOKEN')}`,
    );
    expect(told).toMatchObject({ fetched: 1, missing: 0 });
    expect(contents).toEqual([base64(picture(1))]);
    expect(hosts.sentTo(cdn).map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('Freshdesk: signed addresses, without any credential; one that ended says so', async () => {
    await using hosts = new Hosts();
    const store = await hosts.serve((_, response) => gif(response, 2));
    const ended = await hosts.serve((_, response) => {
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end('<Error><Code>AccessDenied</Code></Error>');
    });
    const signed = (date: string) => `X-Amz-Date=${date}T000000Z&X-Amz-Expires=300&X-Amz-Signature=ab`;
    const { told, contents, code } = await fetched(
      [
        {
          attachments: [{ url: `${store}/data/helpdesk/attachments/1/original/a.gif?${signed('20240101')}` }],
        },
        {
          attachments: [{ url: `${ended}/data/helpdesk/attachments/2/original/b.gif?${signed('20240101')}` }],
        },
      ],
      `${hostOf(store)} X-Key: 1`,
    );
    expect(code).toBe(3);
    expect(told).toMatchObject({ fetched: 1, missing: 1 });
    expect(told.problems[0]?.message).toContain('signed address that expired (until 2024-01-01T00:05:00Z)');
    expect(contents).toEqual([base64(picture(2))]);
  });

  it('Help Scout: a bearer token, and the file as base64 in JSON', async () => {
    await using hosts = new Hosts();
    const api = await hosts.serve(({ headers }, response) => {
      if (headers.authorization !== 'Bearer TOKEN') return void response.writeHead(401).end();
      return void response
        .writeHead(200, { 'content-type': 'application/hal+json' })
        .end(JSON.stringify({ data: base64(picture(3)) }));
    });
    const attachments = [{ url: `${api}/v2/conversations/1/attachments/5/data`, name: 'a.gif' }];
    expect(await fetched([{ attachments }], `${hostOf(api)} Authorization: Bearer TOKEN`)).toMatchObject({
      told: { fetched: 1, missing: 0 },
      contents: [base64(picture(3))],
    });
  });

  it('HubSpot: links that redirect, and links in JSON, neither of which brings the token to the file', async () => {
    await using hosts = new Hosts();
    const cdn = await hosts.serve(
      (request, response) => gif(response, Number(request.url?.split('/').at(-1))),
      {
        address: '127.0.0.2',
      },
    );
    const api = await hosts.serve(({ headers, url }, response) => {
      if (headers.authorization !== 'Bearer PRIVATE_APP_TOKEN') return void response.writeHead(401).end();
      if (url?.includes('redirect') === true)
        return void response.writeHead(302, { location: `${cdn}/private/4` }).end();
      if (url?.includes('/6/') === true)
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"message":"no"}');
      const body = {
        expiresAt: '2030-01-01T00:00:00Z',
        name: 'a',
        extension: 'gif',
        url: `${cdn}/private/5`,
      };
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const { told, contents } = await fetched(
      [
        { content: `<a href="${api}/filemanager/api/v2/files/4/signed-url-redirect?portalId=1">a</a>` },
        { content: `<a href="${api}/files/v3/files/5/signed-url">b</a>`, attachments: [] },
        { attachments: [{ url: `${api}/files/v3/files/6/signed-url`, name: 'c.gif' }] },
      ],
      `${hostOf(api)} Authorization: Bearer PRIVATE_APP_TOKEN`,
    );
    expect(contents).toEqual([base64(picture(4)), base64(picture(5))].toSorted());
    expect(told).toMatchObject({ fetched: 2, missing: 1 });
    expect(told.problems[0]?.message).toContain('answers without a link to the file');
    expect(hosts.sentTo(cdn)).toHaveLength(2);
    for (const { headers } of hosts.sentTo(cdn)) expect(headers.authorization).toBeUndefined();
  });

  it('Intercom: an address as it is, within its time', async () => {
    await using hosts = new Hosts();
    const store = await hosts.serve((_, response) => gif(response, 7));
    const url = `${store}/i/o/1/a.gif?expires=1900000000&signature=ab&req=cd`;
    expect(await fetched([{ content: `<img src="${url.replaceAll('&', '&amp;')}">` }], '')).toMatchObject({
      told: { fetched: 1, missing: 0 },
      contents: [base64(picture(7))],
    });
    expect(hosts.asked.map(({ path }) => path)).toEqual([
      '/i/o/1/a.gif?expires=1900000000&signature=ab&req=cd',
    ]);
  });

  it('Jira: an API token, and a redirect to the media host', async () => {
    await using hosts = new Hosts();
    const media = await hosts.serve((_, response) => gif(response, 8), { address: '127.0.0.2' });
    const site = await hosts.serve(({ headers }, response) => {
      if (headers.authorization !== basic('ana@example.com:API_TOKEN'))
        return void response.writeHead(403).end();
      return void response.writeHead(303, { location: `${media}/file/1/binary?token=t` }).end();
    });
    const attachments = [
      { url: `${site}/rest/api/3/attachment/content/10001`, name: 'a.gif' },
      { url: `${site}/secure/attachment/10001/a.gif` },
    ];
    expect(
      await fetched(
        [{ attachments }],
        `${hostOf(site)} Authorization: ${basic('ana@example.com:API_TOKEN')}`,
      ),
    ).toMatchObject({
      told: { fetched: 2, missing: 0 },
      contents: [base64(picture(8))],
    });
    for (const { headers } of hosts.sentTo(media)) expect(headers.authorization).toBeUndefined();
  });
});

describe('on the way to a file', () => {
  it('no credential goes from an encrypted connection to one that is not', async () => {
    await using hosts = new Hosts();
    const plain = await hosts.serve((_, response) => gif(response, 9), { encrypted: false });
    const other = await hosts.serve((_, response) => gif(response, 10), { address: '127.0.0.2' });
    const desk = await hosts.serve(({ url = '' }, response) => {
      const asked = new URL(url, 'http://x');
      const to = asked.pathname.includes('other') ? other : plain;
      if (asked.pathname.endsWith('signed-url'))
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ url: `${to}/linked.gif${asked.search}` }));
      return void response.writeHead(302, { location: `${to}${url}` }).end();
    });
    const all = (host: string) =>
      [
        `${host} Authorization: Bearer geheim-1`,
        `${host} Cookie: s=geheim-2`,
        `${host} X-Key: geheim-3`,
      ].join('\n');
    const { told } = await fetched(
      [
        {
          attachments: [
            { url: `${desk}/plain.gif` },
            { url: `${desk}/other.gif` },
            { url: `${desk}/files/other/signed-url` },
            { url: `${desk}/files/plain/signed-url` },
          ],
        },
      ],
      `${all(hostOf(desk))}\n${all(plain)}`,
    );
    expect(told.fetched).toBe(4);
    expect(hosts.sentTo(desk)).toHaveLength(4);
    for (const { headers } of hosts.sentTo(desk)) {
      expect(headers).toMatchObject({
        authorization: 'Bearer geheim-1',
        cookie: 's=geheim-2',
        'x-key': 'geheim-3',
      });
    }
    const elsewhere = [...hosts.sentTo(plain), ...hosts.sentTo(other)];
    expect(elsewhere).toHaveLength(4);
    expect(JSON.stringify(elsewhere)).not.toContain('geheim');
  });

  it('no address of a cloud or of this link is asked, also where private ones are, and behind a redirect', async () => {
    await using hosts = new Hosts();
    const desk = await hosts.serve((request, response) => {
      response.writeHead(302, { location: `http://169.254.169.254/latest${request.url}` }).end();
    });
    const urls = [
      `${desk}/a.gif`,
      'http://169.254.169.254/b.gif',
      'http://[fd00:ec2::254]/c.gif',
      'http://[::ffff:a9fe:a9fe]/d.gif',
      'http://2852039166/e.gif',
      'http://100.100.100.200/f.gif',
      'http://[fe80::1]/g.gif',
      'http://0.0.0.0/h.gif',
    ];
    const { told } = await fetched([{ attachments: urls.map((url) => ({ url })) }], '');
    expect(told).toMatchObject({ fetched: 0, missing: urls.length });
    for (const { message } of told.problems)
      expect(message).toMatch(/a link-local or reserved address, and was not opened/);
  });

  it('an address without a scheme, and one from the root of the old site, lead to the file', async () => {
    await using hosts = new Hosts();
    const desk = await hosts.serve((_, response) => gif(response, 11));
    const { told } = await fetched(
      [
        {
          content: `<img src="//${hostOf(desk)}/a.gif"><img src="/b.gif">`,
        },
      ],
      '',
      `source:\n  ticketUrl: ${desk}/tickets/{id}\n`,
    );
    expect(told.fetched).toBe(2);
    expect(hosts.asked.map(({ path }) => path).toSorted()).toEqual(['/a.gif', '/b.gif']);
  });
});
