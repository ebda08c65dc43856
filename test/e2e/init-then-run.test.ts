import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { it } from 'vitest';
import { initThenRun } from './init-then-run.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
const exports = ['inspect', 'layouts'].flatMap((hall) =>
  readdirSync(join(FIXTURES, hall))
    .filter((name) => name !== 'expected')
    .map((name) => join(hall, name)),
);

it.each(exports)(
  '%s: once init has asked everything, no run stops for a decision',
  { timeout: 60_000 },
  (path) => initThenRun(join(FIXTURES, path)),
);
