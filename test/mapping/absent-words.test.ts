/** Words that programs write for an absent value make no person, key, time, number or list; people's own words stay. */
import { describe, expect, it } from 'vitest';
import { layoutFrom, mapExport, payloads } from './support/map-export.ts';

const WORDS = 'NULL \\N (null) #N/A nan NaN None undefined N/A - <null> NaT NA --'.split(' ');

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
