import { describe, expect, it } from 'vitest';
import { hashOf } from '../../src/domain/hash.ts';
import { KeySketch } from '../../src/findings/key-sketch.ts';

function sketchOf(keys: Iterable<string>, size?: number): KeySketch {
  const sketch = new KeySketch(size);
  for (const key of keys) sketch.add(key);
  return sketch;
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `k${from + n}`);

describe('a sample of keys', () => {
  it('counts few keys exactly, however often they stand', () => {
    const sketch = sketchOf(['a', 'b', 'a', 'c', 'a']);
    expect(sketch.distinct()).toEqual({ count: 3, exact: true });
  });

  it('knows that all of very many keys are different', () => {
    expect(sketchOf(numbers(0, 100_000)).distinct()).toEqual({ count: 100_000, exact: false });
  });

  it('estimates how many different keys repeat', () => {
    const keys = numbers(0, 30_000).flatMap((key, n) => Array.from({ length: 1 + (n % 3) }, () => key));
    const { count, exact } = sketchOf(keys).distinct();
    expect(exact).toBe(false);
    expect(Math.abs(count - 30_000) / 30_000).toBeLessThan(0.06);
  });

  it.each([
    [0, 50_000, 1],
    [25_000, 75_000, 0.5],
    [45_000, 95_000, 0.1],
    [60_000, 110_000, 0],
  ])('of keys %i to %i a share of %f is among those from 0 to 50,000', (from, to, share) => {
    const { found, compared } = sketchOf(numbers(from, to)).matches(sketchOf(numbers(0, 50_000)));
    expect(compared).toBeGreaterThan(400);
    expect(Math.abs(found / compared - share)).toBeLessThan(0.06);
  });

  it('compares few keys with very many one by one', () => {
    const many = sketchOf(numbers(0, 20_000), 30_000);
    expect(sketchOf(['k1', 'k2', 'nobody']).matches(many)).toMatchObject({ found: 2 });
  });

  it('says the same whatever the order of rows', () => {
    const keys = numbers(0, 9000);
    const shuffled = [...keys].sort((a, b) => hashOf(`x${a}`) - hashOf(`x${b}`));
    const [one, other] = [sketchOf(keys), sketchOf(shuffled)];
    expect(one.distinct()).toEqual(other.distinct());
    const { found, compared } = one.matches(other);
    expect(found).toBe(compared);
  });

  it('keeps a bounded number of keys', () => {
    const sketch = sketchOf(numbers(0, 50_000), 64);
    expect(sketch.matches(sketch).compared).toBe(64);
  });

  it('spreads hashes evenly', () => {
    const buckets = new Array<number>(16).fill(0);
    for (const key of numbers(0, 16_000)) {
      const bucket = Math.floor((hashOf(key) / 2 ** 53) * 16);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(Math.min(...buckets)).toBeGreaterThan(800);
    expect(Math.max(...buckets)).toBeLessThan(1200);
  });
});
