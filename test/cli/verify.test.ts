import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInSample } from '../../src/verify/read-all-back.ts';
import { answeredTickets, LENIENT, openDesk, openDeskBehind } from '../support/desk.ts';

/** An export of so many tickets that the checkpoint takes for imported, and that the helpdesk does not have. */
async function gone(count: number, ...faultTexts: string[]) {
  const desk = await openDesk({ ...LENIENT, faultTexts });
  const tickets = answeredTickets(count);
  desk.write('export.jsonl', tickets);
  await desk.makeCheckpoint(Object.fromEntries(tickets.map(({ id }) => [id, 'done'])));
  return desk;
}

describe('verify', () => {
  it.each([
    [404, 3],
    [405, 3],
    [403, 5],
  ] as const)('where reads answer %i nothing is claimed, and it ends with %i', async (status, code) => {
    const { type, sandbox } = await gone(20, `unreadable=${status}`);
    const verified = await type('verify', 'export.jsonl', '--all', '--set', 'run.batchSize=1');
    expect(verified.code).toBe(code);
    expect(verified.stdout).toMatch(/Nothing could be compared: the helpdesk cannot be read\./);
    // Not all twenty are asked for in vain.
    expect(sandbox.log.requests().length).toBeLessThan(8);
  });

  it('a readable target without the tickets reports all as missing', async () => {
    const { run } = await gone(6);
    expect(await run('verify', 'export.jsonl', '--all')).toMatchObject({
      code: 3,
      findings: { compared: 0, missingTotal: 6, targetIsUnreadable: false },
    });
  });

  it('--combined has a line a ticket: equal, different, missing, only there', async () => {
    const { write, type, read, sandbox } = await openDesk(LENIENT);
    const tickets = answeredTickets(4);
    write('export.jsonl', tickets);
    await type('run', 'export.jsonl', '--yes');
    const change = sandbox.store.sql;
    change.run("UPDATE tickets SET body = json_set(body, '$.subject', 'Other') WHERE seq = 2");
    change.run('DELETE FROM tickets WHERE seq = 3');
    write('export.jsonl', tickets.slice(0, 3));
    expect((await type('verify', 'export.jsonl', '--combined', 'combined.txt')).code).toBe(3);
    const signs = read('combined.txt').trimEnd().split('\n').toSorted();
    expect(signs.map((line) => line.slice(0, 3))).toEqual(['* e', '+ e', '- e', '= e']);
    expect(signs).toContain('+ e4');
  });

  it('counts a ticket without its messages, and shows no green tick', async () => {
    const { write, type, proxy } = await openDeskBehind(LENIENT);
    write('export.jsonl', answeredTickets(3));
    proxy.answer = (asked, n) =>
      asked === 'PUT /tickets/{id}/messages' && n <= 2 ? { status: 422, body: { error: 'no' } } : undefined;
    await type('run', 'export.jsonl', '--yes', '--set', 'run.batchSize=1');
    const verified = await type('verify', 'export.jsonl', '--all');
    expect(verified.stdout).toContain('2 of 3 tickets are equal, 1 is incomplete.');
    expect(verified.stdout).not.toContain('Equal to the export');
    expect(verified.code).toBe(3);
  });

  it.each<[string, string, RegExp, url?: string]>([
    ['an export without anything imported', 'export.jsonl --only e9', /Nothing to verify/],
    ['no checkpoint', 'export.jsonl --checkpoint /nowhere/c.sqlite', /folder \/nowhere of .* does not exist/],
    ['another helpdesk', 'export.jsonl', /belongs to the helpdesk/, 'http://127.0.0.1:9'],
    ['nothing to read', '--all', /There is nothing to read/],
  ])('refuses %s', async (_, words, reason, url) => {
    const { typeWith, env } = await gone(1);
    const around = { env: { ...env, ...(url && { HELPDESK_BASE_URL: url }) } };
    const refused = { code: 2, stderr: expect.stringMatching(reason) };
    expect(await typeWith(around, 'verify', ...words.split(' '))).toMatchObject(refused);
  });

  it('refuses another source, and ends with 5 for a refused token', async () => {
    const { typeWith, env } = await gone(1);
    const around = { env: { ...env, HELPDESK_TOKEN: 'another-token' } };
    const refused = { code: 5, stderr: expect.stringMatching(/refuses the token/) };
    expect(await typeWith(around, 'verify', 'export.jsonl')).toMatchObject(refused);
    const foreign = await openDesk(LENIENT);
    foreign.write('export.jsonl', answeredTickets(2));
    await foreign.makeCheckpoint({ other: 'done' });
    const other = { code: 2, stderr: expect.stringMatching(/belongs to another source/) };
    expect(await foreign.type('verify', 'export.jsonl')).toMatchObject(other);
  });
});

it('the sample is as large as was asked for, and spread evenly over the export', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 120 }), (count, asked) => {
      const size = Math.min(asked, count);
      const chosen = Array.from({ length: count }, (_, nth) => nth).filter((nth) =>
        isInSample(nth, size, count),
      );
      expect(chosen).toHaveLength(size);
      for (const [at, nth] of chosen.entries()) expect(nth).toBe(Math.floor((at * count) / size));
    }),
  );
});
