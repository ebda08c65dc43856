import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinLayoutNames } from '../../src/mapping/detect/builtin-layouts.ts';
import { DOCUMENTS, PLATFORMS, pageOf, withTables } from './real-data-tables.ts';

const pages = readdirSync(PLATFORMS).filter((name) => name !== 'README.md');

const named = (files: readonly string[]) => files.map((file) => [basename(file), file] as const);

describe('the documentation of exports', () => {
  it.each(named(DOCUMENTS))(
    '%s has the tables that the tests prove (node test/real-data/write-docs.ts)',
    (_, file) => {
      const text = readFileSync(file, 'utf8');
      expect(text).toMatch(/<!-- begin: .+? -->/);
      expect(text).toBe(withTables(text));
    },
  );

  it('has a page for every built-in layout', () => {
    expect(builtinLayoutNames().filter((name) => pageOf(name) === undefined)).toEqual([]);
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

  it.each(named([...DOCUMENTS, ...pages.map((page) => join(PLATFORMS, page))]))(
    '%s has no dead link to a file',
    (_, file) => {
      const links = [...readFileSync(file, 'utf8').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(
        ([, link]) => link ?? '',
      );
      const broken = links.filter(
        (link) => !link.includes('://') && !existsSync(resolve(dirname(file), link)),
      );
      expect(broken).toEqual([]);
    },
  );
});
