import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from '../support/cli.ts';
import { DATA, hasData, REAL_EXPORTS, settingsFile } from './exports.ts';
import type { Summary } from './summary.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe.runIf(hasData)('a real export with its settings', { timeout: 60_000 }, () => {
  it.concurrent.each(REAL_EXPORTS)('$folder: goes through a dry run', async (real) => {
    const args = ['run', join(DATA, real.folder), '-c', settingsFile(real), '--dry-run', '--json'];
    const ended = await cli(args, { cwd: folder.path });
    expect(ended.code, ended.stderr).toBe(real.tickets.rejected > 0 ? 3 : 0);
    const { layout, tickets, messages, events } = JSON.parse(ended.stdout) as Summary;
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
  });

  it('leaves nothing behind after all these dry runs', () => {
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

/** Layouts of every kind: known and proposed, tables and nested, with and without histories. */
const IMPORTED = [
  'gorgias_api_json',
  'zendesk_fivetran_tables',
  'jira_csv_export_en',
  'twitter_care_dialogs_json',
  'ecommerce_db_dump_tables',
];

describe.runIf(hasData)('a real export, imported into a sandbox', { timeout: 60_000 }, () => {
  it.each(REAL_EXPORTS.filter((real) => IMPORTED.includes(real.folder)))(
    '$folder: every good ticket arrives',
    async (real) => {
      using own = temporaryFolder();
      const args = ['run', join(DATA, real.folder), '-c', settingsFile(real), '--sandbox', '--json', '--yes'];
      const ended = await cli(args, { cwd: own.path });
      expect(ended.code, ended.stderr).toBe(real.tickets.rejected > 0 ? 3 : 0);
      const {
        read,
        done,
        rejected,
        skipped: left,
        failed,
        inDoubt,
      } = (JSON.parse(ended.stdout) as Summary).tickets;
      expect({ read, good: done, rejected, left }).toEqual(real.tickets);
      expect({ failed, inDoubt }).toEqual({ failed: 0, inDoubt: 0 });
    },
  );
});
