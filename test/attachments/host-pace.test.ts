/** How long a host of the source is waited for: one that brings nothing for `giveUpAfter` is not asked again, whatever it says. */
import { describe, expect, it } from 'vitest';
import { HostPaces } from '../../src/attachments/host-pace.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const HOST = 'files.example';

function setUp() {
  const clock = createFakeClock();
  return { clock, paces: new HostPaces(clock, 8, 600_000) };
}

describe('a host', () => {
  it.each<[string, (paces: HostPaces) => void]>([
    ['that is busy for ever', (paces) => paces.slowDown(HOST, undefined)],
    ['that asks for no pause between', (paces) => paces.slowDown(HOST, 0)],
    ['that asks for years', (paces) => paces.slowDown(HOST, 1e12)],
    ['that answers with nothing but errors', (paces) => paces.failed(HOST, false)],
  ])('%s is given up after its time', async (_, meet) => {
    const { clock, paces } = setUp();
    paces.answered(HOST);
    for (let tries = 0; tries < 1_000 && !paces.isGone(HOST); tries += 1) {
      meet(paces);
      await clock.advance(Math.max(1_000, paces.notBefore(HOST) - clock.monotonic()));
    }
    expect(paces.isGone(HOST)).toBe(true);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(600_000);
    expect(clock.monotonic()).toBeLessThanOrEqual(1_200_000);
  });

  it('that brings something now and then is not', async () => {
    const { clock, paces } = setUp();
    for (let hour = 0; hour < 24; hour += 1)
      for (const step of ['answered', 'broughtOn'] as const) {
        paces[step](HOST);
        for (let tries = 0; tries < 9; tries += 1) {
          paces.failed(HOST, true);
          await clock.advance(60_000);
        }
        expect(paces.isGone(HOST)).toBe(false);
      }
  });

  it('that never answered is given up after twelve connections, until one that is under way is answered', () => {
    const { paces } = setUp();
    for (let tries = 0; tries < 12; tries += 1) {
      expect(paces.isGone(HOST)).toBe(false);
      paces.failed(HOST, true);
    }
    expect(paces.isGone(HOST)).toBe(true);
    paces.answered(HOST);
    expect(paces.isGone(HOST)).toBe(false);
  });
});
