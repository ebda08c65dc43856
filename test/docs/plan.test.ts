/** The page of the plan: its queries run on plans, and its table names what the file has. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { blocksOf, pageOf } from './markdown.ts';

const page = pageOf('docs/plan.md');
const queries = blocksOf(page)
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text.trim());
const plans: InstanceType<typeof Database>[] = [];

beforeAll(async () => {
  const folder = temporaryFolder();
  for (const [name, from, flags] of [
    ['demo', 'demo', ['--since', '2024-06']],
    ['bad', 'native/bad/csv', []],
    ['zendesk', 'zendesk-export', []],
  ] as const) {
    cpSync(join(fixtures, from), folder.join(name), { recursive: true });
    await commandLine(['run', name, '--dry-run', '--plan', `${name}.plan`, ...flags], { cwd: folder.path });
    plans.push(new Database(folder.join(`${name}.plan`), { readonly: true }));
  }
  return () => {
    for (const plan of plans) plan.close();
    folder[Symbol.dispose]();
  };
});

describe('docs/plan.md', () => {
  it('the page of the plan shows more than four queries', () => expect(queries.length).toBeGreaterThan(4));

  it.each(queries)('finds something in a plan: %s', (query) => {
    const found = plans.flatMap((plan) => plan.prepare(query).all());
    expect(found.length).toBeGreaterThan(0);
  });

  it('names the tables, and columns that are in them', () => {
    const [plan] = plans;
    const rows = [...page.text.matchAll(/^\| `(\w+)`(?: \(view\))? \| (.*) \|$/gm)];
    const named = rows.map(([, table = '']) => table);
    const there = plan
      ?.prepare(`SELECT name FROM sqlite_master WHERE type IN ('table', 'view')`)
      .pluck()
      .all();
    expect(named.toSorted()).toEqual(there?.filter((name) => name !== 'path').toSorted());
    for (const [, table = '', text = ''] of rows) {
      const columns = plan?.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table);
      const isMeta = table === 'meta';
      const words = [...text.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
      const known = isMeta ? plan?.prepare('SELECT key FROM meta').pluck().all() : columns;
      for (const word of isMeta ? words.slice(2) : words)
        if (!word.startsWith('tickets_')) expect(known, `${table}.${word}`).toContain(word);
    }
  });
});
