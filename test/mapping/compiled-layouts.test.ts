import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtinLayouts, compiledLayouts } from '../../src/mapping/platforms/builtin-layouts.ts';

it('the built program has the layouts as their YAML files say', () => {
  const built: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../dist/mapping/platforms/builtin.json'), 'utf8'),
  );
  expect(built).toEqual(builtinLayouts());
});

it('layouts as JSON are the layouts', () => {
  expect(JSON.parse(compiledLayouts())).toEqual(builtinLayouts());
});
