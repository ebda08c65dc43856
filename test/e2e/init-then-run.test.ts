import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { initThenRun } from './init-then-run.ts';

const exports = ['inspect', 'layouts'].flatMap((hall) =>
  readdirSync(join(fixtures, hall))
    .filter((name) => name !== 'expected')
    .map((name) => join(hall, name)),
);

it.each(exports)('%s: once init has asked everything, no run stops for a decision', (path) =>
  initThenRun(join(fixtures, path), 'dry-run'),
);
