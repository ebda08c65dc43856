/** Tables of the documentation: docs/real-data.md from the rows that the tests prove, docs/platforms/README.md from the layouts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtinLayout, builtinLayoutNames } from '../../src/mapping/detect/builtin-layouts.ts';
import { REAL_EXPORTS, type RealExport } from './exports.ts';

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
  return markdownTable(
    ['layout', 'title', 'page'],
    builtinLayoutNames()
      .toSorted()
      .map((name) => {
        const page = pageOf(name);
        return [`\`${name}\``, builtinLayout(name).title, page === undefined ? '' : `[${page}](${page})`];
      }),
  );
}

function settledTable(): string {
  return markdownTable(
    [
      'export',
      'layout',
      'read',
      'good',
      'rejected',
      'left out',
      'messages',
      'events',
      'lines decided',
      'what the data lacks',
    ],
    REAL_EXPORTS.map((real) => [
      nameOf(real),
      real.layout === 'export' ? 'proposed' : real.layout,
      number(real.tickets.read),
      number(real.tickets.good),
      number(real.tickets.rejected),
      number(real.tickets.left),
      number(real.messages),
      number(real.events),
      number(real.edits.length),
      real.remarks,
    ]),
  );
}

function nameOf({ folder, source }: RealExport): string {
  return `${source} (\`${folder}\`)`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
