/**
 * Keeps the process small. Left alone, V8 gives a program that makes garbage quickly a young generation of up to 128 MiB,
 * and lets the old one grow to four times what is alive in it, since it takes memory for free. Here some 20 MiB are alive
 * at any time, whatever the size of the export, so that all of that is room for garbage.
 *
 * The bounds are factors that V8 reads again at every collection, not sizes that it has laid out at its start; they can
 * be set while it runs, where the flags for the sizes no longer do anything. Every V8 of the supported versions of Node
 * (22.19 to 26) knows these flags: of one that it does not know it would complain on stderr. One that ignores them makes the
 * process as large as it would have been. Measured in docs/performance.md.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Both halves of the young generation, bytes. It is taken twice: the old generation may exceed its own limit by one of
 * them. Half of 16 MiB makes the process 10 MiB smaller for 4 % more time in a dry run, which the flag below gives back.
 */
const YOUNG_BYTES = 8 * 1024 * 1024;
/** How much the old generation may grow, in per cent of what is alive, before it is collected; V8 allows 8 MiB at least. */
const OLD_GROWTH_PERCENT = 20;
/**
 * At how much of that room left, in per cent, marking begins. V8 waits until none is left, and then more is taken while it
 * marks: begun earlier, the process is 8 MiB smaller, for twice as many collections of the old generation, 1 % of the time.
 */
const MARK_AT_PERCENT_LEFT = 35;

/** For the whole process, so only a program of its own may ask for it. Leaves a listener that goes when its work is done. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${MARK_AT_PERCENT_LEFT}`);
  // What survives in so small a generation is a few hundred kilobytes, sooner copied by one thread than shared out among
  // several, each of which leaves a page half full: 4 % less time of the processor in a dry run, and no longer pauses.
  setFlagsFromString('--no-parallel-scavenge');
  // The middle one of V8's compilers: what its threads and its code take is 10 to 15 MiB, for good. Without it what runs hot
  // is left to the last one, some tenths of a second later; a dry run of 2,000,000 tickets takes no more time for it.
  setFlagsFromString('--no-maglev');
  // One step of growth after each collection, and none once it is large enough.
  setFlagsFromString('--semi-space-growth-factor=1');
  const observer = new PerformanceObserver(() => {
    const isGrown = youngBytes() >= YOUNG_BYTES;
    setFlagsFromString(`--semi-space-growth-factor=${isGrown ? 1 : 2}`);
    if (isGrown) observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
