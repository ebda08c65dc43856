import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { hostileTexts } from '../support/hostile-texts.ts';
import { look, type RunningSandbox, running, TOKEN } from './running-sandbox.ts';

const HOSTILE = hostileTexts('alert(1)');

const page = async (sandbox: RunningSandbox, path: string) => {
  const response = await look(`${sandbox.url}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** A page without its style, and without the documents of its frames, which are checked in a browser. */
function withoutAssets(text: string): string {
  return text.replace(/<style>[^<]*<\/style>/, '').replaceAll(/ srcdoc="[^"]*"/g, '');
}

/** What a reader sees, on one line. */
const words = (text: string) =>
  unescaped(withoutAssets(text).replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

/** The names of all elements in a page, and whether any of them carries an event handler or a scripted address. */
function markupOf(text: string): { tags: Set<string>; active: string[] } {
  const tags = new Set<string>();
  const active: string[] = [];
  for (const [element, name = ''] of text.matchAll(/<([a-z!][^\s/>]*)(?:"[^"]*"|'[^']*'|[^"'>])*>/gi)) {
    tags.add(name.toLowerCase());
    const outside = element.replace(/"[^"]*"/g, '""');
    if (/\son\w+\s*=/i.test(outside)) active.push(element);
    if (/(?:href|src|action)="\s*(?:javascript|vbscript|data:text)/i.test(element)) active.push(element);
  }
  return { tags, active };
}

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The elements of the pages. */
const OWN =
  '!doctype i label html head meta title link style body header strong nav a main h1 form input button p ul ol li div span time dl dt dd b iframe template noscript bdi aside section article h2 select option kbd code dialog svg path rect circle table thead tbody tr th td details summary h3'.split(
    ' ',
  );

/** What an address may hold that closes an attribute, begins an expression or is taken for another scheme. */
const IN_ADDRESSES = [
  "'onfocus='top.hits=1'x='",
  "'/onmouseover=top.hits=1/",
  '`onerror=top.hits=1`',
  '%3cscript%3etop.hits=1%3c/script%3e',
  '&lt&#60script&#62top.hits=1',
  'javascript&colontop.hits=1//',
  '../../../evil.example?#',
];
const addressOf = (n: number) => `u${n}${IN_ADDRESSES[n % IN_ADDRESSES.length]}@example.com`;

describe('pages and hostile text', () => {
  it('show a hostile corpus in every place as text, without one element of it', async () => {
    const sandbox = await running({
      inventAgents: true,
      agents: HOSTILE.map((text, n) => ({ id: `agent-${n}`, email: `a${n}@desk.example`, name: text })),
    });
    expect(HOSTILE.length).toBeGreaterThanOrEqual(100);
    const check = (page: string) => {
      const text = withoutAssets(page);
      const { tags, active } = markupOf(text);
      expect([...tags].filter((tag) => !OWN.includes(tag))).toEqual([]);
      expect(active).toEqual([]);
      expect(text).not.toMatch(/<script/i);
    };
    for (const [n, hostile] of HOSTILE.entries()) {
      const id = await sandbox.create({
        subject: hostile,
        contact: { email: addressOf(n), name: hostile },
        tags: [hostile],
        managedBy: hostile,
        customerId: hostile,
        appId: hostile,
        assignedToId: n % 2 === 0 ? hostile : `agent-${n}`,
      });
      const message = {
        content: hostile,
        attachments: [
          { url: `https://x.example/${encodeURIComponent(hostile)}`, name: hostile, contentType: hostile },
        ],
      };
      const put = await sandbox.call('PUT', `/tickets/${id}/messages`, [
        { ...message, actorType: 'customer', contact: { email: addressOf(n) } },
        { ...message, actorType: 'agent', agentId: `agent-${n}`, contentType: 'markdown', isInternal: true },
        { ...message, actorType: 'agent', agentId: hostile },
      ]);
      expect(put.status, hostile).toBe(200);
      await sandbox.call('PUT', `/tickets/${id}/events`, [
        {
          type: hostile,
          actorType: 'system',
          oldValue: { x: hostile },
          newValue: { [hostile]: 1, y: [hostile] },
        },
      ]);
      const shown = await page(sandbox, `/tickets/${id}`);
      expect(shown.status).toBe(200);
      check(shown.text);
      const [searched, filtered] = await Promise.all([
        page(sandbox, `/?search=${encodeURIComponent(hostile)}&assignee=${encodeURIComponent(hostile)}`),
        page(
          sandbox,
          `/?tag=${encodeURIComponent(hostile)}&contact=${encodeURIComponent(hostile)}&page=${encodeURIComponent(hostile)}`,
        ),
      ]);
      check(searched.text);
      check(filtered.text);
      check((await page(sandbox, `/tickets/${encodeURIComponent(hostile)}`)).text);
    }
    for (const text of HOSTILE) {
      const rows = [{ place: text, fields: [[text, text] as const] }];
      const left = {
        external_id: text,
        subject: text,
        reason: text,
        advice: text,
        place: text,
        ticket_id: null,
        rows,
      };
      sandbox.store.review.note([{ ...left, outcome: 'rejected' }]);
    }
    for (const path of ['/', '/?page=2', '/left-out', '/left-out?page=2'])
      check((await page(sandbox, path)).text);
  });

  it('formatted bodies are in a sandboxed frame; plain lines are in the page', async () => {
    const sandbox = await running();
    const id = await sandbox.create({ subject: 'Html' });
    const said = (content: string) => ({ actorType: 'system', content, contentType: 'html' });
    const evil = `</iframe>"><script>alert(1)</script>`;
    await sandbox.call('PUT', `/tickets/${id}/messages`, [
      said(`<p>Dear <b>Ann</b>,</p>${evil}<a href="https://ok.example/?a=1&b=2">link</a>`),
      said(`<p onclick="x">One</p><p>Two</p>${evil}<style>p{}</style>`),
    ]);
    const { text } = await page(sandbox, `/tickets/${id}`);
    const frames = [...text.matchAll(/<iframe[^>]*>/g)].map(([tag]) => tag);
    expect(frames).toHaveLength(1);
    expect(frames[0]).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    expect(unescaped(frames[0] ?? '')).toContain('<p>Dear <b>Ann</b>,</p>');
    expect(text).toContain('<div class="rich" dir="auto"><p>One</p><p>Two</p>');
    expect(unescaped(text)).not.toContain('<script');
  });

  it.each(['/', '/tickets/tkt_000000000099'])(
    '%s allows no script, and no frames around it or foreign requests',
    async (path) => {
      const sandbox = await running();
      const { headers, text } = await page(sandbox, path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(policy + text).not.toMatch(/script-src|<script/);
      expect(policy).toMatch(/; style-src(?: 'sha256-[\w+/]{43}=')+; /);
      expect(policy).toContain("; img-src data: 'self'; ");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    },
  );
});

describe('the inbox', () => {
  it('lists tickets newest first, fifty a page, with counts by status', async () => {
    const sandbox = await running();
    for (let n = 0; n < 120; n++)
      await sandbox.create({
        subject: `Number ${n}.`,
        status: n % 3 === 0 ? 'closed' : 'open',
        createdAt: new Date(Date.UTC(2021, 0, 1, 0, n)).toISOString(),
      });
    const numbers = (text: string) =>
      [...text.matchAll(/>Number (\d+)\.</g)].map((match) => Number(match[1]));
    const first = await page(sandbox, '/');
    expect(numbers(first.text)).toEqual(Array.from({ length: 50 }, (_, n) => 119 - n));
    expect(first.text).toContain('Page 1 of 3');
    expect(first.text).toContain('href="/?page=2"');
    expect(numbers((await page(sandbox, '/?page=3')).text)).toEqual(
      Array.from({ length: 20 }, (_, n) => 19 - n),
    );
    const closed = await page(sandbox, '/?status=closed');
    expect(numbers(closed.text)).toHaveLength(40);
    expect(closed.text).toMatch(/Closed<\/span><span class="count">40</);
    expect(closed.text).toMatch(/Open<\/span><span class="count">80</);
    expect(numbers((await page(sandbox, '/?search=number+7')).text)).toHaveLength(21);
    expect(numbers((await page(sandbox, '/?sort=oldest')).text)[0]).toBe(0);
  });

  it('the search finds what messages say', async () => {
    const sandbox = await running();
    const id = await sandbox.create({ subject: 'Grinder', tags: ['spare-parts'] });
    await sandbox.create({ subject: 'Other' });
    await sandbox.call('PUT', `/tickets/${id}/messages`, [
      { actorType: 'system', content: `Long before. ${'word '.repeat(200)}the Zanzibar parcel came back` },
    ]);
    for (const words of ['zanzibar', 'grinder zanzibar', 'parc zanz', 'spare-parts zanzibar']) {
      const { text } = await page(sandbox, `/?search=${encodeURIComponent(words)}`);
      expect(text, words).toContain('Grinder');
      expect(text, words).not.toContain('Other');
    }
    expect((await page(sandbox, '/?search=zanzibar+nowhere')).text).toContain('No ticket matches');
  });

  it('shows customer, excerpt, priority, tags and assignee, and is filtered by assignee, tag and status at once', async () => {
    const agents = [{ id: 'agt_1', email: 'kim@desk.example', name: 'Kim Park' }];
    const sandbox = await running({ agents });
    const contact = { email: 'ann@example.com', name: 'Ann Lee' };
    const more = { priority: 'urgent', tags: ['imported', 'damage'], createdAt: '2024-03-04T00:00:00Z' };
    const id = await sandbox.create({ subject: 'Hers', contact, assignedToId: 'agt_1', ...more });
    await sandbox.call('PUT', `/tickets/${id}/messages`, [{ actorType: 'system', content: 'It broke' }]);
    await sandbox.create({ subject: 'Closed', assignedToId: 'agt_1', status: 'closed', tags: ['damage'] });
    await sandbox.create({ subject: 'Nobody’s', tags: ['paid'] });
    const shown = words((await page(sandbox, '/')).text);
    // Not the tag that all have.
    expect(shown).toMatch(/Hers 2024-03-04 #1 Ann Lee · It broke damage urgent open 1 message · Kim Park/);
    for (const [query, found] of [
      ['assignee=kim&status=open', 'Hers'],
      ['assignee=desk.example&tag=damage&status=closed', 'Closed'],
      ['assignee=unassigned', 'Nobody’s'],
      ['tag=paid', 'Nobody’s'],
    ] as const) {
      const { text } = await page(sandbox, `/?${query}`);
      expect([...text.matchAll(/<a href="\/tickets\/[^>]*>([^<]*)</g)].map(([, subject]) => subject)).toEqual(
        [found],
      );
    }
  });
});

describe('the original number of a ticket', () => {
  it('is in the list and on the ticket, and both numbers find it', async () => {
    const sandbox = await running();
    for (const [subject, tags] of [
      ['Other', ['other-1042', 'from-other']],
      ['Wanted', ['zendesk-1041', 'from-zendesk']],
      ['Key', ['jira-SUP-12', 'from-jira']],
      ['Hashed', ['zendesk--0a1b2c', 'from-zendesk']],
    ] as const)
      await sandbox.create({ subject, tags });
    for (const [search, subject] of [
      ['1041', 'Wanted'],
      ['%231041', 'Wanted'],
      ['2', 'Wanted'],
      ['tkt_000000000002', 'Wanted'],
      ['SUP-12', 'Key'],
    ] as const) {
      const { text } = await page(sandbox, `/?search=${search}`);
      expect(
        [...withoutAssets(text).matchAll(/<a href="\/tickets\/[^>]*>([^<]*)</g)].map((match) => match[1]),
        search,
      ).toEqual([subject]);
    }
    expect(words((await page(sandbox, '/')).text)).toContain('#1041');
    for (const number of ['1041', '2', 'tkt_000000000002']) {
      const { status, text } = await page(sandbox, `/tickets/${number}`);
      expect([status, words(text).includes('Inbox #1041')]).toEqual([200, true]);
    }
    expect((await page(sandbox, '/tickets/9999')).status).toBe(404);
    expect((await sandbox.call('GET', '/tickets?search=1041')).body.total).toBe(0);
  });
});

describe('a ticket', () => {
  it('shows its thread from oldest to newest with events between, authors, notes and original times', async () => {
    const agents = [{ id: 'agt_1', email: 'kim@desk.example', name: 'Kim' }];
    const sandbox = await running({ inventAgents: true, agents });
    const id = await sandbox.create({
      subject: 'Thread',
      contact: { email: 'ann@example.com', name: 'Ann' },
      readOnly: true,
    });
    const at = (hour: number) => ({ occurredAt: `2021-01-01T${hour}:00:00Z` });
    const kim = { actorType: 'agent', agentId: 'agt_1' };
    const file = { url: 'https://f.example/a.pdf', name: 'a.pdf', sizeBytes: 2048 };
    await sandbox.call('PUT', `/tickets/${id}/messages`, [
      { actorType: 'customer', contact: { email: 'ann@example.com' }, content: 'first <b>', ...at(10) },
      { ...kim, content: 'third', isInternal: true, ...at(12) },
      { ...kim, agentId: 'gone', content: 'fifth', ...at(14), attachments: [file] },
    ]);
    const change = (from: string, to: string, hour: number) => ({
      ...{ type: 'status_change', oldValue: { status: from }, newValue: { status: to }, ...kim, ...at(hour) },
    });
    await sandbox.call('PUT', `/tickets/${id}/events`, [
      change('pending', 'resolved', 13),
      change('open', 'pending', 11),
    ]);
    const { text } = await page(sandbox, `/tickets/${id}`);
    const read = words(text);
    const places = [
      'first <b>',
      'Kim changed the status open → pending',
      'third',
      'Kim changed the status pending → resolved',
      'fifth',
    ].map((part) => read.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(text).toMatch(
      /class="message customer"[\s\S]*class="message agent internal"[\s\S]*class="message agent"/,
    );
    expect(text).toContain('Internal note, not visible to the customer');
    for (const part of [
      'Ann',
      'Kim',
      'gone',
      'read-only',
      '2021-01-01 12:00 UTC',
      'https://f.example/a.pdf',
      '2.0 kB',
    ])
      expect(text).toContain(part);
  });

  it('of a thousand messages comes in pages', async () => {
    const sandbox = await running();
    const id = await sandbox.create({ subject: 'Long' });
    await sandbox.call(
      'PUT',
      `/tickets/${id}/messages`,
      Array.from({ length: 450 }, (_, n) => ({ actorType: 'system', content: `line ${n}.` })),
    );
    expect((await page(sandbox, `/tickets/${id}`)).text).toContain('Page 1 of 5');
    expect((await page(sandbox, `/tickets/${id}?page=5`)).text).toContain('line 449.');
  });
});

describe('who may look at the pages', () => {
  const PAGES = ['/', '/tickets/tkt_000000000001', '/left-out'];

  it('only browsers that opened the printed address once', async () => {
    const sandbox = await running();
    await sandbox.create({ subject: 'A secret', contact: { email: 'ann@example.com' } });
    const wrong = [undefined, 'Bearer', 'Bearer wrong', `Bearer ${TOKEN}x`];
    for (const path of PAGES)
      for (const authorization of wrong) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const refused = await fetch(`${sandbox.url}${path}`, { headers });
        expect(refused.status, path).toBe(401);
        expect(await refused.text(), path).not.toContain('secret');
        expect(refused.headers.getSetCookie()).toEqual([]);
      }
    expect((await fetch(`${sandbox.url}/?token=wrong`)).status).toBe(401);
    const opened = await fetch(sandbox.page, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/']);
    const [cookie = ''] = opened.headers.getSetCookie();
    expect(cookie).toMatch(/^sandbox_\d+=[\da-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(TOKEN);
    for (const path of PAGES) {
      const shown = await fetch(`${sandbox.url}${path}`, { headers: { cookie: cookie.split(';')[0] ?? '' } });
      expect(shown.status, path).toBe(200);
    }
    const other = await running({ auth: { token: 'another' } });
    expect((await fetch(other.url, { headers: { cookie: cookie.split(';')[0] ?? '' } })).status).toBe(401);
  });

  it.each([
    ['127.0.0.1', 'localhost', true],
    ['127.0.0.1', 'evil.example', false],
    ['127.0.0.1', '192.168.1.7', false],
    ['0.0.0.0', '192.168.1.7', true],
    ['0.0.0.0', 'helpdesk', true],
    ['0.0.0.0', 'build.local', true],
    ['0.0.0.0', 'evil.example', false],
    ['0.0.0.0', '127.0.0.1.evil.example', false],
  ])(
    'a sandbox at %s answers to %s: %s, and asks for the token all the same',
    async (host, name, answers) => {
      const sandbox = await running({ host });
      const ask = (path: string) =>
        new Promise<number | undefined>((done, failed) => {
          get(
            { host: '127.0.0.1', port: sandbox.port, path, headers: { host: `${name}:${sandbox.port}` } },
            (answer) => {
              answer.resume();
              done(answer.statusCode);
            },
          ).on('error', failed);
        });
      expect(await ask('/')).toBe(answers ? 401 : 421);
      expect(await ask(`/?token=${TOKEN}`)).toBe(answers ? 302 : 421);
      expect(await ask('/api/core/v1/tickets')).toBe(answers ? 401 : 421);
    },
  );
});
