import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectCommand } from '../../src/commands/inspect/inspect.ts';
import { AppError } from '../../src/domain/errors.ts';
import { initAndRun, screen } from './support.ts';

const data = resolve(import.meta.dirname, '../../../shared/data');

describe('genuine exports', () => {
  it.runIf(existsSync(data)).each([
    ['ecommerce_db_dump_tables', 1000],
    ['kaggle_customer_support_tickets', 8469],
    ['nyc311_service_requests', 1000],
    ['ubuntu_dialogue_messages', 3333],
    ['servicenow_uci_event_log', 890],
    ['jira_fivetran_tables', 4],
    ['jira_csv_export_en', 22],
    ['github_issues_fivetran_tables', 197],
    ['hubspot_api_json', 22],
  ])(
    '%s gets to a dry run with a proposed mapping and at most five answers',
    async (folder, read) => {
      using at = screen();
      const { asked, tickets } = await initAndRun(at, join(data, folder));
      expect(asked).toBeLessThanOrEqual(5);
      expect(tickets).toMatchObject({ read, pending: read });
    },
    120_000,
  );

  it.runIf(existsSync(data))(
    'every file of the nasty ones can be looked at, or is refused in a sentence',
    async () => {
      const files = ['csv_nasty', 'json_nasty'].flatMap((folder) =>
        readdirSync(join(data, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name)),
      );
      const odd: string[] = [];
      for (const file of files) {
        using at = screen();
        try {
          await inspectCommand([file], {}, at.context);
          if (!at.stdout().includes('Next')) odd.push(`${file}: no next step`);
        } catch (error) {
          if (!(error instanceof AppError) || error.code === 'internal')
            odd.push(`${file}: ${String(error)}`);
        }
      }
      expect(files.length).toBeGreaterThan(300);
      expect(odd).toEqual([]);
    },
    300_000,
  );
});
