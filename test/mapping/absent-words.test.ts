/** Words that programs write for an absent value make no person, key, time, number or list; people's own words stay. */
import { describe, expect, it } from 'vitest';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { layoutFrom, mapExport, payloads } from './support/map-export.ts';

const WORDS = [
  'NULL',
  '\\N',
  '(null)',
  '#N/A',
  'nan',
  'NaN',
  'None',
  'undefined',
  'N/A',
  '-',
  '<null>',
  'NaT',
  'NA',
  '--',
];

const LAYOUT = layoutFrom(`
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  users: { role: lookup, key: id, recognise: { file: 'u*' } }
ticket:
  subject: subject
  createdAt: [closed, created]
  tags: { column: tags, split: list }
  assignedToId: owner
  requester: { person: users, id: [user, sender], email: address, name: name }
people:
  users: { table: users, id: id, email: email }
messages:
  - content: text
    occurredAt: created
    public: true
    author: { id: [user, sender], email: address, name: name }
`);

async function mapped(word: string) {
  const { tickets } = await mapExport(
    {
      't.csv': `id,subject,closed,created,tags,owner,user,sender,address,name,text\n1,Lamp,${word},2024-03-01T08:00:00Z,${word},${word},${word},7,${word},${word},hello\n`,
      'u.csv': `id,email\n${word},stranger@example.com\n7,ann@example.com\n`,
    },
    LAYOUT,
  );
  return tickets.map(payloads);
}

describe('a whole cell of', () => {
  it.each(WORDS)('%s is as empty as an empty one', async (word) => {
    expect(await mapped(word)).toEqual(await mapped(''));
  });
});

it('Jira comments and files keep what a pattern does not fit', async () => {
  const comments = 'plain comment,01/Mar/24 9:00 AM;;anonymous,one; semicolon,01/Mar/24 9:30 AM;ag1;ok;fine';
  const files = 'https://a.example/1/a.png,01/Mar/24 9:00 AM;ag1;b;c.png;https://a.example/2/b;c.png';
  const { tickets } = await mapExport(
    {
      'i.csv': `Summary,Issue key,Issue id,Status,Status Category,Priority,Reporter,Reporter Id,Created,Description,Comment,Comment,Comment,Comment,Attachment,Attachment\nLamp,HELP-1,1001,Open,To Do,Medium,Kay,cust1,01/Mar/24 8:00 AM,Broken,${comments},${files}\n`,
    },
    builtinLayout('jira-csv'),
    { customersWithoutEmail: { synthesize: 'customers.example.com' } },
  );
  const messages = tickets[0]?.messages.map(({ value }) => value) ?? [];
  const texts = messages.map(({ content }) => content);
  expect(texts).toEqual([
    'Broken',
    'plain comment',
    'anonymous',
    'one; semicolon',
    'ok;fine',
    'a.png',
    'b;c.png',
  ]);
  expect(messages.flatMap(({ attachments = [] }) => attachments)).toMatchObject([
    { url: 'https://a.example/1/a.png' },
    { url: 'https://a.example/2/b;c.png', name: 'b;c.png' },
  ]);
  expect(messages[1]?.['occurredAt']).toBe(messages[0]?.['occurredAt']);
});

it('journals of ServiceNow are split at entries of every time form and distance', async () => {
  const entries = [
    ['01.03.2024 09:00:00', 'Additional comments', 'Please reboot'],
    ['01.03.2024 08:30:00', 'Work notes', 'Be careful\n3 calls - see the list (Work notes) of\n9:30 - Bo'],
  ];
  const journal = entries.map(([time, label, text]) => `${time} - Ann Lee (${label})\n${text}`).join('\n');
  const { tickets } = await mapExport(
    {
      'i.csv': `number,short_description,caller_id,comments_and_work_notes\nINC1,VPN,Kay,"${journal}"\n`,
    },
    builtinLayout('servicenow'),
    { fallbackAgent: 'agt_0', timezone: 'UTC' },
  );
  expect(tickets[0]?.messages.map(({ value }) => value)).toMatchObject([
    { content: entries[0]?.[2], occurredAt: '2024-03-01T09:00:00.000Z', isInternal: false },
    { content: entries[1]?.[2], occurredAt: '2024-03-01T08:30:00.000Z', isInternal: true },
  ]);
});
