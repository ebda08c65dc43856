/** A layout is recognised by columns that most rows have, and not where it leaves most of the export unread. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { reported } from './service-run.ts';

const HUBSPOT = '{"subject":"Lamp","hs_pipeline_stage":"1","createdate":"2024-03-01T08:00:00Z"}';
const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('a CSV with a column "properties"', () => {
  it.each([
    ['of free text', 'vip'],
    ['of other JSON', cell('{"colour":"red"}')],
    ['that is empty', ''],
  ])('%s is not taken for HubSpot, and the tables next to it are named', async (_, properties) => {
    using folder = temporaryFolder();
    writeFileSync(
      folder.join('cases.csv'),
      `id,topic,person,properties\n1,Lamp,7,${properties}\n2,Desk,8,\n`,
    );
    writeFileSync(folder.join('talk.csv'), 'case,said,at\n1,Hello,2024-03-01\n');
    writeFileSync(folder.join('persons.csv'), 'id,mail\n7,ann@example.com\n');
    const { code, stderr } = await commandLine(['run', '.', '--dry-run'], { cwd: folder.path });
    expect(code).not.toBe(0);
    expect(stderr).toContain('This export has no known layout.');
    expect(stderr).toContain('talk.csv');
  });

  it('that holds the properties of HubSpot tickets is HubSpot', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('tickets.csv'), `id,properties\n1,${cell(HUBSPOT)}\n2,${cell(HUBSPOT)}\n`);
    expect(await reported(['run', '.', '--dry-run'], folder.path)).toMatchObject({ layout: 'hubspot' });
  });

  it('of HubSpot in one row of many is not enough', async () => {
    using folder = temporaryFolder();
    const others = [2, 3, 4, 5].map((id) => `${id},${cell('{"colour":"red"}')}`);
    writeFileSync(folder.join('tickets.csv'), `id,properties\n1,${cell(HUBSPOT)}\n${others.join('\n')}\n`);
    const { stderr } = await commandLine(['run', '.', '--dry-run'], { cwd: folder.path });
    expect(stderr).toContain('This export has no known layout.');
  });
});

it('a layout that reads only the tickets and leaves most files unread is named, not taken', async () => {
  using folder = temporaryFolder();
  writeFileSync(
    folder.join('export.csv'),
    'Ticket ID,Ticket name,Pipeline,Ticket status,Create date\n1,Lamp,Support,New,2024-03-01 08:00\n',
  );
  writeFileSync(folder.join('talk.csv'), 'case,said,at\n1,Hello,2024-03-01\n');
  writeFileSync(folder.join('persons.csv'), 'id,mail\n7,ann@example.com\n');
  const { stderr } = await commandLine(['run', '.', '--dry-run'], { cwd: folder.path });
  expect(stderr).toContain('hubspot-csv (HubSpot (CSV export of tickets)) would leave');
  expect(await reported(['run', '.', '--dry-run', '--from', 'hubspot-csv'], folder.path)).toMatchObject({
    layout: 'hubspot-csv',
  });
});

it.each([
  ['holds a number', 'answer.json', '42\n', 'line 1, column 1: a list or an object is expected'],
  [
    'is cut off in its first line',
    'tickets.jsonl',
    '{"id": 1, "subject": "Lamp',
    'Line 1: This is not valid JSON at column 27: it ends in the middle',
  ],
  ['is a list of numbers', 'list.json', '[1, 2]', 'a number'],
])('a file that %s is named with the reason', async (_, name, text, reason) => {
  using folder = temporaryFolder();
  writeFileSync(folder.join(name), text);
  const { code, stderr } = await commandLine(['run', name, '--dry-run'], { cwd: folder.path });
  expect(code).not.toBe(0);
  const said = stderr.replace(/\s+/g, ' ');
  expect(said).toContain(`No record of ${name} can be read.`);
  expect(said).toContain(reason);
});
