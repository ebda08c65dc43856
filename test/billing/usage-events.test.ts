/** `billing usage-events` against the sandbox: every event counts once, whatever goes wrong; the ledger is the truth. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
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

it('rejected rows are in one file with their reasons, and are sent from there once they are corrected', async () => {
  const d = await desk();
  const other = 'eventName,customerId,timestamp,properties.note';
  const files = [
    d.write('a.csv', HEADER, row('a'), row('b', ''), row('', '')),
    d.write('b.csv', other, 'order_created,,2026-02-20T10:00:00Z,"x, ""y"""', '"broken'),
  ];
  const { code, summary } = await d.send(files);
  expect(code).toBe(3);
  expect(summary.events).toMatchObject({ read: 5, done: 1, rejected: 4 });
  const rejects = text(d.path('rejects.csv'));
  const [header, b, made, note, broken] = rejects.split('\n');
  expect(header).toBe(`\ufeff${HEADER},properties.note,_eventId,_reason`);
  expect(b).toBe('b,order_created,,2026-02-20T10:00:00Z,12,,,The event has no customerId.');
  expect(made).toMatch(/^,order_created,,.*,12,,row-[0-9a-f]{32},The event has no customerId\.$/);
  expect(note).toMatch(/,"x, ""y""",row-/);
  expect(broken).toContain('The row: ""broken');
  const corrected = rejects.replaceAll('order_created,,', 'order_created,cus_2,').replace(/\n,{6}.*\n?$/, '');
  const again = await d.send(d.write('corrected.csv', corrected));
  expect(again.summary.events).toMatchObject({ done: 3 });
  expect(d.kept()).toHaveLength(4);
});

it('a row that is corrected in the rejects and in the export counts once', async () => {
  const d = await desk();
  await d.send(d.write('usage.csv', HEADER, row(''), row('', '')));
  const corrected = text(d.path('rejects.csv')).replace('order_created,,', 'order_created,cus_2,');
  expect((await d.send(d.write('corrected.csv', corrected))).summary.events).toMatchObject({ done: 1 });
  await d.send(d.write('usage.csv', HEADER, row(''), row('', 'cus_2')));
  expect(d.kept()).toHaveLength(2);
});

it('a row of the rejects that is sent as it was keeps its number among equal rows', async () => {
  const d = await desk();
  await d.send(d.write('usage.csv', HEADER, row('')));
  const [first] = d.kept();
  const refused = d.write('refused.csv', `${HEADER},_eventId`, `${row('')},${first}-1`);
  for (const _ of [1, 2]) await d.send(refused);
  expect(d.kept().toSorted()).toEqual([first, `${first}-1`]);
});

it('rejects are never overwritten: the same ones stay, others get a number', async () => {
  const d = await desk();
  const file = d.write('usage.csv', HEADER, row('b', ''));
  const paths = [];
  for (const _ of [1, 2]) paths.push((await d.send(file)).summary.rejects);
  d.write('usage.csv', HEADER, row('c', ''));
  paths.push((await d.send(file)).summary.rejects);
  expect(paths).toEqual(['rejects.csv', 'rejects.csv', 'rejects-2.csv'].map((name) => d.path(name)));
  expect(text(d.path('rejects.csv'))).toContain('\nb,');
});

it('rejects of JSON, also in an export with CSV, are JSONL with unchanged rows', async () => {
  const d = await desk();
  const event = { eventName: 'e', timestamp: '2026-02-20T10:00:00Z', properties: { deep: [1] } };
  const files = [d.write('a.jsonl', JSON.stringify(event)), d.write('b.csv', HEADER, row('b', ''))];
  const { summary } = await d.send(files, { rejects: d.path('rejects.jsonl') });
  const [first, second] = text(summary.rejects ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toEqual({
    ...event,
    _eventId: expect.stringMatching(/^row-/),
    _reason: 'The event has no customerId.',
  });
  const lines = [first, second].map((one) => JSON.stringify({ ...one, customerId: 'cus_1' }));
  await d.send(d.write('corrected.jsonl', ...lines));
  expect(d.events().map(({ properties }) => properties)).toEqual([{ deep: [1] }, { total: '12' }]);
});

it('rejects that cannot be written end the run with 6, with its counts', async () => {
  const d = await desk();
  mkdirSync(d.path('rejects.csv'));
  const { code, stderr, summary } = await d.send(d.write('usage.csv', HEADER, row('a'), row('b', '')));
  expect(code).toBe(6);
  expect(stderr).toContain('EISDIR');
  expect(summary.events).toMatchObject({ done: 1, rejected: 1 });
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
  expect(text(d.path('rejects.csv')).trim().split('\n').slice(1)).toEqual([
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
  expect(existsSync(d.path('helpdesk-import.usage-rejects.csv'))).toBe(false);
  const read = await d.run('customer', ['cus_1'], { json: true });
  expect(JSON.parse(read.stdout).usage).toMatchObject({
    order_created: { allTimeValue: 2 },
    api_call: { allTimeValue: 2 },
  });
});
