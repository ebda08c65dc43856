/** Records read again by their places: neighbours in one read, each place once, answers in the order asked for. */
import { setImmediate } from 'node:timers/promises';
import type { RecordRef } from '../domain/source.ts';
import type { ByteSource } from './byte-source.ts';

/** Bytes between two records that are read along rather than making two reads. */
const GAP = 8 * 1024;
const MAX_READ = 4 * 1024 * 1024;
const SHORT_READ = 64 * 1024;
const READS_AT_ONCE = 128;

interface Run {
  start: number;
  end: number;
  /** Indexes into the refs asked for. */
  readonly indexes: number[];
}

/**
 * For every short read: its bytes are handed out before anybody else can read. A buffer for each would be garbage outside
 * of the heap, of which megabytes gather before it is collected.
 */
const scratch = Buffer.allocUnsafeSlow(SHORT_READ);

/** A record stands in `bytes` from `start` to `end`; the bytes are another record's afterwards. */
export type TakeBytes = (index: number, bytes: Buffer, start: number, end: number) => void;

/**
 * A short read is made at once: of rows that lie scattered there are hundreds of thousands, and each is sooner read than
 * handed to a thread. Between some of them others get their turn.
 */
export async function readRefs(
  source: ByteSource,
  refs: readonly RecordRef[],
  take: TakeBytes,
): Promise<void> {
  let atOnce = 0;
  for (const run of runsOf(refs)) {
    if (run.end - run.start > SHORT_READ) {
      const bytes = Buffer.allocUnsafe(run.end - run.start);
      await source.read(bytes, run.start);
      handOut(run, refs, bytes, take);
    } else {
      readAtOnce(source, run, refs, take);
      if (++atOnce % READS_AT_ONCE === 0) await setImmediate();
    }
  }
}

export function readRefsSync(source: ByteSource, refs: readonly RecordRef[], take: TakeBytes): void {
  for (const run of runsOf(refs)) readAtOnce(source, run, refs, take);
}

function readAtOnce(source: ByteSource, run: Run, refs: readonly RecordRef[], take: TakeBytes): void {
  const length = run.end - run.start;
  const bytes = length > SHORT_READ ? Buffer.allocUnsafe(length) : scratch.subarray(0, length);
  source.readSync(bytes, run.start);
  handOut(run, refs, bytes, take);
}

function handOut(run: Run, refs: readonly RecordRef[], bytes: Buffer, take: TakeBytes): void {
  for (const index of run.indexes) {
    const ref = refs[index];
    if (ref === undefined) continue;
    take(index, bytes, ref.offset - run.start, ref.offset - run.start + ref.length);
  }
}

function runsOf(refs: readonly RecordRef[]): Run[] {
  const order = refs.map((_, index) => index);
  const offsetOf = (index: number) => refs[index]?.offset ?? 0;
  if (!isSorted(refs)) order.sort((a, b) => offsetOf(a) - offsetOf(b));
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const index of order) {
    const ref = refs[index];
    if (ref === undefined) continue;
    const end = ref.offset + ref.length;
    if (run !== undefined && ref.offset - run.end <= GAP && end - run.start <= MAX_READ) {
      run.end = Math.max(run.end, end);
      run.indexes.push(index);
    } else {
      run = { start: ref.offset, end, indexes: [index] };
      runs.push(run);
    }
  }
  return runs;
}

function isSorted(refs: readonly RecordRef[]): boolean {
  for (let index = 1; index < refs.length; index++) {
    if ((refs[index]?.offset ?? 0) < (refs[index - 1]?.offset ?? 0)) return false;
  }
  return true;
}
