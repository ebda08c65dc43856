/**
 * Keeps the process small. Left alone, V8 gives a program that makes garbage quickly a young generation of up to 128 MiB,
 * and lets the old one grow to four times what is alive in it, since it takes memory for free. Here some 25 MiB are alive
 * at any time, whatever the size of the export, so that all of that is room for garbage.
 *
 * Both bounds are factors that V8 reads again at every collection, not sizes that it has laid out at its start; they can
 * be set while it runs, where the flags for the sizes no longer do anything. A version of V8 that does not know them, or
 * ignores them, is as large as it would have been. Measured in docs/performance.md: half the memory for no more time.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves of the young generation, bytes. With less, what a chunk of the export is made of would grow old in it. */
const YOUNG_BYTES = 16 * 1024 * 1024;
/** How much the old generation may grow, in per cent of what is alive, before it is collected. */
const OLD_GROWTH_PERCENT = 40;

/** For the whole process, so only a program of its own may ask for it. Leaves a listener that goes when its work is done. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
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
