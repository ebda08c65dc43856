/**
 * Files on their way: each address once, each content once, many hosts at a time and each at its own pace. What was fetched
 * and stored is in the ledger before anybody learns of it; what is asked for again waits without a slot.
 */
import { mkdirSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Clock, Random } from '../domain/clock.ts';
import type { FileLedger, MissingReason } from '../domain/ledger.ts';
import { labelOf } from '../verify/guarded-request.ts';
import { nameInAddress } from './address.ts';
import type { Attempt, FetchedFile, FileFetcher } from './fetch-file.ts';
import { type FileStore, StoreRefusal } from './file-store.ts';
import type { HostPaces } from './host-pace.ts';
import type { WantedFile } from './ticket-files.ts';

export interface TransferCounts {
  /** Addresses that had to be fetched, those that the ledger had before, and those that are missing; each once. */
  readonly wanted: number;
  readonly known: number;
  readonly fetched: number;
  readonly missing: number;
  /** Contents that were put into the store. */
  readonly stored: number;
  readonly bytes: number;
}

export interface TransferDeps {
  readonly ledger: FileLedger;
  readonly store: FileStore;
  readonly fetcher: Pick<FileFetcher, 'fetch'>;
  readonly paces: HostPaces;
  readonly clock: Clock;
  readonly random: Random;
  readonly onChange: (counts: TransferCounts) => void;
}

export interface Lack {
  readonly reason: MissingReason;
  readonly detail: string;
}

interface Item {
  readonly wanted: WantedFile;
  readonly host: string;
  attempts: number;
  /** The most bytes that any attempt left. */
  reached: number;
  times: number;
  notBefore: number;
  /** Told of its end: nothing where it is kept. */
  readonly ends: ((lack: Lack | undefined) => void)[];
}

interface Noted {
  readonly written: Promise<void> | undefined;
}

const MOST_ACTIVE = 24;
const MOST_WAITING = 5_000;
const MOST_ATTEMPTS = 5;
/** However far each of them comes. */
const MOST_TIMES = 200;
const MOST_PAUSES = 12;

export class Transfer {
  readonly #deps: TransferDeps;
  /** Addresses under way, by their keys, and those that were found to be missing. */
  readonly #items = new Map<string, Item>();
  readonly #missing = new Map<string, Lack>();
  /** All that were wanted, by 52 bits of their keys: millions of texts would not fit, and a number is only for counting. */
  readonly #counted = new Set<number>();
  readonly #queues = new Map<string, Item[]>();
  readonly #storing = new Map<string, Promise<Noted>>();
  #waiting = 0;
  #active = 0;
  #changed = Promise.withResolvers<void>();
  #isClosed = false;
  #failure: unknown;
  #counts = { wanted: 0, known: 0, fetched: 0, missing: 0, stored: 0, bytes: 0 };

  constructor(deps: TransferDeps) {
    this.#deps = deps;
    mkdirSync(deps.store.staging, { recursive: true });
  }

  get counts(): TransferCounts {
    return this.#counts;
  }

  countBytes(bytes: number): void {
    this.#counts.bytes += bytes;
    this.#deps.onChange(this.#counts);
  }

  /** Waits where too many are under way. `onEnd` is called once for this want, now or later. */
  async want(
    wanted: WantedFile,
    onEnd: (lack: Lack | undefined) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const under = this.#items.get(wanted.key);
    if (under !== undefined) {
      under.ends.push(onEnd);
      return;
    }
    const lack = this.#missing.get(wanted.key);
    if (lack !== undefined) return onEnd(lack);
    const { ledger, store } = this.#deps;
    const hash = ledger.get(wanted.key)?.hash;
    const content = hash === undefined ? undefined : ledger.content(store.id, hash);
    if (content?.begun === false && store.has(content)) {
      if (this.#isNew(wanted.key)) this.#counts.known += 1;
      return onEnd(undefined);
    }
    while (this.#waiting >= MOST_WAITING && this.#failure === undefined) {
      signal.throwIfAborted();
      await this.#changed.promise;
    }
    if (this.#failure !== undefined) throw this.#failure;
    const item: Item = {
      wanted,
      host: new URL(wanted.address).host,
      attempts: 0,
      reached: 0,
      times: 0,
      notBefore: 0,
      ends: [onEnd],
    };
    this.#items.set(wanted.key, item);
    if (this.#isNew(wanted.key)) this.#counts.wanted += 1;
    this.#queue(item);
  }

  #isNew(key: string): boolean {
    const before = this.#counted.size;
    return this.#counted.add(Number.parseInt(key.slice(0, 13), 16)).size > before;
  }

  /** Carries them out until all that is wanted by `close` has ended. Rejects for what stops everything, with nothing left under way. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#notify();
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!(this.#isClosed && this.#items.size === 0)) {
        if (signal.aborted || this.#failure !== undefined) break;
        const nextAt = this.#start(signal);
        await this.#changedOr(nextAt, signal);
      }
      while (this.#active > 0) await this.#changed.promise;
      await this.#deps.store.settle();
      if (this.#failure !== undefined) throw this.#failure;
      signal.throwIfAborted();
    } catch (error) {
      this.#failure ??= error;
      this.#notify();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      try {
        rmdirSync(this.#deps.store.staging);
      } catch {
        // Parts of files wait in it for the next run.
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#notify();
  }

  #queue(item: Item): void {
    const queue = this.#queues.get(item.host);
    if (queue === undefined) this.#queues.set(item.host, [item]);
    else queue.push(item);
    this.#waiting += 1;
    this.#notify();
  }

  /** Starts whatever may start; when the next one may that waits for its time. */
  #start(signal: AbortSignal): number | undefined {
    const { paces, clock } = this.#deps;
    const now = clock.monotonic();
    let nextAt: number | undefined;
    for (const [host, queue] of this.#queues) {
      while (queue.length > 0 && this.#active < MOST_ACTIVE) {
        const at = queue.findIndex(({ notBefore }) => notBefore <= now);
        if (at < 0 || !paces.tryEnter(host)) {
          const due = Math.max(
            paces.notBefore(host),
            at < 0 ? Math.min(...queue.map(({ notBefore }) => notBefore)) : 0,
          );
          if (due > now) nextAt = Math.min(nextAt ?? due, due);
          break;
        }
        const [item] = queue.splice(at, 1);
        this.#waiting -= 1;
        if (item !== undefined) void this.#carry(item, signal);
      }
      if (queue.length === 0) this.#queues.delete(host);
    }
    return nextAt;
  }

  async #carry(item: Item, signal: AbortSignal): Promise<void> {
    const { fetcher, paces, store } = this.#deps;
    this.#active += 1;
    // The host may be asked for the next one while this one is put into a folder; uploads wait for their turn with their hosts.
    let leave = () => {
      leave = () => {};
      paces.leave(item.host);
      this.#notify();
    };
    try {
      if (paces.isGone(item.host)) {
        leave();
        const detail = `${item.host} does not answer and was not asked for ${labelOf(item.wanted.address)} again.`;
        return await this.#lacks(item, { reason: 'unreachable', detail });
      }
      const attempt = await fetcher.fetch(item.wanted, signal);
      if (attempt.is === 'again') await this.#again(item, attempt);
      else {
        paces.answered(item.host);
        if (attempt.is === 'missing' || !store.isRemote) leave();
        if (attempt.is === 'missing') await this.#lacks(item, attempt);
        else await this.#keep(item, attempt.file, signal);
      }
    } catch (error) {
      if (!signal.aborted) this.#failure ??= error;
    } finally {
      leave();
      this.#active -= 1;
      this.#notify();
    }
  }

  async #again(item: Item, attempt: Extract<Attempt, { is: 'again' }>): Promise<void> {
    const { paces, clock, random } = this.#deps;
    const { busy, silent, reached, retryAfterMs, detail } = attempt;
    if (busy) paces.slowDown(item.host, retryAfterMs);
    else paces.failed(item.host, silent);
    // What brings the file on is no failure: it may break off many times.
    item.attempts = reached > item.reached ? 1 : item.attempts + 1;
    if (reached > item.reached) paces.broughtOn(item.host);
    item.reached = Math.max(item.reached, reached);
    item.times += 1;
    const most = item.times >= MOST_TIMES ? 0 : busy ? MOST_PAUSES : MOST_ATTEMPTS;
    if (item.attempts >= most || paces.isGone(item.host)) {
      return await this.#lacks(item, { reason: 'unreachable', detail });
    }
    item.notBefore = clock.monotonic() + (busy ? 0 : 250 * 2 ** item.attempts * (0.5 + random()));
    this.#queue(item);
  }

  async #lacks(item: Item, { reason, detail }: Lack): Promise<void> {
    const { ledger, clock, store } = this.#deps;
    const { key, address } = item.wanted;
    this.#missing.set(key, { reason, detail });
    this.#counts.missing += 1;
    // What was kept before stays, unless somebody took it away: its source may be gone by now.
    const hash = ledger.get(key)?.hash;
    const kept = hash === undefined ? undefined : ledger.content(store.id, hash);
    const isLost = kept !== undefined && (kept.begun || !store.has(kept));
    if (isLost && !kept.begun) await ledger.begin(store.id, kept);
    if (hash === undefined || isLost)
      await ledger.record({ key, label: labelOf(address), reason, detail, at: clock.now() });
    this.#end(item, { reason, detail });
  }

  async #keep(item: Item, file: FetchedFile, signal: AbortSignal): Promise<void> {
    const { ledger, clock } = this.#deps;
    const { key, address, name } = item.wanted;
    const { hash } = file;
    const called = name ?? file.name ?? nameInAddress(address);
    try {
      const storing = this.#storing.get(hash) ?? this.#put(file, called, signal);
      this.#storing.set(hash, storing);
      const noted = await storing;
      if (file.path !== undefined) await rm(file.path, { force: true });
      // In one commit, in this order.
      const record = { key, label: labelOf(address), hash, name: file.name, at: clock.now() };
      await Promise.all([noted.written, ledger.record(record)]);
    } catch (error) {
      if (error instanceof StoreRefusal)
        return await this.#lacks(item, { reason: 'unreachable', detail: error.message });
      throw error;
    } finally {
      this.#storing.delete(hash);
    }
    this.#counts.fetched += 1;
    this.#end(item, undefined);
  }

  /** Resolves when it is stored; `written` when the ledger says so. */
  async #put(file: FetchedFile, name: string | undefined, signal: AbortSignal): Promise<Noted> {
    const { ledger, store } = this.#deps;
    const { hash, size, type } = file;
    const known = ledger.content(store.id, hash);
    if (known?.begun === false && store.has(known)) return { written: undefined };
    if (store.isRemote)
      await ledger.begin(store.id, { hash, size, type, address: store.addressOf(file, name) ?? '' });
    const address = await store.put(file, name, signal, known?.begun);
    this.#counts.stored += 1;
    return { written: ledger.stored(store.id, { hash, size, type, address }) };
  }

  #end(item: Item, lack: Lack | undefined): void {
    this.#items.delete(item.wanted.key);
    for (const end of item.ends) end(lack);
    this.#deps.onChange(this.#counts);
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #changedOr(at: number | undefined, signal: AbortSignal): Promise<void> {
    const { promise } = this.#changed;
    if (at === undefined) return await promise;
    const waiting = new AbortController();
    const slept = this.#deps.clock
      .sleep(Math.max(1, at - this.#deps.clock.monotonic()), AbortSignal.any([signal, waiting.signal]))
      .catch(() => undefined);
    await Promise.race([promise, slept]);
    waiting.abort();
  }
}
