/** Looks for cases that break a promise, surface after surface, for a time; what it finds is made small. */
import fc from 'fast-check';
import { type FuzzCase, faultsOf } from './case.ts';
import { SURFACES } from './surfaces.ts';

export interface Found {
  readonly surface: string;
  readonly seed: number;
  readonly faults: readonly string[];
  readonly fuzz: FuzzCase;
}

export async function search(
  surface: keyof typeof SURFACES,
  { seed, milliseconds }: { readonly seed: number; readonly milliseconds: number },
): Promise<{ readonly cases: number; readonly found?: Found }> {
  let cases = 0;
  let last: { fuzz: FuzzCase; faults: readonly string[] } | undefined;
  const arbitrary: fc.Arbitrary<FuzzCase> = SURFACES[surface];
  await fc.check(
    fc.asyncProperty(arbitrary, async (fuzz) => {
      cases += 1;
      const faults = await faultsOf(fuzz);
      if (faults.length > 0) last = { fuzz, faults };
      return faults.length === 0;
    }),
    { numRuns: 1_000_000, seed, interruptAfterTimeLimit: milliseconds, markInterruptAsFailure: false },
  );
  return { cases, ...(last && { found: { surface, seed, ...last } }) };
}
