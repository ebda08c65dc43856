/** What holds for every platform, shown with a recipe of its own and with Zendesk's. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine, startCommandLine } from '../support/command-line.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { hurried } from '../support/hurried-clock.ts';
import { FAKES, type Reply, type Served, serve, zendesk } from '../support/platform-fakes.ts';
import { acme, desk, RECIPE, SIZE, upTo } from './acme-desk.ts';

const at =
  (part: string, reply: Reply): Served['fault'] =>
  (_, path) =>
    path.includes(part) ? reply : undefined;

describe('a list that changes while it is read', () => {
  it('loses no row where a ticket of an earlier page goes away and the others move up', async () => {
    const fake = acme(7);
    await using one = await desk(fake);
    one.served.fault = (_, path) => {
      if (path.includes('page=2') && fake.tickets.length === 7) fake.tickets.shift();
      return undefined;
    };
    await one.run();
    expect(one.idsOf('tickets')).toEqual(upTo(7));
  });

  it('has no ceiling in a sorted list: each page begins at the last row, and no page number grows', async () => {
    await using one = await desk(
      acme(25, { mostPages: 2 }),
      RECIPE.replace('00:00Z }', '00:00Z, sorted: true }'),
    );
    expect((await one.run()).json).toMatchObject({ exitCode: 0, counts: [{ count: 25 }, { count: 25 }] });
    await using other = await desk(acme(25, { mostPages: 2 }));
    expect((await other.run()).said).toMatch(/refuses to list tickets \(400\)/);
  });

  it('names a ticket that is gone meanwhile, and the next export tries it again', async () => {
    const { comments, ...fake } = acme(2);
    await using one = await desk(fake);
    const kept = comments.get('2') ?? [];
    comments.delete('2');
    expect((await one.run()).json).toMatchObject({
      exitCode: 3,
      missing: [{ resource: 'comments', parent: '2', why: '404' }],
      incomplete: [{ what: 'comments', parent: '2', count: 1, found: 0 }],
      left: [{ resource: 'notes' }],
    });
    comments.set('2', kept);
    expect((await one.run()).json).toMatchObject({ exitCode: 0, missing: [], incomplete: [] });
    expect(one.idsOf('comments')).toEqual([10, 20]);
  });

  it('a later export fetches what changed, and nothing else', async () => {
    const { comments, ...fake } = acme(5);
    await using one = await desk(fake);
    await one.run();
    const before = one.served.asked.length;
    Object.assign(fake.tickets[3] ?? {}, { updated_at: '2099-01-01T00:00:00Z', comment_count: 2 });
    comments.get('4')?.push({ id: 41 });
    const counts = [
      { noun: 'ticket', count: 5 },
      { noun: 'message', count: 6 },
    ];
    expect((await one.run()).json).toMatchObject({ isUpdate: true, exitCode: 0, counts });
    const again = one.served.asked.slice(before).map((path) => path.replace(/\?.*/, ''));
    expect(new Set(again)).toEqual(new Set(['/tickets', '/tickets/4/comments', '/tickets/4/notes']));
    expect(one.idsOf('comments')).toEqual([10, 20, 30, 40, 41, 50]);
  });
});

describe('a refusal of one row', () => {
  it.each([
    ['comments', 3, 403, '3'],
    ['comments', 1, 403, '1'],
    ['notes', 1, 403, '1'],
  ])('%s of ticket %s (%s) is named, and the others are fetched', async (list, ticket, status, parent) => {
    await using one = await desk({
      ...acme(3),
      routes: [
        ...acme(3).routes,
        [/^\/tickets\/(\d)\/notes$/, ({ match }) => ({ notes: [{ id: match[1] }] })],
      ],
    });
    one.served.fault = at(`/${ticket}/${list}`, { status });
    const { json } = await one.run();
    expect(json).toMatchObject({ exitCode: 3, missing: [{ resource: list, parent, why: '403' }], left: [] });
    expect([one.rowsOf('comments').length, one.rowsOf('notes').length].toSorted()).toEqual([2, 3]);
  });

  it('of every row is the token: an optional list is left out, any other ends the export', async () => {
    await using one = await desk(acme(30));
    one.served.fault = at('/notes', { status: 403 });
    expect((await one.run()).json).toMatchObject({ exitCode: 0, missing: [], left: [{ resource: 'notes' }] });
    expect(one.served.asked.filter((path) => path.includes('/notes')).length).toBeLessThan(30);
    await using other = await desk(acme(30));
    other.served.fault = at('/comments', { status: 403 });
    expect(await other.run()).toMatchObject({
      code: 5,
      said: expect.stringMatching(/may not read comments \(403\)/),
    });
  });
});

it('ids of any length stay as they are', async () => {
  await using one = await desk(acme(0));
  const raw = '{"tickets":[{"id":9007199254740993,"x":1.50}],"count":1}';
  one.served.fault = at('page=1', { raw });
  await one.run();
  expect(readFileSync(one.folder.join('out/tickets.jsonl'), 'utf8')).toContain('{"id":9007199254740993,');
  expect(one.served.asked).toContain('/tickets/9007199254740993/comments');
});

describe('a token', () => {
  it('goes to the platform alone: a redirect is not followed, and of a link only path and query count', async () => {
    await using one = await desk(acme(5));
    await using elsewhere = await serve('other', acme(1));
    const location = `${elsewhere.origin}/tickets`;
    one.served.fault = () => ({ status: 302, headers: { location } });
    expect(await one.run()).toMatchObject({
      code: 2,
      said: expect.stringMatching(/redirects elsewhere to http:\/\/127/),
    });
    one.served.fault = at('/1/comments', { body: { comments: [{ id: 1 }], next: location } });
    expect((await one.run()).code).toBe(0);
    expect([one.served.asked.filter((path) => path === '/tickets').length, elsewhere.asked]).toEqual([1, []]);
  });

  it('is in no state and no message, even if the platform repeats it, and in no file but where a person wrote it', async () => {
    const fake = acme(2);
    Object.assign(fake.tickets[0] ?? {}, { echo: 'you sent acme-token-77' });
    await using one = await desk(fake);
    one.served.fault = at('/2/comments', { status: 401, body: { error: 'bad token acme-token-77' } });
    const { code, stdout, stderr } = await one.run();
    const files = readdirSync(one.folder.path, { recursive: true, withFileTypes: true }).filter(
      (file) => file.isFile() && file.name !== 'tickets.jsonl',
    );
    const written = files.map((file) => readFileSync(`${file.parentPath}/${file.name}`, 'latin1'));
    expect([code, [stdout, stderr, ...written].join().includes('acme-token-77')]).toEqual([5, false]);
  });

  it('that expires on the way ends the export; another one continues it', async () => {
    await using one = await desk(acme(5));
    one.served.fault = (nth) => (nth > 5 ? { status: 401 } : undefined);
    const regions =
      /refuses the token \(401\)\. → Check ACME_TOKEN\. An account in another region.* https:\/\/eu\.acme/;
    const said = expect.stringMatching(regions);
    expect(await one.run()).toMatchObject({ code: 5, said });
    one.served.fault = () => undefined;
    const before = one.served.asked.length;
    await one.run();
    expect(one.idsOf('comments')).toEqual(upTo(5, 10));
    expect(
      one.served.asked.slice(before).filter((path) => path.includes('page=1')).length,
    ).toBeLessThanOrEqual(1);
  });
});

describe('one sentence for', () => {
  const zendeskEnv = { ZENDESK_EMAIL: 'a@b.example', ZENDESK_TOKEN: 'secret-1' };
  it.each<[string, Reply | Record<string, string>, number, RegExp]>([
    [
      'a wrong token',
      { status: 401 },
      5,
      /refuses the token \(401\).* Check ZENDESK_CLIENT_ID and ZENDESK_CLIENT_SECRET, or sign in with ZENDESK_EMAIL and ZENDESK_TOKEN/,
    ],
    [
      'a token without the scope',
      { status: 403 },
      5,
      /may not read (?:tickets|users) \(403\).* a token of an administrator/,
    ],
    ['a wrong address', { status: 404 }, 2, /does not answer as Zendesk does \(404\).* Check ZENDESK_URL/],
    [
      'a page of another server',
      { raw: '<html>hi</html>' },
      2,
      /does not answer as Zendesk does.*https:\/\/acme\.zend/,
    ],
    [
      'an account in another region',
      { status: 301, headers: { location: 'https://x.example/' } },
      2,
      /redirects elsewhere to https:\/\/x\.example.* Set ZENDESK_URL/,
    ],
    [
      'variables that are missing',
      {},
      2,
      /Zendesk needs ZENDESK_URL and ZENDESK_CLIENT_ID and ZENDESK_CLIENT_SECRET\..* How: https:/,
    ],
    [
      'no encryption',
      { ...zendeskEnv, ZENDESK_URL: 'http://acme.zendesk.com' },
      2,
      /ZENDESK_URL is not encrypted/,
    ],
    [
      'an unknown host',
      { ...zendeskEnv, ZENDESK_URL: 'https://no-such-host.invalid' },
      6,
      /cannot be reached.* Check ZENDESK_URL/,
    ],
    [
      'an address where nothing answers',
      { ...zendeskEnv, ZENDESK_URL: 'http://127.0.0.1:1' },
      6,
      /cannot be reached.*ECONNREFUSED.* Check ZENDESK_URL/,
    ],
  ])('%s', async (_, is, code, says) => {
    using folder = temporaryFolder();
    await using served = await serve('zendesk', zendesk());
    const isReply = 'status' in is || 'raw' in is;
    served.fault = (nth, path) =>
      isReply && !/groups|fields/.test(path) && nth > 0 ? (is as Reply) : undefined;
    const env = isReply ? served.env : (is as Record<string, string>);
    const ended = await commandLine(['export', 'zendesk'], {
      ...{ cwd: folder.path, env },
      // On a busy machine an answer takes longer than the time-out of a faster clock.
      clock: hurried(isReply ? 200 : 1000),
    });
    const said = ended.stderr.replaceAll(/\s+/g, ' ');
    expect([ended.code, said]).toEqual([code, expect.stringMatching(says)]);
    expect(said).not.toMatch(/\bat .*\.ts:/);
    // Without any row there is nothing to continue.
    if (!isReply) expect(readdirSync(folder.path)).toEqual([]);
  });

  it('a wrong client secret: the variables to check', async () => {
    using folder = temporaryFolder();
    await using served = await serve('helpscout', FAKES['helpscout']?.() ?? acme(1));
    served.fault = at('/oauth2/', { status: 401, body: { error: 'invalid_client' } });
    const { code, stderr } = await commandLine(['export', 'helpscout'], {
      cwd: folder.path,
      env: served.env,
    });
    expect([code, stderr]).toEqual([5, expect.stringMatching(/Check HELPSCOUT_CLIENT_ID and HELPSCOUT_CL/)]);
  });

  it('a recipe with mistakes, each with its place', async () => {
    await using one = await desk(acme(1), RECIPE.replace('seconds: 1', 'second: 1'));
    expect(await one.run()).toMatchObject({ code: 2, said: expect.stringMatching(/limit\.seconds/) });
  });
});

describe('a folder', () => {
  it('of another program or account is left alone', async () => {
    await using one = await desk(acme(1));
    mkdirSync(one.folder.join('out'));
    writeFileSync(one.folder.join('out/tickets.jsonl'), 'mine\n');
    expect(await one.run()).toMatchObject({
      code: 2,
      said: expect.stringMatching(/tickets\.jsonl is there already/),
    });
    expect(readFileSync(one.folder.join('out/tickets.jsonl'), 'utf8')).toBe('mine\n');
    rmSync(one.folder.join('out/tickets.jsonl'));
    expect((await one.run()).code).toBe(0);
    await using other = await serve('acme', acme(1));
    const ended = await one.run({ env: other.env });
    expect(ended).toMatchObject({ code: 2, said: expect.stringMatching(/belongs to an export of/) });
  });

  it('has the fetched tickets when Ctrl-C ends the export, and the command continues from there', async () => {
    await using one = await desk(acme(5));
    const running = startCommandLine(one.typed, one.options);
    one.served.fault = (nth) => {
      if (nth === 4) running.kill('SIGINT');
      return undefined;
    };
    const { code, stderr } = await running.result;
    expect([code, stderr]).toEqual([130, expect.stringMatching(/fetched files are in the folder/)]);
    expect((await one.run()).json).toMatchObject({
      isUpdate: false,
      exitCode: 0,
      counts: [{ count: 5 }, { count: 5 }],
    });
    expect(one.idsOf('tickets')).toEqual(upTo(5));
  });
});

describe('the pace', () => {
  /** The most requests in any window, of times in milliseconds. */
  const most = (times: readonly number[], windowMs: number) =>
    Math.max(...times.map((begin, nth) => times.findLastIndex((time) => time < begin + windowMs) - nth + 1));

  it('is never above the documented limits, and a 429 holds every request', async () => {
    using folder = temporaryFolder();
    const clock = createFakeClock();
    await using served = await serve('zendesk', zendesk());
    const sent: { at: number; path: string }[] = [];
    served.fault = (nth, path) => {
      sent.push({ at: clock.monotonic(), path });
      return nth === 5 ? { status: 429, headers: { 'retry-after': '93' } } : undefined;
    };
    const ended = commandLine(['export', 'zendesk'], { cwd: folder.path, env: served.env, clock });
    expect((await clock.settle(ended)).code).toBe(0);
    const times = (some: typeof sent) => some.map((one) => one.at);
    expect(most(times(sent), 60_000)).toBeLessThanOrEqual(200);
    expect(
      most(times(sent.filter(({ path }) => path.includes('incremental/tickets'))), 60_000),
    ).toBeLessThanOrEqual(10);
    const [held = 0, after = 0] = [sent[4]?.at, sent[5]?.at];
    expect(sent.filter((one) => one.at > after + 1 && one.at < held + 93_000)).toEqual([]);
  });

  it('a 403 without a request left is the limit, and no matter of rights', async () => {
    const recipe = RECIPE.replace('seconds: 1 }', 'seconds: 1, remaining: x-left, reset: x-reset }');
    await using one = await desk(acme(3), recipe);
    one.served.fault = (nth) =>
      nth === 2 ? { status: 403, headers: { 'x-left': '0', 'x-reset': '5' } } : undefined;
    expect((await one.run()).json).toMatchObject({ exitCode: 0, counts: [{ count: 3 }, { count: 3 }] });
  });

  it('20,000 tickets stay within the limit, and memory does not grow with them', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const clock = createFakeClock();
    const recipe = RECIPE.replace(`size: ${SIZE}`, 'size: 100')
      .replace('requests: 1000, seconds: 1', 'requests: 20, seconds: 10')
      .replace('    of: tickets\n', '    of: tickets\n    when: { column: id, in: [7, 17007] }\n')
      .replace(/ {2}notes: .*\n/, '')
      .replace('00:00Z }', '00:00Z, sorted: true }');
    const fake = acme(20_000, { size: 100, mostPages: 300 });
    await using one = await desk(fake, recipe);
    const sent: number[] = [];
    const heap: number[] = [];
    one.served.fault = (nth) => {
      sent.push(clock.monotonic());
      if (nth % 50 === 0) collect();
      if (nth % 50 === 0) heap.push(process.memoryUsage().heapUsed);
      return undefined;
    };
    const { json } = await clock.settle(one.run({ clock }));
    expect(json).toMatchObject({ exitCode: 0, counts: [{ count: 20_000 }, { count: 2 }] });
    expect(most(sent, 10_000)).toBeLessThanOrEqual(20);
    expect(heap.length).toBeGreaterThan(3);
    expect(Math.max(...heap) - (heap[0] ?? 0)).toBeLessThan(12 * 2 ** 20);
  }, 60_000);
});
