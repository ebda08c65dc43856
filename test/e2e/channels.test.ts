/** The channel of a ticket comes from the export, by a rule, a value map or the native column, and else from the settings. The specification has no channels. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { ticketsIn } from '../support/threads.ts';
import { reported, withService } from './service-run.ts';

const TICKETS = `id,subject,contact.email,createdAt,mailbox,channelId
1,Open,ann@example.com,2024-03-01T08:00:00Z,support,chn_email
2,Old,ann@example.com,2024-03-01T08:00:00Z,archive,
3,New,ann@example.com,2024-03-01T08:00:00Z,support,chn_email
`;
const run = ['run', 'tickets.csv', '--set', 'run.rate=100000/1'];
const MAPPED = `mapping:
  extends: native
  ticket: { channelId: { column: mailbox, map: { support: chn_email }, unlisted: drop } }
`;

async function channelsOf(settings: string, more: readonly string[] = []) {
  using folder = temporaryFolder();
  writeFileSync(folder.join('tickets.csv'), TICKETS);
  writeFileSync(folder.join('helpdesk-import.yaml'), settings);
  return await withService({ strict: false }, async (service) => {
    const summary = await reported([...run, ...more], folder.path, service.env);
    expect(summary.exitCode).toBe(0);
    return ticketsIn(service).map(({ subject, channel }) => [subject, channel]);
  });
}

describe('the channel of a ticket', () => {
  it.each([
    ['a column of the native layout', ''],
    ['a value map of the mapping', MAPPED],
  ])('is taken from %s, and without one the helpdesk chooses', async (_, settings) => {
    expect(await channelsOf(settings)).toEqual([
      ['New', 'chn_email'],
      ['Old', 'chn_api'],
      ['Open', 'chn_email'],
    ]);
  });

  it('of the settings is for tickets whose export names no channel', async () => {
    expect(await channelsOf(`target: { channelId: chn_email }\n`)).toEqual([
      ['New', 'chn_email'],
      ['Old', 'chn_email'],
      ['Open', 'chn_email'],
    ]);
  });

  it('is counted by a dry run, on the screen and in its summary', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('tickets.csv'), TICKETS);
    const { stdout, stderr } = await commandLine([...run, '--dry-run'], { cwd: folder.path });
    expect(stdout + stderr).toContain('2 (chn_email: 2, default: 1)');
    expect(await reported([...run, '--dry-run'], folder.path)).toMatchObject({
      export: { channels: [{ channelId: 'chn_email', tickets: 2 }, { tickets: 1 }] },
    });
  });

  it('that changes in the export is named as a change, and one of the settings is not', async () => {
    using folder = temporaryFolder();
    await withService({ strict: false }, async (service) => {
      const codes = async (tickets: string, settings: string) => {
        writeFileSync(folder.join('tickets.csv'), tickets);
        writeFileSync(folder.join('helpdesk-import.yaml'), settings);
        return (await reported(run, folder.path, service.env)).problems.map(({ code }) => code);
      };
      const changed = 'field-not-updatable';
      await codes(TICKETS, '');
      expect(await codes(TICKETS, 'target: { channelId: chn_email }\n')).not.toContain(changed);
      expect(await codes(TICKETS.replace('archive,', 'archive,chn_email'), '')).toContain(changed);
    });
  });
});
