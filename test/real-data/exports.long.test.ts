/** What the program makes of each genuine export: without settings, with those that `init` asks for, and with the reviewed ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inProcess } from '../cli/in-process.ts';
import { initThenRun } from '../e2e/init-then-run.ts';
import { temporaryFolder } from '../support/cli.ts';
import { DATA, hasData, REAL_EXPORTS, type RealExport, settingsFile } from './exports.ts';
import { settingsText } from './settings-text.ts';
import { written } from './write-settings.ts';

interface Summary {
  readonly layout: string;
  readonly tickets: Readonly<Record<string, number>>;
  readonly messages: { readonly read: number };
  readonly events: { readonly read: number };
  readonly problemGroups: readonly {
    readonly severity: string;
    readonly code: string;
    readonly count: number;
  }[];
}

/** Errors by code. */
function errorsOf({ problemGroups }: Summary): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { severity, code, count } of problemGroups)
    if (severity === 'error') found[code] = (found[code] ?? 0) + count;
  return found;
}

/** Folders of the data that hold no tickets. */
const NO_TICKETS = ['csv_nasty', 'json_nasty'];

/** Imported whole: layouts of every kind, known and proposed, tables and nested, with and without histories. */
const IMPORTED = [
  'gorgias_api_json',
  'zendesk_fivetran_tables',
  'jira_csv_export_en',
  'twitter_care_dialogs_json',
  'ecommerce_db_dump_tables',
];

describe.runIf(hasData)('a genuine export', () => {
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  const where = { cwd: folder.path };
  const run = (real: RealExport, flags: Readonly<Record<string, unknown>>) =>
    inProcess('run', [join(DATA, real.folder)], { json: true, ...flags }, where);

  it('is in the table with every folder', () => {
    const folders = readdirSync(DATA, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !NO_TICKETS.includes(entry.name))
      .map(({ name }) => name);
    const known = new Set(REAL_EXPORTS.map((real) => real.folder.split('/')[0]));
    expect(folders.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(REAL_EXPORTS)(
    '$folder: without settings it is inspected, and a dry run names the missing settings',
    async (real) => {
      const inspected = await inProcess('inspect', [join(DATA, real.folder)], { json: true }, where);
      expect(inspected).toMatchObject({ code: 0, stderr: '' });
      const { tables } = JSON.parse(inspected.stdout) as { tables: { columns: unknown[] }[] };
      expect(tables.length).toBeGreaterThan(0);
      expect(tables.filter(({ columns }) => columns.length === 0)).toEqual([]);

      const { code, stdout, stderr } = await run(real, { dryRun: true });
      if (real.alone === undefined) {
        expect(code).toBe(2);
        expect(stderr).toContain('helpdesk-import init');
        return;
      }
      const summary = JSON.parse(stdout) as Summary;
      expect({ rejected: summary.tickets['rejected'], errors: errorsOf(summary) }).toEqual(real.alone);
      expect(code).toBe(real.alone.rejected > 0 ? 3 : 0);
    },
  );

  it.each(REAL_EXPORTS)(
    '$folder: its settings are those of init with the changes, and a dry run counts as documented',
    async (real) => {
      const config = settingsFile(real);
      const settings = parse(readFileSync(config, 'utf8'));
      expect(settings).toEqual(parse(settingsText(await written(real), real)));

      const { code, stdout, stderr } = await run(real, { config, dryRun: true });
      expect(code, stderr).toBe(real.tickets.rejected > 0 ? 3 : 0);
      const { layout, tickets, messages, events } = JSON.parse(stdout) as Summary;
      const { read, pending: good, rejected, skipped: left } = tickets;
      expect({
        layout,
        tickets: { read, good, rejected, left },
        messages: messages.read,
        events: events.read,
      }).toEqual({
        layout: real.layout,
        tickets: real.tickets,
        messages: real.messages,
        events: real.events,
      });
      expect(readdirSync(folder.path)).toEqual([]);
    },
  );

  it.each(REAL_EXPORTS)('$folder: once init has asked everything, no run stops for a decision', (real) =>
    initThenRun(join(DATA, real.folder), 'run'),
  );

  it.each(REAL_EXPORTS.filter((real) => IMPORTED.includes(real.folder)))(
    '$folder: every good ticket arrives',
    async (real) => {
      using own = temporaryFolder();
      const paths = { checkpoint: own.join('checkpoint.sqlite'), rejects: own.join('rejects') };
      const { code, stdout, stderr } = await run(real, {
        ...paths,
        config: settingsFile(real),
        sandbox: own.join('sandbox'),
        yes: true,
      });
      expect(code, stderr).toBe(real.tickets.rejected > 0 ? 3 : 0);
      const { read, done, rejected, skipped, failed, inDoubt } = (JSON.parse(stdout) as Summary).tickets;
      expect({ read, good: done, rejected, left: skipped }).toEqual(real.tickets);
      expect({ failed, inDoubt }).toEqual({ failed: 0, inDoubt: 0 });
    },
  );
});
