/** The channel of a ticket comes from the export, by a rule, a value map or the native column, and else from the settings. The specification has no channels. */
import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/desk.ts';

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

async function desk(settings = '') {
  const opened = await openDesk({ strict: false });
  const write = (text: string, tickets = TICKETS) => {
    opened.write('tickets.csv', tickets);
    opened.write('helpdesk-import.yaml', text);
  };
  write(settings);
  return { ...opened, write };
}

async function channelsOf(settings: string) {
  const { run: typed, rows } = await desk(settings);
  expect(await typed(...run)).toMatchObject({ exitCode: 0 });
  const tickets = rows("SELECT subject, body ->> 'channelId' AS channel FROM tickets ORDER BY subject");
  return tickets.map(({ subject, channel }) => [subject, channel]);
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

  it('that changes in the export is named as a change, and one of the settings is not', async () => {
    const { write, run: typed } = await desk();
    const codes = async () => (await typed(...run)).problems.map(({ code }) => code);
    await codes();
    write('target: { channelId: chn_email }\n');
    expect(await codes()).not.toContain('field-not-updatable');
    write('', TICKETS.replace('archive,', 'archive,chn_email'));
    expect(await codes()).toContain('field-not-updatable');
  });
});
