/** `billing usage-events` against the sandbox: every event counts once, whatever goes wrong; the ledger is the truth. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { parseFaults } from '../support/double/faults.ts';
import { answering, billingDesk as desk, HEADER, row, rows } from './seeded-sandbox.ts';

const text = (path: string) => readFileSync(path, 'utf8');

it('a rerun sends every event again, and each counts once, equal rows too', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, ...rows(250), row(''), row(''));
  for (const _ of [1, 2]) {
    const { code, summary } = await d.send(file);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ events: { read: 252, done: 252 }, requests: { sent: 3 } });
  }
  expect(d.kept()).toHaveLength(252);
  expect(readdirSync(d.path('.'))).toEqual(['usage.csv']);
});

it('the ID of a row depends neither on the order of columns nor on the file', async () => {
  const d = await desk();
  await d.send(d.write('a.csv', HEADER, row(''), row('')));
  const turned = 'customerId,properties.total,timestamp,eventName';
  await d.send(d.write('b.csv', turned, ...Array(2).fill('cus_1,12,2026-02-20T10:00:00Z,order_created')));
  expect(d.kept()).toHaveLength(2);
});

it('a dry run checks every event, sends nothing and writes nothing', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, ...rows(3), 'x,,cus_1,never,');
  const { code, summary } = await d.send(file, { dryRun: true, rejects: undefined });
  expect(code).toBe(3);
  expect(summary.events).toMatchObject({ read: 4, pending: 3, rejected: 1 });
  expect(summary.problems.map(({ code: found, line }) => [found, line])).toEqual([
    ['missing-field', 5],
    ['invalid-time', 5],
  ]);
  expect(readdirSync(d.path('.'))).toEqual(['usage.csv']);
  expect(d.sandbox.log.requests({ kind: 'usage-events' })).toEqual([]);
});

it('--limit sends the first events, and a later run the rest', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, ...rows(20));
  expect((await d.send(file, { limit: '5' })).summary.events).toMatchObject({ done: 5, skipped: 15 });
  expect((await d.send(file)).summary.events).toMatchObject({ done: 20 });
  expect(d.kept()).toHaveLength(20);
});

it('rejected rows are in the files of the export with their reasons, and are sent from there once they are corrected', async () => {
  const d = await desk();
  const other = 'eventName,customerId,timestamp,properties.note';
  const event = { eventName: 'e', timestamp: '2026-02-20T10:00:00Z', properties: { deep: [1] } };
  const files = [
    d.write('a.csv', HEADER, row('a'), row('b', ''), row('', '')),
    d.write('b.csv', other, 'order_created,,2026-02-20T10:00:00Z,"x, ""y"""', '"broken'),
    d.write('c.jsonl', JSON.stringify(event)),
  ];
  const { code, summary } = await d.send(files);
  expect(code).toBe(3);
  expect(summary).toMatchObject({ events: { read: 6, done: 1, rejected: 5 }, rejects: d.path('rejects') });
  const [header, b, made] = text(d.path('rejects/a.csv')).split('\n');
  expect(header).toBe(`\ufeff${HEADER},_reason`);
  expect(b).toBe('b,order_created,,2026-02-20T10:00:00Z,12,The event has no customerId.');
  expect(made).toMatch(/^,order_created,,.*,12,row-[0-9a-f]{32}: The event has no customerId\.$/);
  expect(text(d.path('rejects/b.csv'))).toMatch(/,"x, ""y""",row-/);
  expect(text(d.path('rejects/unreadable.csv'))).toContain('"broken');
  expect(JSON.parse(text(d.path('rejects/c.jsonl')))).toEqual({
    ...event,
    _reason: expect.stringMatching(/^row-.*: The event has no customerId\.$/),
  });
  rmSync(d.path('rejects/unreadable.csv'));
  for (const [name, from, to] of [
    ['a.csv', 'order_created,,', 'order_created,cus_2,'],
    ['b.csv', 'order_created,,', 'order_created,cus_2,'],
    ['c.jsonl', '{', '{"customerId":"cus_2",'],
  ] as const) {
    const path = d.path(`rejects/${name}`);
    writeFileSync(
      path,
      text(path).replaceAll(from, to).replaceAll('{"customerId":"cus_2","deep"', '{"deep"'),
    );
  }
  expect((await d.send(d.path('rejects'))).summary.events).toMatchObject({ done: 4 });
  expect(d.kept()).toHaveLength(5);
  await d.send([
    d.write('a.csv', HEADER, row('a'), row('b', 'cus_2'), row('', 'cus_2')),
    d.write('c.jsonl', JSON.stringify({ ...event, customerId: 'cus_2' })),
  ]);
  expect(d.kept()).toHaveLength(5);
});

it('a row of the rejects that is sent as it was keeps its number among equal rows', async () => {
  const d = await desk();
  await d.send(d.write('usage.csv', HEADER, row('')));
  const [first] = d.kept();
  const refused = d.write('refused.csv', `${HEADER},_reason`, `${row('')},${first}-1: refused`);
  for (const _ of [1, 2]) await d.send(refused);
  expect(d.kept().toSorted()).toEqual([first, `${first}-1`]);
});

it('rejects that someone changed stay, and others get a number', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, row('b', ''));
  const paths = [];
  for (const _ of [1, 2]) paths.push((await d.send(file)).summary.rejects);
  appendFileSync(d.path('rejects/usage.csv'), 'mine\n');
  paths.push((await d.send(file)).summary.rejects);
  expect(paths).toEqual(['rejects', 'rejects', 'rejects-2'].map((name) => d.path(name)));
  expect(text(d.path('rejects/usage.csv'))).toContain('mine');
});

it('a folder of something else, or that cannot be made, is refused before anything is sent', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, row('a'), row('b', ''));
  mkdirSync(d.path('other/kept'), { recursive: true });
  expect((await d.send(file, { rejects: d.path('other') })).code).toBe(2);
  expect((await d.send(file, { rejects: `${file}/rejects` })).code).toBe(6);
  expect(d.kept()).toEqual([]);
});

it('the screen names counts, problems with their places and what to do', async () => {
  const d = await desk();
  const file = d.write(
    'usage.csv',
    `${HEADER},colour`,
    `${row('a')},red`,
    `${row('b', '')},`,
    `${row('a')},`,
  );
  const { code, stdout } = await d.send(file, { json: false });
  expect(code).toBe(3);
  const words = stdout.replaceAll(/\s+/g, ' ');
  for (const expected of [
    `1 usage event of 3 done in ${d.sandbox.url}.`,
    'rejected 1',
    'skipped 1 (1 same event ID as an earlier row)',
    'usage.csv:3: The event has no customerId.',
    'The column "colour" is not sent',
    'Correct the rows in',
  ])
    expect(words).toContain(expected);
  expect(words).not.toMatch(/ticket/i);
});

it('of a list that is refused only the events at fault fail', async () => {
  const { url, requests } = await answering((body) => {
    const isBad = body.includes('poison');
    return { status: isBad ? 422 : 200, body: isBad ? { error: 'no such customer' } : { success: true } };
  });
  const d = await desk({ url });
  const lines = rows(120);
  lines[17] = row('e17', 'poison-1');
  lines[99] = row('e99', 'poison-2');
  const { code, summary } = await d.send(d.write('usage.csv', HEADER, ...lines));
  expect(code).toBe(3);
  expect(summary.events).toMatchObject({ read: 120, done: 118, failed: 2 });
  expect(summary.problems.map(({ code: found, line }) => [found, line])).toEqual([
    ['refused', 19],
    ['refused', 101],
  ]);
  const taken = requests.filter(({ body }) => !body.includes('poison')).map(({ body }) => body);
  expect(new Set(taken.join().match(/"eventId":"[^"]+"/g)).size).toBe(118);
  expect(summary.requests.sent).toBeLessThan(32);
  expect(text(d.path('rejects/usage.csv')).trim().split('\n').slice(1)).toEqual([
    expect.stringMatching(/^e17,.*no such customer/),
    expect.stringMatching(/^e99,.*no such customer/),
  ]);
});

it('events of unknown outcome are in doubt (4), and the next run settles them', async () => {
  const d = await desk({ faults: parseFaults(['500-after:100@usage-events'], 1) });
  const file = d.write('usage.csv', HEADER, ...rows(10));
  const first = await d.send(file, {}, { haste: 100 });
  expect(first.code).toBe(4);
  expect(first.summary).toMatchObject({ events: { inDoubt: 10 } });
  expect(first.summary.rejects).toBeUndefined();
  d.sandbox.setFaults({ rules: [], seed: 0 });
  expect((await d.send(file)).summary.events).toMatchObject({ done: 10 });
  expect(d.kept()).toHaveLength(10);
}, 60_000);

it('a service that takes no event is sent a few lists and not the whole file', async () => {
  const { url, requests } = await answering(() => ({ status: 200, body: '<html>Log in</html>' }));
  const d = await desk({ url });
  const file = d.write('usage.csv', HEADER, ...rows(2_000));
  const { code, stderr } = await d.send(file, {}, { haste: 1_000 });
  expect(code).toBe(6);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('No usage event is known to have arrived.');
  expect(new Set(requests.map(({ body }) => body)).size).toBeLessThan(30);
}, 60_000);

it('too many rejected events stop it before anything is sent', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, row('a', ''), row('b', ''), ...rows(3));
  const { code, stderr, summary } = await d.send(file, { set: 'run.maxErrors=1' });
  expect(code).toBe(6);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('2 usage events were rejected or failed, more than the 1');
  expect(summary.events).toMatchObject({ rejected: 2, pending: 3 });
  expect(d.kept()).toEqual([]);
  expect((await d.send(file, { set: 'run.maxErrors=2' })).summary.events).toMatchObject({
    done: 3,
    rejected: 2,
  });
});

it('a wrong key ends with 5 and is shown nowhere; without address or key it ends with 2', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, ...rows(3));
  const env = { HELPDESK_APP_URL: d.sandbox.url, HELPDESK_APP_ID: 'x', HELPDESK_APP_KEY: 'wrong-key' };
  const refused = await d.send(file, {}, { env });
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain('HELPDESK_APP_KEY');
  expect(refused.stdout + refused.stderr).not.toContain('wrong-key');
  expect(d.kept()).toEqual([]);
  const missing = await d.send(file, {}, { env: {} });
  expect(missing.code).toBe(2);
  expect(missing.stderr).toMatch(/HELPDESK_APP_URL[\s\S]*HELPDESK_APP_ID and HELPDESK_APP_KEY/);
});

it('Ctrl-C finishes the lists in flight and ends with 130; the next run does the rest', async () => {
  const d = await desk({ faults: parseFaults(['slow=20:100@usage-events'], 1) });
  const file = d.write('usage.csv', HEADER, ...rows(3_000));
  let interrupt = () => {};
  const watch = setInterval(() => d.kept().length > 0 && interrupt(), 1);
  const stopped = await d.send(
    file,
    { set: 'run.batchSize=1' },
    {
      onSignal: (listener) => {
        interrupt = () => {
          interrupt = () => {};
          listener('SIGINT');
        };
        return () => undefined;
      },
    },
  );
  clearInterval(watch);
  expect(stopped.code).toBe(130);
  expect(stopped.summary.events).toMatchObject({ inDoubt: 0, done: d.kept().length });
  expect(stopped.summary.events['pending']).toBeGreaterThan(0);
  d.sandbox.setFaults({ rules: [], seed: 0 });
  expect((await d.send(file)).summary.events).toMatchObject({ read: 3_000, done: 3_000 });
  expect(d.kept()).toHaveLength(3_000);
});

it('the example of the documentation is sent twice and counted once', async () => {
  const d = await desk();
  for (const _ of [1, 2]) {
    const file = join(fixtures, 'usage-events/usage.csv');
    const { code, stdout } = await d.run('usage-events', [file], { json: true });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ events: { read: 6, done: 6 } });
  }
  expect(existsSync(d.path('helpdesk-import.usage-rejects'))).toBe(false);
  const read = await d.run('customer', ['cus_1'], { json: true });
  expect(JSON.parse(read.stdout).usage).toMatchObject({
    order_created: { allTimeValue: 2 },
    api_call: { allTimeValue: 2 },
  });
});
