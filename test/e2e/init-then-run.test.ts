import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { initThenRun } from './init-then-run.ts';

// Those in `layouts`: dry-run-agrees.test.ts.
const exports = readdirSync(join(fixtures, 'inspect')).filter((name) => name !== 'expected');

it.each(exports)('%s: once init has asked everything, no run stops for a decision', (path) =>
  initThenRun(join(fixtures, 'inspect', path), 'dry-run'),
);
