/** Files of many hosts on their way: each host at its own pace, whatever the others do. What was asked is on a ledger. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../src/attachments/address.ts';
import type { Attempt } from '../../src/attachments/fetch-file.ts';
import type { WantedFile } from '../../src/attachments/files-of-ticket.ts';
import { type FileStore, StoreRefusal } from '../../src/attachments/stores.ts';
import { Transfer } from '../../src/attachments/transfer.ts';
import type { FileLedger } from '../../src/domain/ledger.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const staging = mkdtempSync(join(tmpdir(), 'transfer-'));
afterAll(() => rmSync(staging, { recursive: true, force: true }));

const ledger: FileLedger = {
  get: () => undefined,
  content: () => undefined,
  anywhere: () => undefined,
  begin: async () => {},
  stored: async () => {},
  record: async () => {},
  isEmpty: () => true,
};
const store: FileStore = {
  id: 'test',
  staging,
  isRemote: false,
  addressOf: () => 'https://new.example/f',
  put: async () => 'https://new.example/f',
  has: () => true,
  settle: async () => {},
};
const busy = (retryAfterMs?: number): Attempt => ({
  is: 'again',
  detail: 'answers 429.',
  busy: true,
  retryAfterMs,
  silent: false,
});
const silent: Attempt = { is: 'again', detail: 'cannot be reached.', busy: false, silent: true };

interface Ask {
  readonly host: string;
  readonly at: number;
}

/** Fetches `each` files of every host; what the n-th request to a host is answered, and how long that takes. */
async function transferred(
  hosts: readonly string[],
  each: number,
  answer: (host: string, nth: number) => { attempt?: Attempt; ms: number },
  kept: FileLedger = ledger,
  giveUpAfterMs = 3_600_000,
  into: FileStore = store,
) {
  const { signal } = new AbortController();
  const clock = createFakeClock();
  const asks: Ask[] = [];
  const active = new Map<string, number>();
  const most = new Map<string, number>();
  const transfer = new Transfer({
    ledger: kept,
    store: into,
    clock,
    random: () => 0.5,
    giveUpAfterMs,
    signal,
    onChange: () => {},
    fetcher: {
      fetch: async ({ address, key }: WantedFile): Promise<Attempt> => {
        const { host } = new URL(address);
        asks.push({ host, at: clock.monotonic() });
        active.set(host, (active.get(host) ?? 0) + 1);
        most.set(host, Math.max(most.get(host) ?? 0, active.get(host) ?? 0));
        const { attempt, ms } = answer(host, asks.filter((one) => one.host === host).length);
        await clock.sleep(ms);
        active.set(host, (active.get(host) ?? 0) - 1);
        return (
          attempt ?? {
            is: 'fetched',
            file: { hash: key, size: 1, type: 'image/gif', path: join(staging, key) },
          }
        );
      },
    },
  });
  const ends = new Map<string, { at: number; lacks: string[] }>();
  for (const host of hosts)
    for (let file = 0; file < each; file++) {
      const address = `https://${host}/${file}`;
      const wanted: WantedFile = { key: keyOf(address), address, field: 'content', role: 'link' };
      await transfer.want(wanted, (lack) => {
        const end = ends.get(host) ?? { at: 0, lacks: [] };
        end.at = clock.monotonic();
        if (lack !== undefined) end.lacks.push(lack.storedAt ?? lack.reason);
        ends.set(host, end);
      });
    }
  const counts = await clock.settle(transfer.finish());
  return { clock, asks, most, ends, counts };
}

it('a host that asks for a pause gets it, and no other host waits for that', async () => {
  const { asks, ends, counts } = await transferred(['busy.example', 'free.example'], 12, (host, nth) =>
    host === 'busy.example' && nth === 1 ? { attempt: busy(60_000), ms: 10 } : { ms: 10 },
  );
  const busyAsks = asks.filter(({ host }) => host === 'busy.example').map(({ at }) => at);
  // Seven more were on their way when the first one was answered.
  expect(busyAsks.filter((at) => at < 60_000)).toHaveLength(8);
  expect(busyAsks).toHaveLength(13);
  expect(ends.get('free.example')?.at).toBeLessThan(100);
  expect(counts).toMatchObject({ fetched: 24, missing: 0 });
});

it('requests that are refused together slow their host down one time', async () => {
  const { asks, counts } = await transferred(['busy.example'], 8, (_, nth) =>
    nth <= 8 ? { attempt: busy(), ms: 10 } : { ms: 10 },
  );
  const later = asks.map(({ at }) => at).filter((at) => at > 10);
  expect(later[0]).toBe(1010);
  expect(counts).toMatchObject({ fetched: 8, missing: 0 });
});

it('no host is asked for more at a time than it may', async () => {
  const { most } = await transferred(['a.example', 'b.example', 'c.example'], 20, () => ({ ms: 10 }));
  expect(Object.fromEntries(most)).toEqual({ 'a.example': 8, 'b.example': 8, 'c.example': 8 });
});

describe('[refusedsaid] files that the store refuses', () => {
  const refusing = (isRefused: (nth: number) => boolean): FileStore => {
    let puts = 0;
    const put = async () => {
      if (isRefused(++puts)) throw new StoreRefusal('The helpdesk does not take it (403).');
      return 'https://new.example/f';
    };
    return { ...store, put };
  };
  const all = (files: number, isRefused: (nth: number) => boolean) =>
    transferred(['a.example'], files, () => ({ ms: 1 }), ledger, 3_600_000, refusing(isRefused));

  it.each<[string, number, (nth: number) => boolean, number]>([
    ['all of many', 40, () => true, 5],
    ['both of two', 2, () => true, 2],
    ['25 in a row after others', 60, (nth) => nth > 10, 25],
  ])('%s stop before the first ticket', async (_, files, isRefused, count) => {
    await expect(all(files, isRefused)).rejects.toThrow(
      new RegExp(`^${count} files were refused one after the other. The helpdesk does not take it`),
    );
  });

  it.each<[string, number, (nth: number) => boolean, number]>([
    ['one alone', 1, () => true, 1],
    ['all but the fifth', 10, (nth) => nth !== 5, 9],
    ['24 in a row after others', 50, (nth) => nth > 10 && nth < 35, 24],
  ])('%s are missing, and the others are stored', async (_, files, isRefused, missing) => {
    const { counts } = await all(files, isRefused);
    expect(counts).toMatchObject({ missing, stored: files - missing });
  });
});

it('a file that breaks off is asked for four times, with longer pauses', async () => {
  const broken: Attempt = { is: 'again', detail: 'breaks off.', busy: false, silent: false };
  const { asks, ends, counts } = await transferred(['a.example'], 1, () => ({ attempt: broken, ms: 0 }));
  expect(asks.map(({ at }) => at)).toEqual([0, 500, 1500, 3500]);
  expect(ends.get('a.example')?.lacks).toEqual(['unreachable']);
  expect(counts).toMatchObject({ fetched: 0, missing: 1 });
});

it.each<[string, Attempt]>([
  ['is busy for ever', busy()],
  ['asks for no pause between', busy(0)],
  ['asks for years', busy(1e12)],
])('a host that %s is given up after its time', async (_, attempt) => {
  const { clock, ends } = await transferred(
    ['a.example'],
    200,
    () => ({ attempt, ms: 1000 }),
    ledger,
    600_000,
  );
  expect(ends.get('a.example')?.lacks).toHaveLength(200);
  expect(clock.monotonic()).toBeLessThanOrEqual(1_300_000);
});

it('a host that does not answer is given up by itself', async () => {
  const { ends, asks, counts } = await transferred(['dead.example', 'free.example'], 40, (host) =>
    host === 'dead.example' ? { attempt: silent, ms: 1000 } : { ms: 10 },
  );
  expect(ends.get('free.example')).toEqual({ at: 50, lacks: [] });
  expect(new Set(ends.get('dead.example')?.lacks)).toEqual(new Set(['unreachable']));
  expect(asks.filter(({ host }) => host === 'dead.example').length).toBeLessThan(50);
  expect(counts).toMatchObject({ fetched: 40, missing: 40 });
});

it('an address is counted once, however often it is wanted', async () => {
  const held = new Map<string, string>();
  const content = { size: 1, type: 'image/gif', address: 'https://new.example/f', begun: false };
  const kept: FileLedger = {
    ...ledger,
    get: (key) => (held.has(key) ? { key, label: key, hash: key, at: 0 } : undefined),
    content: (_, hash) => (held.has(hash) ? { hash, ...content } : undefined),
    record: async ({ key }) => void held.set(key, key),
  };
  const host = 'a.example';
  const before = keyOf(`https://${host}/0`);
  held.set(before, before);
  // Three tickets with the same three files.
  const { asks, counts } = await transferred([host, host, host], 3, () => ({ ms: 0 }), kept);
  expect(asks).toHaveLength(2);
  expect(counts).toMatchObject({ wanted: 2, known: 1, fetched: 2 });
});

it('what a killed process left on its way is removed, and nothing else of its folder', async () => {
  mkdirSync(staging, { recursive: true });
  const left = [`${'a'.repeat(32)}.part`, 'notes.part', 'own.txt'];
  for (const name of left) writeFileSync(join(staging, name), 'x');
  const { counts } = await transferred(['a.example'], 1, () => ({ ms: 0 }));
  expect(counts).toMatchObject({ fetched: 1 });
  expect(readdirSync(staging).toSorted()).toEqual(['notes.part', 'own.txt']);
});

it('a stored file keeps its address when its folder and its source are gone', async () => {
  const recorded: unknown[] = [];
  const content = { hash: 'h', size: 1, type: 'image/gif', address: 'https://files.example/h.gif' };
  const known: FileLedger = {
    ...ledger,
    get: (key) => ({ key, label: 'closed.example/0', hash: 'h', at: 0 }),
    content: () => ({ ...content, begun: false }),
    begin: async (...args) => void recorded.push(args),
    record: async (file) => void recorded.push(file),
  };
  const moved = { ...store, has: () => false };
  const { ends } = await transferred(
    ['closed.example'],
    1,
    () => ({ attempt: { is: 'missing', reason: 'gone', detail: 'answers 404.' }, ms: 10 }),
    known,
    3_600_000,
    moved,
  );
  expect([ends.get('closed.example')?.lacks, recorded]).toEqual([[content.address], []]);
});
