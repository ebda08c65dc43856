import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/domain/problem.ts';
import { layoutFrom, mapExport } from './support/map-export.ts';

type Texts = Parameters<typeof mapExport>[0];

/** `messages.csv:3 cell 2`, or `t.jsonl:1 messages.0.content`. */
async function spot(
  texts: Texts,
  at: { field: string; file: string; line: number; ticket?: number },
  layout?: string,
): Promise<string | undefined> {
  const { mapper, source } = await mapExport(texts, ...(layout === undefined ? [] : [layoutFrom(layout)]));
  const { ticket = 0, ...place } = at;
  const item = source[ticket];
  if (item === undefined) throw new Error(`there is no ticket ${ticket}`);
  const problem: Problem = { severity: 'error', code: 'x', message: '', count: 1, ...place };
  const found = mapper.locate(item, problem);
  if (found === undefined) return undefined;
  const { ref } = found.row;
  const where = 'cell' in found.part ? `cell ${found.part.cell}` : found.part.path.join('.');
  return `${Object.keys(texts)[ref.file]}:${ref.line} ${where}`;
}

describe('a field points to the cell that it was read from', () => {
  const CSV = {
    'tickets.csv':
      'id,subject,contact.email,contact.name,status,createdAt\n1,Hi,,,open,2024-01-01T00:00:00Z\n',
    'messages.csv': [
      'ticketId,actorType,content,occurredAt,contact.email,agentId,attachments',
      '1,customer,a,2024-01-01T00:00:00Z,a@b.c,,',
      '1,agent,b,never,,,"[{""url"":""x""}]"',
      '',
    ].join('\n'),
    'events.csv':
      'ticketId,type,newValue.status,actorType,occurredAt\n1,status_change,done,system,2024-01-01T00:00:00Z\n',
  };
  it.each([
    ['a column of the ticket', 'status', 'tickets.csv', 2, 'tickets.csv:2 cell 4'],
    ['a missing contact: its place', 'contact', 'tickets.csv', 2, 'tickets.csv:2 cell 2'],
    ['a part of an object', 'contact.email', 'tickets.csv', 2, 'tickets.csv:2 cell 2'],
    ['the second message', 'messages[1].occurredAt', 'messages.csv', 3, 'messages.csv:3 cell 3'],
    ["a message's contact", 'messages[0].contact.email', 'messages.csv', 2, 'messages.csv:2 cell 4'],
    ['an empty cell', 'messages[1].agentId', 'messages.csv', 3, 'messages.csv:3 cell 5'],
    [
      'something within the text of a cell',
      'messages[1].attachments[0].url',
      'messages.csv',
      3,
      'messages.csv:3 cell 6',
    ],
    ['a value of an event', 'events[0].newValue.status', 'events.csv', 2, 'events.csv:2 cell 2'],
    ['a field that no rule makes', 'messages', 'tickets.csv', 2, undefined],
  ])('in CSV: %s', async (_, field, file, line, expected) => {
    expect(await spot(CSV, { field, file, line })).toBe(expected);
  });

  const JSONL = {
    't.jsonl': `${JSON.stringify({
      id: 1,
      subject: 'Hi',
      contact: { email: 'x' },
      messages: [
        { actorType: 'customer', content: 'a' },
        { actorType: 'agent', content: 'b', attachments: [{ url: 'a' }, { url: 'b', sizeBytes: 0.5 }] },
      ],
      events: [{ type: 'status_change', newValue: { status: 'done' } }],
    })}\n`,
  };
  it.each([
    ['a key of the ticket', 'subject', 'subject'],
    ['a key that is not there', 'status', 'status'],
    ['a part of an object', 'contact.email', 'contact.email'],
    ['a message by its place in the list', 'messages[1].content', 'messages.1.content'],
    ['a key that a message does not have', 'messages[1].agentId', 'messages.1.agentId'],
    ['an attachment', 'messages[1].attachments[1].sizeBytes', 'messages.1.attachments.1.sizeBytes'],
    ['a value of an event', 'events[0].newValue.status', 'events.0.newValue.status'],
  ])('in JSONL: %s', async (_, field, path) => {
    expect(await spot(JSONL, { field, file: 't.jsonl', line: 1 })).toBe(`t.jsonl:1 ${path}`);
  });

  const MAPPED = `
name: desk
title: Desk
tables:
  tickets: { role: root, key: number, recognise: { columns: [number, requester_id] } }
  people: { role: lookup, key: pid, recognise: { columns: [pid, mail] } }
people:
  all: { table: people, id: pid, email: mail }
ticket:
  subject: { template: "{area}: {title}" }
  status: { column: state, map: { Offen: open }, unlisted: error }
  requester: { person: all, id: requester_id }
messages:
  - { each: { column: notes, cell: json }, content: text, occurredAt: at, actorType: { const: system }, public: true }
`;
  const DESK = {
    'tickets.csv':
      'number,area,title,state,requester_id,notes\n7,Mail,Lost,Zu,p1,"[{""text"":""x"",""at"":""never""}]"\n',
    'people.csv': 'pid,mail\np0,a@b.c\np1,not an address\n',
  };
  it.each([
    ['a value that is in no value map', 'status', 'tickets.csv:2 cell 3'],
    ['what was looked up: the other file', 'contact.email', 'people.csv:3 cell 1'],
    ['one of several columns: the last of them', 'subject', 'tickets.csv:2 cell 2'],
    ['an item of a list in a cell', 'messages[0].occurredAt', 'tickets.csv:2 cell 5'],
    ['a constant has no place', 'messages[0].actorType', undefined],
  ])('with a mapping: %s', async (_, field, expected) => {
    expect(await spot(DESK, { field, file: 'tickets.csv', line: 2 }, MAPPED)).toBe(expected);
  });

  it('a text in one of several cells of one name: that cell', async () => {
    const layout = MAPPED.replace(
      /messages:[\s\S]*/,
      `messages:
  - { each: Comment, content: ., actorType: { const: agent }, agentId: { column: ., match: "^[^;]*;([^;]*)" }, public: true }
`,
    );
    const texts = {
      'tickets.csv': 'number,requester_id,area,title,state,Comment,Comment\n7,p1,,p1,Offen,1;p1;a,2;p1;b\n',
      'people.csv': 'pid,mail\np1,a@b.c\n',
    };
    expect(await spot(texts, { field: 'messages[1].agentId', file: 'tickets.csv', line: 2 }, layout)).toBe(
      'tickets.csv:2 cell 6',
    );
  });

  it("an agent without an agent id: the cell of the author, not the customer's", async () => {
    const layout = `
name: desk
title: Desk
otherAuthors: agent
tables:
  tickets: { role: group, key: number, recognise: { columns: [number, by] } }
ticket:
  requester: { email: asked_by }
messages:
  - { content: text, occurredAt: at, author: { id: by, email: customer }, public: true }
`;
    const texts = {
      'tickets.csv': 'number,asked_by,by,customer,text,at\n7,a@b.c,Bob,d@b.c,Hi,2024-01-01T00:00:00Z\n',
    };
    expect(await spot(texts, { field: 'messages[0].agentId', file: 'tickets.csv', line: 2 }, layout)).toBe(
      'tickets.csv:2 cell 2',
    );
  });

  it('looking for places counts nothing', async () => {
    const { mapper, source } = await mapExport(DESK, layoutFrom(MAPPED));
    const before = JSON.stringify(mapper.account());
    mapper.locate(source[0]!, { severity: 'error', code: 'x', field: 'status', message: '', count: 1 });
    expect(JSON.stringify(mapper.account())).toBe(before);
  });
});
