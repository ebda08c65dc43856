import { describe, it } from 'vitest';
import { anyInterleaving } from './exactly-once.ts';

describe('any interleaving of answers and kills, many times over', () => {
  it(
    'ends with each ticket once, in its own contact, with its messages in order',
    () => anyInterleaving(1_000),
    600_000,
  );
});
