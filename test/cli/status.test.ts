import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { type CheckpointReader, readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { failureReasons, listDoubts, listFailed, unionOf } from '../../src/commands/status/status-lists.ts';
import { statusSteps } from '../../src/commands/status/status-next.ts';
import { statusLines, unionFindings } from '../../src/commands/status/status-view.ts';
import { type Sample, watchRun, watchStatus } from '../../src/commands/status/status-watch.ts';
import { TICKET_STATES } from '../../src/domain/ticket-state.ts';
import { checkpointStatus, rateSteps } from '../../src/import/checkpoint-status.ts';
import { commandLines } from '../../src/present/terminal/command-line.ts';
import { testStyle } from '../present/terminal/sink.ts';
import { temporaryFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { type CheckpointPlan, type Fate, intentOf, makeCheckpoint, PRINTS, TARGET } from './checkpoints.ts';

async function withCheckpoints<T>(
  plans: readonly CheckpointPlan[],
  use: (readers: readonly CheckpointReader[]) => T | Promise<T>,
): Promise<T> {
  using folder = temporaryFolder();
  const readers: CheckpointReader[] = [];
  try {
    for (const [at, plan] of plans.entries()) {
      const path = folder.join(`${at}.sqlite`);
      await makeCheckpoint(path, plan);
      readers.push(readCheckpoint(path));
    }
    return await use(readers);
  } finally {
    for (const reader of readers) reader.close();
  }
}

const one = <T>(plan: CheckpointPlan, use: (reader: CheckpointReader) => T | Promise<T>) =>
  withCheckpoints([plan], ([reader]) => use(reader as CheckpointReader));

const ALL: Record<string, Fate> = {
  a: 'done',
  b: 'created',
  c: 'failed',
  d: 'failedLater',
  e: 'inDoubt',
  f: 'creating',
  g: 'rejected',
  h: 'skipped',
  i: 'pending',
};

describe('the status of a checkpoint', () => {
  it('tells what was undone, and an undo that was stopped goes first', async () => {
    using folder = temporaryFolder();
    const path = folder.join('undone.sqlite');
    await makeCheckpoint(path, { tickets: { a: 'done', b: 'done', c: 'done' }, run: { exitCode: 0 } });
    const checkpoint = openCheckpoint(path, {
      target: TARGET,
      clock: createFakeClock('2025-06-03T08:00:00.000Z'),
      programVersion: '0.1.0',
    });
    const run = 'run-20250602-080000';
    await checkpoint.undos.set({ ticketId: 'T-a', externalId: 'a', run });
    await checkpoint.undone('a');
    const shown = { status: 'open', tags: [run] };
    await checkpoint.undos.set({ ticketId: 'T-b', externalId: 'b', run, begun: shown });
    await checkpoint.close();
    const reader = readCheckpoint(path);
    const status = checkpointStatus(reader, Date.parse('2025-06-03T08:00:00.000Z'));
    reader.close();
    expect(status.undo).toEqual({ undone: 1, begun: 1, unfinished: [run] });
    const commands = commandLines({ command: 'status', files: [], options: [] });
    expect(statusSteps(status, { commands, folder: folder.path, isNamed: false })).toMatchObject([
      { command: `helpdesk-import undo --run ${run}` },
    ]);
    expect(statusLines(status, [], testStyle(100)).join('\n')).toContain(
      '1 ticket closed and emptied in the target, 1 begun',
    );
  });

  it('every ticket has exactly one outcome, and an interrupted create is in doubt', () =>
    one({ tickets: ALL, run: { exitCode: 4 } }, (reader) => {
      const status = checkpointStatus(reader, 0);
      expect(status.tickets).toEqual({
        known: 9,
        done: 1,
        rejected: 1,
        failed: 2,
        inDoubt: 2,
        skipped: 1,
        pending: 2,
      });
      expect(status.target).toBe(TARGET);
      expect(status.writer).toBeUndefined();
      expect(status.runs).toMatchObject([{ mode: 'run', exitCode: 4, isGoingOn: false }]);
    }));

  it('while a process writes, a create under way is not in doubt', async () => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
    const clock = createFakeClock('2025-06-02T08:00:00.000Z');
    const checkpoint = openCheckpoint(path, { target: TARGET, clock, programVersion: '0.1.0' });
    await checkpoint.startRun('run');
    await checkpoint.intend('a', intentOf('a'), PRINTS);
    const reader = readCheckpoint(path);
    const status = checkpointStatus(reader, clock.now());

    expect(status.tickets).toMatchObject({ known: 1, pending: 1, inDoubt: 0 });
    expect(status.writer).toEqual({ pid: process.pid, since: '2025-06-02T08:00:00.000Z' });
    expect(status.runs).toMatchObject([{ isGoingOn: true }]);
    expect(listDoubts(reader, 10)).toEqual([]);
    reader.close();
    await checkpoint.close();
  });

  it('lists who failed and why, in pages, with the reasons counted', () =>
    one({ tickets: ALL }, (reader) => {
      const first = listFailed(reader, 2);
      expect(first.map(({ externalId, outcome, ticketId }) => [externalId, outcome, ticketId])).toEqual([
        ['c', 'failed', undefined],
        ['d', 'failed', 'T-d'],
      ]);
      expect(listFailed(reader, 2, 'd')).toEqual([
        { externalId: 'g', outcome: 'rejected', code: 'invalid-email', reason: 'The address is none.' },
      ]);
      expect(failureReasons([reader, reader]).map(({ code, count }) => [code, count])).toEqual([
        ['refused', 2],
        ['refused', 2],
        ['invalid-email', 2],
      ]);
    }));

  it('tells what to look for in the target', () =>
    one({ tickets: ALL }, (reader) => {
      const [doubt, interrupted] = listDoubts(reader, 10);
      expect(doubt).toEqual({
        externalId: 'e',
        subject: 'Subject of e',
        createdAt: '2024-01-02T03:04:05.000Z',
        email: 'e@example.com',
        sentAt: '2025-06-02T08:00:00.000Z',
        reason: 'No answer within 30 s.',
      });
      expect(interrupted?.reason).toMatch(/An earlier run ended/);
    }));
});

describe('the rate over time', () => {
  const at = (second: number) => new Date(second * 1000).toISOString();

  it.each<[string, [number, number][], number, number[]]>([
    [
      'a few seconds go one by one',
      [
        [10, 3],
        [12, 4],
      ],
      1,
      [3, 0, 4],
    ],
    [
      'a minute goes in steps of five',
      [
        [0, 1],
        [59, 2],
      ],
      5,
      [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    ],
    ['nothing gives nothing', [], 0, []],
  ])('%s', (_, changes, seconds, tickets) => {
    const steps = rateSteps(
      changes.map(([second, count]) => ({ second, tickets: count })),
      0,
      1_000_000,
    );
    expect(steps.map((step) => step.tickets)).toEqual(tickets);
    if (steps[0] !== undefined) expect(steps[0].seconds).toBe(seconds);
  });

  it('counts nothing of other runs, and never makes more than twenty steps', () => {
    const changes = Array.from({ length: 5000 }, (_, second) => ({ second, tickets: 1 }));
    const steps = rateSteps(changes, 1_000_000, 4_000_000);
    expect(steps.length).toBeLessThanOrEqual(20);
    expect(steps.reduce((sum, { tickets }) => sum + tickets, 0)).toBe(3001);
    expect(steps[0]?.from).toBe(at(1000));
  });
});

describe('several checkpoints', () => {
  const summary = (read: number, skipped: number, shard?: [number, number]) => ({
    tickets: { read, skipped },
    ...(shard === undefined ? {} : { shard: { index: shard[0], count: shard[1] } }),
  });
  const union = (plans: readonly CheckpointPlan[]) =>
    withCheckpoints(plans, (readers) =>
      unionOf(
        readers,
        readers.map((reader) => checkpointStatus(reader, 0)),
      ),
    );

  it('shards of one export are complete and disjoint', async () => {
    const found = await union([
      { tickets: { a: 'done', c: 'done' }, run: { exitCode: 0, summary: summary(4, 2, [1, 2]) } },
      { tickets: { b: 'done', d: 'failed' }, run: { exitCode: 3, summary: summary(4, 2, [2, 2]) } },
    ]);
    expect(found).toEqual({
      tickets: 4,
      overlap: { count: 0, examples: [] },
      targets: [TARGET],
      read: 4,
      takenOn: 4,
      missingShards: [],
    });
    expect(unionFindings(found, 2).every(({ isGood }) => isGood)).toBe(true);
  });

  it('a ticket in two of them is found, whatever stands between', async () => {
    const ids = ['a', 'b', 'ä', '𝒳', '\uffff', '\ud800', 'z'];
    const tickets = (some: readonly string[]) => Object.fromEntries(some.map((id) => [id, 'done' as const]));
    const found = await union([
      { tickets: tickets(ids) },
      { tickets: tickets(['b', '𝒳', '\ud800', 'other']) },
    ]);
    expect(found.overlap.count).toBe(3);
    expect(new Set(found.overlap.examples)).toEqual(new Set(['b', '𝒳', '\ud800']));
    expect(found.tickets).toBe(8);
  });

  it('a missing shard and different targets are told', async () => {
    const found = await union([
      { tickets: { a: 'done' }, run: { exitCode: 0, summary: summary(9, 6, [1, 3]) } },
      {
        tickets: { b: 'done' },
        target: 'https://other.example.com/api/core/v1',
        run: { exitCode: 0, summary: summary(9, 6, [3, 3]) },
      },
    ]);
    expect(found.missingShards).toEqual(['2/3']);
    expect(found.takenOn).toBe(6);
    const texts = unionFindings(found, 2).filter(({ isGood }) => !isGood);
    expect(texts.map(({ text }) => text).join(' ')).toMatch(/different targets.*shard 2\/3.*6 of 9 tickets/);
  });

  it('without a finished run nothing is claimed about completeness', async () => {
    const found = await union([{ tickets: { a: 'done' } }, { tickets: { b: 'done' }, run: 'cut-off' }]);
    expect(found.read).toBeUndefined();
    expect(unionFindings(found, 2).some(({ isGood, text }) => !isGood && /It is not known/.test(text))).toBe(
      true,
    );
  });
});

describe('watching a run', () => {
  const fakeReader = (done: () => number, isWritten: () => boolean, read?: number): CheckpointReader =>
    ({
      writer: () => (isWritten() ? { pid: 1, since: 0 } : undefined),
      counts: () => ({ ...Object.fromEntries(TICKET_STATES.map((state) => [state, 0])), done: done() }),
      runs: () => (read === undefined ? [] : [{ summary: { tickets: { read, skipped: 0 } } }]),
    }) as unknown as CheckpointReader;

  it('ends when nobody writes any more, and has shown the last counts', async () => {
    const clock = createFakeClock();
    const start = clock.monotonic();
    const elapsed = () => clock.monotonic() - start;
    const shown: Sample[] = [];
    const watched = watchRun(
      [
        fakeReader(
          () => Math.min(50, elapsed() / 100),
          () => elapsed() < 5000,
          50,
        ),
      ],
      1000,
      { clock, signal: new AbortController().signal, show: (sample) => shown.push(sample) },
    );
    expect(await clock.settle(watched)).toBe('ended');
    expect(shown.map(({ tickets }) => tickets.done)).toEqual([0, 10, 20, 30, 40, 50]);
    expect(shown.at(-1)?.progress).toMatchObject({ total: 50, settled: 50 });
    expect(clock.sleeping()).toBe(0);
  });

  it('several checkpoints are watched as one until the last of their runs has ended', async () => {
    const clock = createFakeClock();
    const start = clock.monotonic();
    const elapsed = () => clock.monotonic() - start;
    const shard = (size: number, endsAfterMs: number) =>
      fakeReader(
        () => Math.floor((Math.min(elapsed(), endsAfterMs) / endsAfterMs) * size),
        () => elapsed() < endsAfterMs,
        size,
      );
    // The first has ended before the watch begins.
    const ended = fakeReader(
      () => 7,
      () => false,
      7,
    );
    const shown: Sample[] = [];
    const watched = watchRun([ended, shard(20, 2000), shard(40, 4000)], 1000, {
      clock,
      signal: new AbortController().signal,
      show: (sample) => shown.push(sample),
    });
    expect(await clock.settle(watched)).toBe('ended');
    expect(shown.map(({ tickets }) => tickets.done)).toEqual([7, 27, 47, 57, 67]);
    expect(shown.map(({ progress }) => progress.total)).toEqual([67, 67, 67, 67, 67]);
    expect(clock.sleeping()).toBe(0);
  });

  it('no share is shown as long as one of several does not know how many tickets it has', async () => {
    const clock = createFakeClock();
    const until = (ms: number) => () => clock.monotonic() < ms;
    const shown: Sample[] = [];
    const readers = [fakeReader(() => 5, until(1000), 10), fakeReader(() => 2, until(1000))];
    const signal = new AbortController().signal;
    await clock.settle(watchRun(readers, 500, { clock, signal, show: (sample) => shown.push(sample) }));
    expect(shown.map(({ tickets, progress }) => [tickets.done, progress.total])).toEqual([
      [7, 0],
      [7, 0],
      [7, 0],
    ]);
  });

  it('without a run there is nothing to watch', async () => {
    const show = () => expect.unreachable();
    const watched = watchRun(
      [
        fakeReader(
          () => 0,
          () => false,
        ),
      ],
      1000,
      {
        clock: createFakeClock(),
        signal: new AbortController().signal,
        show,
      },
    );
    expect(await watched).toBe('idle');
  });

  it('a signal ends the watch and leaves no timer behind', async () => {
    const clock = createFakeClock();
    const end = new AbortController();
    const watched = watchRun(
      [
        fakeReader(
          () => 1,
          () => true,
        ),
      ],
      1000,
      {
        clock,
        signal: end.signal,
        show: () => undefined,
      },
    );
    await clock.advance(2500);
    end.abort();
    expect(await clock.settle(watched)).toBe('stopped');
    expect(clock.sleeping()).toBe(0);
  });

  it.each([true, false])(
    'on a terminal (%s) one line moves, elsewhere each look is a line',
    async (isTTY) => {
      const clock = createFakeClock();
      let written = '';
      const stdout = Object.assign(
        new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            written += chunk.toString('utf8');
            done();
          },
        }),
        { isTTY, columns: 100 },
      );
      const start = clock.monotonic();
      const elapsed = () => clock.monotonic() - start;
      const reader = fakeReader(
        () => Math.floor(elapsed() / 100),
        () => elapsed() < 3000,
      );
      const context = { clock, stdout, stderr: stdout, env: {}, onSignal: () => () => undefined };
      const view = { interval: 1, color: false, json: false };
      await clock.settle(watchStatus([reader], view, context as unknown as CliContext));
      const frames = written.split('\r');
      expect(frames.length > 3).toBe(isTTY);
      expect(written).toMatch(
        isTTY ? /\r\S Importing {2}30 tickets done/ : /^0:03 {2}30 tickets done · 10\/s$/m,
      );
      expect(written.endsWith('The run has ended.\n\n')).toBe(true);
    },
  );
});
