/** Tables of the documentation: docs/real-data.md from the rows that the tests prove, docs/platforms/README.md from the layouts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtinLayoutNames } from '../../src/mapping/detect/builtin-layouts.ts';
import { REAL_EXPORTS } from './exports.ts';

const docs = resolve(import.meta.dirname, '../../docs');
export const PLATFORMS = join(docs, 'platforms');

/** Documents with tables between markers `<!-- begin: name -->` and `<!-- end: name -->`. */
export const DOCUMENTS: readonly string[] = [join(docs, 'real-data.md'), join(PLATFORMS, 'README.md')];

const TABLES: Readonly<Record<string, () => string>> = {
  'with settings': settledTable,
  layouts: layoutsTable,
};

/** The document with every table as it should be. */
export function withTables(text: string): string {
  return text.replace(
    /(<!-- begin: (.+?) -->\n)[\s\S]*?(<!-- end: \2 -->)/g,
    (_, begin: string, name: string, end: string) => {
      const table = TABLES[name];
      if (table === undefined) throw new Error(`there is no table "${name}"`);
      return `${begin}\n${table()}\n\n${end}`;
    },
  );
}

/** The page that tells of a layout: the one whose table names it first in a row. */
export function pageOf(layout: string): string | undefined {
  return readdirSync(PLATFORMS).find(
    (page) =>
      page !== 'README.md' && readFileSync(join(PLATFORMS, page), 'utf8').includes(`\n| \`${layout}\` |`),
  );
}

function layoutsTable(): string {
  const names = builtinLayoutNames().toSorted();
  const pages = [...new Set(names.flatMap((name) => pageOf(name) ?? []))].toSorted();
  return markdownTable(
    ['page', 'layouts'],
    pages.map((page) => {
      const [, title] = /^# (.+)$/m.exec(readFileSync(join(PLATFORMS, page), 'utf8')) ?? [];
      const layouts = names.filter((name) => pageOf(name) === page);
      return [`[${title}](${page})`, layouts.map((name) => `\`${name}\``).join(', ')];
    }),
  );
}

function settledTable(): string {
  return markdownTable(
    ['export', 'layout', 'read', 'good', 'what the data lacks'],
    REAL_EXPORTS.map((real) => [
      real.source,
      real.layout === 'export' ? 'proposed' : real.layout,
      number(real.tickets.read),
      number(real.tickets.good),
      real.remarks,
    ]),
  );
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
