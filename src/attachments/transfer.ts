/**
 * Fetches each address once, stores each content once, and paces each host. Stored files are in the ledger before use, so a
 * dead process repeats only what was in transfer.
 */
import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { AppError } from '../domain/errors.ts';
import type { FileLedger } from '../domain/ledger.ts';
import type { Clock, Random } from '../domain/ports.ts';
import { stop } from '../domain/text/stops.ts';
import { labelOf } from '../verify/guarded-request.ts';
import { nameInAddress } from './address.ts';
import { cannotWrite, type FetchedFile, type FileFetcher, PART_NAME } from './fetch-file.ts';
import type { Lack, WantedFile } from './files-of-ticket.ts';
import { type FileStore, StoreRefusal } from './stores.ts';

export interface TransferCounts {
  /** Each counted once. */
  wanted: number;
  known: number;
  fetched: number;
  missing: number;
  stored: number;
  bytes: number;
}

export interface TransferDeps {
  readonly ledger: FileLedger;
  readonly store: FileStore;
  readonly fetcher: Pick<FileFetcher, 'fetch'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly giveUpAfterMs: number;
  readonly onChange: (counts: TransferCounts) => void;
  readonly signal: AbortSignal;
}

const TOGETHER = 24;
const MOST_WAITING = 2_000;
const MOST_ATTEMPTS = 4;
const MOST_PAUSES = 12;
/** Files that the store refuses one after the other: before it took one, and after. */
const MOST_REFUSED = { first: 5, later: 25 };

export class Transfer {
  readonly counts: TransferCounts = { wanted: 0, known: 0, fetched: 0, missing: 0, stored: 0, bytes: 0 };
  readonly #deps: TransferDeps;
  readonly #limit = pLimit(TOGETHER);
  readonly #hosts = new Map<string, FileHost>();
  readonly #underWay = new Map<string, Promise<Lack | undefined>>();
  readonly #ended = new Map<string, Lack | undefined>();
  readonly #storing = new Map<string, Promise<unknown>>();
  #oneEnded = Promise.withResolvers<void>();
  #refused: string[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(deps: TransferDeps) {
    this.#deps = deps;
    const { staging } = deps.store;
    try {
      mkdirSync(staging, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(staging)) if (PART_NAME.test(name)) rmSync(join(staging, name));
    } catch (cause) {
      throw cannotWrite(staging, cause);
    }
  }

  countBytes(bytes: number): void {
    this.counts.bytes += bytes;
    this.#deps.onChange(this.counts);
  }

  /** Waits if too many are under way. `onEnd` gets no argument for a stored file. */
  async want(wanted: WantedFile, onEnd: (lack: Lack | undefined) => void): Promise<void> {
    const { key } = wanted;
    while (this.#underWay.size >= MOST_WAITING && !this.#underWay.has(key)) await this.#oneEnded.promise;
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#deps.signal.throwIfAborted();
    if (this.#ended.has(key)) return onEnd(this.#ended.get(key));
    const work = this.#underWay.get(key) ?? this.#begin(wanted);
    void work.then(onEnd, () => undefined);
  }

  async finish(): Promise<TransferCounts> {
    await Promise.allSettled(this.#underWay.values());
    await this.#deps.store.settle();
    try {
      rmdirSync(this.#deps.store.staging);
    } catch {
      // It holds something of another program.
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#deps.signal.throwIfAborted();
    if (!this.#hasTaken && this.#refused.length > 1) throw this.#refusesAll();
    return this.counts;
  }

  #begin(wanted: WantedFile): Promise<Lack | undefined> {
    const { key } = wanted;
    const { ledger, store, onChange } = this.#deps;
    const hash = ledger.get(key)?.hash;
    const content = hash === undefined ? undefined : ledger.content(store.id, hash);
    if (content?.begun === false && store.has(content)) {
      this.counts.known += 1;
      this.#ended.set(key, undefined);
      return Promise.resolve(undefined);
    }
    this.counts.wanted += 1;
    const work = this.#carry(wanted)
      .then(
        (lack) => {
          this.counts[lack === undefined ? 'fetched' : 'missing'] += 1;
          this.#ended.set(key, lack);
          return lack;
        },
        (error: unknown) => {
          this.#failure ??= { error };
          throw error;
        },
      )
      .finally(() => {
        this.#underWay.delete(key);
        this.#oneEnded.resolve();
        this.#oneEnded = Promise.withResolvers();
        onChange(this.counts);
      });
    this.#underWay.set(key, work);
    return work;
  }

  async #carry(wanted: WantedFile): Promise<Lack | undefined> {
    const { key, address } = wanted;
    const { clock, giveUpAfterMs, ledger, store } = this.#deps;
    const { host: name } = new URL(address);
    const host = this.#hosts.get(name) ?? new FileHost(clock, giveUpAfterMs);
    this.#hosts.set(name, host);
    const lack = await host.limit(() => this.#fetch(wanted, host));
    if (lack === undefined) return undefined;
    const hash = ledger.get(key)?.hash;
    const kept = hash === undefined ? undefined : ledger.content(store.id, hash);
    // The folder may have moved to a web server, and the old helpdesk may be closed.
    if (kept?.begun === false) return { ...lack, storedAt: kept.address };
    if (hash === undefined || kept !== undefined)
      await ledger.record({ key, label: labelOf(address), ...lack, at: clock.now() });
    return lack;
  }

  /** A requested pause does not count. */
  async #fetch(wanted: WantedFile, host: FileHost): Promise<Lack | undefined> {
    const { fetcher, clock, random, signal } = this.#deps;
    let detail = `${new URL(wanted.address).host} does not answer and was not asked for ${labelOf(wanted.address)} again.`;
    for (let attempts = 0, pauses = 0; attempts < MOST_ATTEMPTS && pauses < MOST_PAUSES; ) {
      await host.paused(signal);
      if (host.isGone) break;
      const attempt = await this.#limit(() => {
        if (this.#failure !== undefined) throw this.#failure.error;
        signal.throwIfAborted();
        return fetcher.fetch(wanted, signal);
      });
      if (attempt.is !== 'again') host.answered();
      if (attempt.is === 'missing') return { reason: attempt.reason, detail: attempt.detail };
      if (attempt.is === 'fetched') return await this.#keep(wanted, attempt.file);
      detail = attempt.detail;
      if (attempt.busy) {
        pauses += 1;
        host.pause(attempt.retryAfterMs);
      } else {
        attempts += 1;
        host.failed(attempt.silent);
        if (attempts < MOST_ATTEMPTS && !host.isGone)
          await clock.sleep(250 * 2 ** attempts * (0.5 + random()), signal);
      }
    }
    return { reason: 'unreachable', detail };
  }

  async #keep({ key, address, name }: WantedFile, file: FetchedFile): Promise<Lack | undefined> {
    const { ledger, clock } = this.#deps;
    const { hash } = file;
    try {
      const called = name ?? file.name ?? nameInAddress(address);
      const storing = this.#storing.get(hash) ?? this.#limit(() => this.#put(file, called));
      this.#storing.set(hash, storing);
      await storing;
      await ledger.record({ key, label: labelOf(address), hash, name: file.name, at: clock.now() });
      return undefined;
    } catch (error) {
      if (!(error instanceof StoreRefusal)) throw error;
      this.#refused.push(error.message);
      if (this.#refused.length >= MOST_REFUSED[this.#hasTaken ? 'later' : 'first']) throw this.#refusesAll();
      return { reason: 'unreachable', detail: error.message };
    } finally {
      this.#storing.delete(hash);
      rmSync(file.path, { force: true });
    }
  }

  get #hasTaken(): boolean {
    return this.counts.stored + this.counts.known > 0;
  }

  #refusesAll(): AppError {
    const { length } = this.#refused;
    const [first = ''] = this.#refused;
    return stop('files-refused', { length, first });
  }

  async #put(file: FetchedFile, name: string | undefined): Promise<void> {
    const { ledger, store, signal } = this.#deps;
    const { hash, size, type } = file;
    const known = ledger.content(store.id, hash);
    if (known?.begun === false && store.has(known)) return;
    if (store.isRemote)
      await ledger.begin(store.id, { hash, size, type, address: store.addressOf(file, name) ?? '' });
    const address = await store.put(file, name, signal);
    this.counts.stored += 1;
    this.#refused = [];
    await ledger.stored(store.id, { hash, size, type, address });
  }
}

const FILES_PER_HOST = 8;
const GONE_AFTER = 40;
const LONGEST_PAUSE_MS = 300_000;

class FileHost {
  readonly limit = pLimit(FILES_PER_HOST);
  readonly #clock: Clock;
  readonly #giveUpAfterMs: number;
  #pausedUntil = 0;
  #pauses = 0;
  #silences = 0;
  #troubledSince: number | undefined;
  isGone = false;

  constructor(clock: Clock, giveUpAfterMs: number) {
    this.#clock = clock;
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  answered(): void {
    this.#silences = 0;
    this.#pauses = 0;
    this.#troubledSince = undefined;
    this.isGone = false;
  }

  /** `silent`: without any answer. */
  failed(silent: boolean): void {
    this.#silences = silent ? this.#silences + 1 : 0;
    const now = this.#clock.monotonic();
    this.#troubledSince ??= now;
    this.isGone ||= this.#silences >= GONE_AFTER || now - this.#troubledSince >= this.#giveUpAfterMs;
  }

  pause(ms: number | undefined): void {
    this.failed(false);
    const now = this.#clock.monotonic();
    if (this.#pausedUntil <= now) this.#pauses += 1;
    const asked = ms ?? 500 * 2 ** Math.min(this.#pauses, 8);
    const longest = Math.min(LONGEST_PAUSE_MS, this.#giveUpAfterMs);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(asked, longest));
  }

  async paused(signal: AbortSignal): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - this.#clock.monotonic();
      if (left <= 0) return;
      await this.#clock.sleep(left, signal);
    }
  }
}
