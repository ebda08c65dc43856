/** Exports of no known platform, imported without settings. */
import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { inProcess } from '../cli/in-process.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';
import { runImport } from '../support/engine.ts';
import { folderOfTest } from '../support/folder-of-test.ts';

async function dryRun(lines: readonly string[]) {
  using folder = temporaryFolder();
  writeFileSync(folder.join('own.csv'), `${lines.join('\n')}\n`);
  const config = folder.join('helpdesk-import.yaml');
  writeFileSync(config, 'fallbackAgent: agt_9\nsource: { timezone: UTC }\n');
  const plan = folder.join('x.plan');
  const flags = { config, plan, dryRun: true };
  const { code, stderr } = await inProcess('run', [folder.join('own.csv')], flags, { cwd: folder.path });
  if (code !== 0) return { code, stderr, tickets: [], messages: [] };
  using db = Object.assign(new Database(plan, { readonly: true }), {
    [Symbol.dispose]: () => db.close(),
  });
  const rows = db
    .prepare<[], { ticket: string; messages: string }>('SELECT ticket, messages FROM ticket ORDER BY seq')
    .all();
  const tickets = rows.map(({ ticket }) => JSON.parse(ticket) as unknown);
  const messages = rows
    .flatMap(({ messages }) => JSON.parse(messages) as Record<string, unknown>[])
    .map(({ occurredAt, actorType, isInternal, attachments }) =>
      [
        String(occurredAt).slice(11, 16),
        ...[actorType, isInternal === true ? 'internal' : ''],
        ...((attachments ?? []) as { url: string }[]).map(({ url }) => url),
      ]
        .filter((part) => part !== '')
        .join(' '),
    );
  return { code, stderr, tickets, messages };
}

describe('an export of no known platform', () => {
  it.each([
    [
      'one row a ticket, in Spanish',
      [
        'Número de ticket,Asunto,Descripción,Correo electrónico,Nombre,Estado,Creado,Respuesta,Cerrado',
        '1,Envío,No llega,ann@example.com,Ana,Pendiente,2025-03-14 10:00,,',
        '2,Pago,No funciona,bob@example.com,Beto,Cerrado,2025-03-15 10:00,Arreglado,2025-03-15 11:00',
      ],
      ['customer', 'customer', 'agent'],
    ],
    [
      'one row a message',
      [
        'conversationId,sendTime,senderType,text,author_email',
        'c1,2021-03-22T04:55:51Z,visitor,Hi,ann@example.com',
        'c1,2021-03-22T04:56:51Z,agent,Hello,mia@team.example',
        'c2,2021-03-22T05:00:00Z,visitor,Hello?,bob@example.com',
      ],
      ['customer', 'agent', 'customer'],
    ],
    [
      'tickets that an assignee opened for the customer',
      [
        'Ticket ID,Subject,Description,Email,Status,Created,Assignee,Created by',
        '1,a,Rang,kim@buyer.example,open,2025-03-01T09:00:00Z,Ana,Ana',
        '2,b,Mine,bo@buyer.example,open,2025-03-01T09:00:00Z,Ana,Kim',
      ],
      ['agent internal', 'customer'],
    ],
    [
      'messages with a date and a time of day in two columns',
      [
        'Conversation ID,Date,Time,Sender type,Message,Email',
        '1,02.03.2025,09:10,customer,Where is my parcel?,ann@x.example',
        '1,02.03.2025,08:20,agent,We look for it today,mia@t.example',
        '1,25.03.2025,8:12 pm,customer,Thank you,ann@x.example',
      ],
      ['08:20 agent', '09:10 customer', '20:12 customer'],
    ],
    [
      'addresses of files in several columns, other words there stay in the note',
      [
        'Ticket ID,Subject,Description,Email,Status,Created,Screenshot,Attachments',
        '1,a,Rang,kim@buyer.example,open,2025-03-01T09:00:00Z,https://o.example/a.png,https://o.example/b.pdf c.pdf',
        '2,b,Mine,bo@buyer.example,closed,2025-03-01T09:00:00Z,,c.pdf',
      ],
      ['customer https://o.example/a.png https://o.example/b.pdf', 'customer'],
    ],
  ])('is imported as proposed: %s', async (_, lines, messages) => {
    const ran = await dryRun(lines);
    expect(ran.stderr).not.toContain('Error');
    expect(ran.messages).toEqual(messages.map((end) => expect.stringMatching(new RegExp(`${end}$`))));
  });

  it('has the tags between the separators of its cells', async () => {
    const { tickets } = await dryRun([
      'Ticket ID,Subject,Description,Email,Status,Created,Tags',
      '1,a,Rang,kim@buyer.example,open,2025-03-01T09:00:00Z,"lamp, broken"',
      '2,b,Mine,bo@buyer.example,closed,2025-03-01T09:00:00Z,lamp',
    ]);
    const has = (...tags: string[]) => ({ tags: expect.arrayContaining(tags) });
    expect(tickets).toMatchObject([has('lamp', 'broken'), has('lamp')]);
  });

  it.each([
    [
      'users beside contacts, who may be agents',
      [
        'conversation_id,content,sender_type,created_at,email',
        '1,Hi,Contact,2025-03-01T09:00:00Z,kim@buyer.example',
        '1,Sent,User,2025-03-01T09:10:00Z,bo@team.example',
        '2,Hello,Contact,2025-03-02T09:00:00Z,al@buyer.example',
      ],
      /message\.writer .*: decide the words/,
    ],
    [
      "the customers' addresses in a column of another name",
      [
        "Ticket Number,Created,Subject,Customer,Customer's Inbox,Description,Phase",
        '101,2025-03-01 10:00:00,Lamp broken,Pat Jones,pat@example.com,The lamp that I ordered arrived broken.,Closed',
        '102,2025-03-02 10:00:00,Wrong invoice,Dora Lind,dora@example.com,The invoice names another company.,Open',
      ],
      /ticket\.requester\.email .*is this it\?/,
    ],
    [
      'dates and a time of day that may belong to each of them',
      [
        'Ticket ID,Subject,Description,Email,Status,Opened date,Closed date,Clock',
        '1,a,Where is it,kim@buyer.example,closed,2025-03-01,2025-03-02,09:10',
        '2,b,Where is it now,al@buyer.example,closed,2025-03-01,2025-03-02,09:20',
      ],
      /ticket\.createdAt .*"Opened date \+ Clock"/,
    ],
    [
      'a text that no field reads',
      [
        'Ticket ID,Subject,Message,Email,Status,Created,Zzz',
        ...[1, 2, 3].map(
          (n) =>
            `${n},a${n},Hello ${n},k${n}@buyer.example,open,2025-03-0${n}T09:00:00Z,A long text ${n} that may be part of what was said`,
        ),
      ],
      /No field reads the text in "Zzz"/,
    ],
  ])('stops where only a person knows, with the command: %s', async (_, lines, says) => {
    const { code, stderr } = await dryRun(lines);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr).toContain('Decide it in a table: `helpdesk-import init`');
  });

  it('is mapped as the first export of its checkpoint, though its few rows alone would be asked about', async () => {
    const folder = folderOfTest();
    const service = await running();
    const head = 'Conversation ID,Time,Sender type,Message,Email';
    const files = {
      'all.csv': [
        '1,2025-03-01T09:00:00Z,customer,Where is my parcel?,ann@x.example',
        '1,2025-03-01T10:00:00Z,agent,We look for it,mia@t.example',
        '2,2025-03-02T09:00:00Z,customer,Thank you all,bob@x.example',
      ],
      'new.csv': [
        '2,2025-03-02T09:00:00Z,customer,Thank you all,bob@x.example',
        '3,2025-03-03T09:00:00Z,agent,We call you back,mia@t.example',
      ],
    };
    for (const [name, rows] of Object.entries(files)) {
      writeFileSync(folder.join(name), `${[head, ...rows].join('\n')}\n`);
      await runImport({
        files: folder.join(name),
        checkpoint: folder.join('checkpoint.sqlite'),
        settings: { fallbackAgent: 'agt_9', customersWithoutEmail: { synthesize: 'made-up.example' } },
        target: { baseUrl: service.url, credentials: { token: service.token } },
      });
    }
    const said = service.store.database
      .prepare<[], string>("SELECT body FROM messages WHERE content = 'We call you back'")
      .pluck()
      .all();
    expect(said.map((body) => (JSON.parse(body) as { actorType: string }).actorType)).toEqual(['agent']);
  });

  it('has no layout of the earlier names, and says what does their work', () => {
    for (const name of ['ticket-rows', 'message-rows'])
      expect(() => builtinLayout(name)).toThrow(/Leave it out: .*helpdesk-import init/);
  });
});
