import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinLayoutNames } from '../../src/mapping/detect/builtin-layouts.ts';
import { PLATFORMS, platformPage } from '../docs/reference-tables.ts';

const pages = readdirSync(PLATFORMS).filter((name) => name !== 'README.md');

describe('the documentation of exports', () => {
  it('has a page for every built-in layout', () => {
    expect(builtinLayoutNames().filter((name) => platformPage(name) === undefined)).toEqual([]);
  });

  it.each(pages)('%s names built-in layouts only, and the index leads to it', (page) => {
    const text = readFileSync(join(PLATFORMS, page), 'utf8');
    const layouts = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    expect(layouts.length).toBeGreaterThan(0);
    expect(layouts.filter((name) => !builtinLayoutNames().includes(name ?? ''))).toEqual([]);
    expect(readFileSync(join(PLATFORMS, 'README.md'), 'utf8')).toContain(`(${page})`);
  });

  it.each(pages)(
    '%s names the export, the fields that come along, the note, the settings and the command',
    (page) => {
      const text = readFileSync(join(PLATFORMS, page), 'utf8');
      for (const heading of ['## Export', '## Settings']) expect(text).toContain(heading);
      expect(text).toMatch(/^## (?:Carried over|What comes along, what does not)$/m);
      expect(text).toMatch(/^(?: {4})?helpdesk-import (?:run|init) /m);
    },
  );
});
