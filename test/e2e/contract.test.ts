/** What docs/contract.md promises, by the program against a helpdesk that is not fair. Its numbers are read from the page. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importNote } from '../../src/check/import-note.ts';
import { createProblemLog } from '../../src/domain/problem.ts';
import { fromNewReading, lookingFirst, Outdated } from '../../src/push/look.ts';
import { root } from '../support/cli.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { hurried } from '../support/hurried-clock.ts';
import type { Behaviour } from '../support/unfair-target.ts';
import { exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const PAGE = readFileSync(join(root, 'docs/contract.md'), 'utf8').replaceAll(/\s+/g, ' ');
const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** The number that the contract has in the place of `#`. */
function stated(sentence: string): number {
  const [before = '', after = ''] = sentence.split('#').map((part) => part.replaceAll(/[.()]/g, '\\$&'));
  const found = [...PAGE.matchAll(new RegExp(`${before}([\\w,]+)${after}`, 'g'))];
  if (found.length !== 1) throw new Error(`The contract says "${sentence}" ${found.length} times.`);
  const text = found[0]?.[1]?.replaceAll(',', '') ?? '';
  return WORDS.includes(text) ? WORDS.indexOf(text) : Number(text);
}

const LOST: Behaviour = { reported: 'reset', effect: 'never' };

const creates = ({ target }: UnfairRun, ticket?: number) =>
  target.seen.filter(
    ({ method, body }) =>
      method === 'POST' &&
      (ticket === undefined || String((body as { subject: string }).subject).endsWith(` ${ticket}`)),
  ).length;
const puts = (run: UnfairRun, ticketId: string) =>
  run.writes().filter((write) => write === `PUT /tickets/${ticketId}/messages`).length;

describe('a create without an answer', () => {
  const known = stated('The checkpoint has # other tickets for each ticket in doubt');
  it.each([
    [known - 1, { code: 4, creates: 1 }],
    [known, { code: 0, creates: 2 }],
  ])('with %i other tickets ends with %j', async (others, expected) => {
    const run = await unfairly({ create: (nth) => (nth === 1 ? LOST : undefined) });
    run.write(exportTickets(others + 1));
    expect({ code: (await run.run()).code, creates: creates(run, 1) }).toEqual(expected);
  });

  const least = stated('stops after # unknown outcomes if none succeeded');
  it.each([
    [least, 4],
    [least + 1, 6],
  ])(
    'and no other answer, for %i tickets: no more creates than that, and it ends with %i',
    async (count, code) => {
      const run = await unfairly({ create: () => LOST });
      run.write(exportTickets(count));
      expect([(await run.run()).code, creates(run)]).toEqual([code, least]);
    },
  );
});

describe('messages without an answer', () => {
  const most = stated('are sent again, at most # times in all');
  it.each([
    [most - 1, 0],
    [most, 3],
  ])('%i times are sent as often as the contract says, and it ends with %i', async (times, code) => {
    const put = (_: string, nth: number) => (nth <= times ? LOST : undefined);
    const run = await unfairly({ put });
    run.write(exportTickets(1));
    expect([(await run.run()).code, puts(run, 'tkt-1')]).toEqual([code, most]);
  });

  it('of the first tickets stop the run before it creates all of them', async () => {
    const run = await unfairly({ put: () => LOST });
    const { code, stderr } = await run.sends(exportTickets(40), '--set', 'run.batchSize=4');
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      6,
      expect.stringMatching(/None of the first \d+ tickets could be completed/),
    ]);
    expect(creates(run)).toBeLessThan(40);
  });
});

it('429 pauses as long as Retry-After says', async () => {
  const fast = hurried(100);
  const slept: number[] = [];
  const sleep: typeof fast.sleep = (ms, signal) => {
    if (ms < 600_000) slept.push(ms);
    return fast.sleep(ms, signal);
  };
  const refused: Behaviour = { reported: { status: 429, headers: { 'retry-after': '90' } }, effect: 'never' };
  const clock = { clock: { ...fast, sleep }, timeout: 600 };
  const run = await unfairly({ create: (nth) => (nth === 1 ? refused : undefined) }, clock);
  run.write(exportTickets(2));
  expect([(await run.run()).code, creates(run, 1)]).toEqual([0, 2]);
  expect(Math.max(...slept)).toBeGreaterThan(45_000);
  expect(Math.max(...slept)).toBeLessThanOrEqual(90_000);
});

it('a checkpoint that is taken away during a pause ends the run, and the request is not repeated', async () => {
  const limited: Behaviour = { reported: { status: 429, headers: { 'retry-after': '5' } }, effect: 'never' };
  const run = await unfairly();
  run.target.ways.put = (_, nth) => {
    if (nth > 1) return undefined;
    renameSync(run.join('c.sqlite'), run.join('elsewhere.sqlite'));
    return limited;
  };
  const { code, stderr } = await run.sends(exportTickets(1));
  expect([code, puts(run, 'tkt-1')], stderr).toEqual([2, 1]);
});

describe('a dry run', () => {
  it('of many tickets only reads, a few hundred times at most', async () => {
    const run = await unfairly();
    const { code, tickets } = await run.sends(exportTickets(1200), '--dry-run');
    expect({ code, tickets, writes: run.writes() }).toMatchObject({
      ...{ code: 0, tickets: { pending: 1200 }, writes: [] },
    });
    expect(run.target.seen.length).toBeGreaterThan(0);
    expect(run.target.seen.length).toBeLessThan(300);
  });

  it('uses no refresh token', async () => {
    const run = await unfairly();
    writeFileSync(run.join('refresh-token'), 'once');
    run.write(exportTickets(2));
    const env = {
      HELPDESK_TOKEN: '',
      HELPDESK_TOKEN_URL: `${run.target.url}/oauth/token`,
      HELPDESK_CLIENT_ID: 'app',
      HELPDESK_REFRESH_TOKEN_FILE: run.join('refresh-token'),
    };
    const { code, stderr } = await run.run(['--dry-run'], env);
    expect([code, run.target.seen], stderr).toEqual([0, []]);
  });
});

describe('a bound of the contract', () => {
  it('of problems: further ones are counted alone', () => {
    const most = stated('has at most # rows or');
    const log = createProblemLog();
    const add = (n: number) =>
      log.add({ severity: 'error', code: 'x', ticket: `${n}`, message: 'x', count: 1 });
    for (let n = 1; n <= most; n += 1) add(n);
    expect([log.snapshot().rows.length, log.snapshot().total]).toEqual([most, most]);
    add(most + 1);
    expect([log.snapshot().rows.length, log.snapshot().total]).toEqual([most, most + 1]);
  });

  const noteOf = (...texts: string[]) =>
    importNote(
      texts.map((text, at) => ({ table: 't', row: '', column: `c${at}`, text })),
      { createdAt: '2024-01-01T00:00:00.000Z' },
      [],
      'ticket 1',
    ).note?.content ?? '';

  it('of a value in a note: the rest is counted in it', () => {
    const most = stated('A value is cut at # characters');
    expect(noteOf('x'.repeat(most))).not.toContain('more characters');
    expect(noteOf('x'.repeat(most + 1))).toContain('(1 more characters are in the export alone)');
  });

  it('of a note: values that do not fit are counted in it', () => {
    const half = stated('a note at #.') / 2;
    const row = '<tr><td>c0</td><td></td></tr>'.length;
    const fits = ['x'.repeat(half - row), 'y'.repeat(half - row)];
    expect(noteOf(...fits)).not.toContain('did not fit');
    expect(noteOf(...fits.map((text) => `${text}z`))).toContain('1 more values did not fit in this note');
  });

  it('of the age of a reading: a write that is older is looked at first', async () => {
    const ms = 1000 * stated('It leaves within # seconds of that reading');
    for (const [age, expected] of [
      [ms - 1, 0],
      [ms, 1],
    ] as const) {
      const clock = createFakeClock();
      let looks = 0;
      const wire = lookingFirst({ clock }, { at: clock.monotonic() - age }, async () => {
        looks += 1;
      });
      await wire.beforeSending?.();
      expect(looks).toBe(expected);
    }
  });

  it('of readings: a PUT is made anew this often, and then fails', async () => {
    const most = stated('the PUT is made anew, at most # times');
    for (const outdated of [most - 1, most]) {
      let made = 0;
      const write = fromNewReading(async () => {
        made += 1;
        if (made <= outdated) throw new Outdated();
      });
      if (outdated < most) await write;
      else await expect(write).rejects.toThrow(Outdated);
      expect(made).toBe(most);
    }
  });
});
