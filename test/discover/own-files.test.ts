/** Exports of people's own: right with at most six changes, and never silently wrong without. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { initCommand } from '../../src/commands/init/init.ts';
import { specOf } from '../../src/discover/fields.ts';
import { openPaths } from '../../src/discover/trees.ts';
import type { Conversation, ConversationMessage } from '../../src/view/conversation/conversation.ts';
import { mapped } from './mapped.ts';
import { initByKeys, screen, type Typist } from './support.ts';

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Buffer>>;
  readonly set: readonly string[];
  /** ID, subject, status, address, and each message as `role audience text`, of each ticket. */
  readonly expected: readonly string[];
}

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;
const json = (value: unknown) => JSON.stringify(value);

const CASES: readonly Case[] = [
  {
    name: 'a contact form without a subject is no list of people',
    files: {
      'a.csv': lines(
        'ticket_id,customer_name,customer_email,description,created_at,status',
        '1,Pat Jones,pat@example.com,The lamp arrived broken.,2025-04-15T10:00:00Z,open',
        '2,Dora Lind,dora@example.com,My invoice is wrong.,2025-04-16T10:00:00Z,closed',
      ),
    },
    set: [],
    expected: [
      '1 | The lamp arrived broken. | open | pat@example.com | customer public The lamp arrived broken.',
      '2 | My invoice is wrong. | closed | dora@example.com | customer public My invoice is wrong.',
    ],
  },
  {
    name: 'a number as a status is decided word by word',
    files: {
      't.csv': lines(
        'ticket_id,subject,created_at,status_id,email',
        '501,Broken lamp,2025-12-01T10:00:00Z,5,a@example.org',
        '502,Password,2025-12-03T10:00:00Z,2,b@example.org',
      ),
    },
    set: ['ticket.status:5=closed', 'ticket.status:2=open'],
    expected: ['501 | Broken lamp | closed | a@example.org', '502 | Password | open | b@example.org'],
  },
  {
    name: 'a title in a column Name, a creator who varies, and a portal that shows answers',
    files: {
      'tickets.csv': lines(
        'ID,Name,Status,DateCreated,UserID',
        '11,Broken lamp shade again,Closed,2015-05-20T17:12:00Z,70',
        '12,Cannot change my password,Open,2015-05-20T17:12:00Z,71',
      ),
      'actions.csv': lines(
        'ID,TicketID,Description,DateCreated,CreatorID,CreatorName,UserID,IsVisibleOnPortal',
        '1,11,The shade of my lamp arrived broken.,2015-05-20T17:12:00Z,70,Carl Customer,70,True',
        '2,11,Supplier says the batch was bad.,2015-05-20T18:00:00Z,90,Ann Agent,70,False',
        '3,11,A new shade is on its way.,2015-05-20T18:30:00Z,90,Ann Agent,70,True',
        '4,12,The page says no.,2015-05-20T18:30:00Z,71,Eve Marsh,71,True',
      ),
    },
    set: [
      'ticket.subject=Name',
      'message.author=CreatorID',
      'message.visibility:True=everyone',
      'message.visibility:False=the team only',
      'otherAuthors=agent',
    ],
    expected: [
      '11 | Broken lamp shade again | closed |  | customer public The shade of my lamp arrived broken. | agent internal Supplier says the batch was bad. | agent public A new shade is on its way.',
      '12 | Cannot change my password | open |  | customer public The page says no.',
    ],
  },
  {
    name: 'names of an in-house list that no program knows',
    files: {
      'list.csv': lines(
        'No.,What it is about,Mail,State?,Said by,Text,When',
        '1041,Lamp broken,kay@example.org,open,cust,Hello my lamp is broken.,2025-03-01T08:00:00Z',
        '1041,Lamp broken,kay@example.org,open,team,We are sorry to hear that.,2025-03-01T09:10:00Z',
        '1042,Refund,lou@example.org,done,cust,I want my money back please.,2025-03-02T08:00:00Z',
        '1042,Refund,lou@example.org,done,team,It is on its way to you.,2025-03-02T09:10:00Z',
      ),
    },
    set: [
      'ticket.subject=What it is about',
      'message.writer=Said by',
      'message.writer:cust=customer',
      'message.writer:team=agent',
      'ticket.requester.email=Mail',
    ],
    expected: [
      '1041 | Lamp broken | open | kay@example.org | customer public Hello my lamp is broken. | agent public We are sorry to hear that.',
      '1042 | Refund | resolved | lou@example.org | customer public I want my money back please. | agent public It is on its way to you.',
    ],
  },
  {
    name: 'optional nested objects that most records lack',
    files: {
      'export.json': json(
        [1, 2, 3, 4].map((n) => ({
          id: n,
          subject: `Order ${n}`,
          status: 'open',
          created_at: `2025-01-0${n}T10:00:00Z`,
          assignee: n === 3 ? { email: 'ann@desk.example', name: 'Ann' } : null,
          requester: { email: `c${n}@example.org` },
          comments: [
            {
              body: `Where is order ${n} now?`,
              author: { email: `c${n}@example.org` },
              created_at: `2025-01-0${n}T10:00:00Z`,
            },
          ],
        })),
      ),
    },
    set: [],
    expected: [1, 2, 3, 4].map(
      (n) => `${n} | Order ${n} | open | c${n}@example.org | customer public Where is order ${n} now?`,
    ),
  },
  {
    name: 'question and answer in one row, each in its column',
    files: {
      'faq.csv': lines(
        'id,topic,asked_by,question_text,reply_from,reply_text,date',
        '1,Lamp,kay@example.org,Why is my lamp broken?,Ann,We send a new one.,2025-03-01T08:00:00Z',
        '2,Refund,lou@example.org,Where is my refund now?,Bo,It left us on Monday.,2025-03-02T08:00:00Z',
      ),
    },
    set: [
      'message.text.customer=question_text',
      'message.text.agent=reply_text',
      'message.text.agent.name=reply_from',
      'ticket.requester.email=asked_by',
    ],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public Why is my lamp broken? | agent public We send a new one.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now? | agent public It left us on Monday.',
    ],
  },
  {
    name: 'a spreadsheet in German with semicolons in Windows-1252',
    files: {
      'liste.csv': Buffer.from(
        lines(
          'Vorgang-Nr.;Worum geht es;E-Mail;Status;Anfrage;Eingang',
          '1;Gerät defekt;kay@example.org;Geschlossen;Das Gerät ist leider defekt.;2025-03-01T08:00:00Z',
          '2;Rückgabe;lou@example.org;Offen;Ich möchte die Ware zurückgeben.;2025-03-02T08:00:00Z',
        ),
        'latin1',
      ),
    },
    set: ['ticket.subject=Worum geht es', 'message.text.customer=Anfrage', 'source.encoding=windows-1252'],
    expected: [
      '1 | Gerät defekt | closed | kay@example.org | customer public Das Gerät ist leider defekt.',
      '2 | Rückgabe | open | lou@example.org | customer public Ich möchte die Ware zurückgeben.',
    ],
  },
  {
    name: 'a path three levels deep',
    files: {
      'deep.json': json(
        [1, 2, 3].map((n) => ({
          id: n,
          created_at: `2025-01-0${n}T10:00:00Z`,
          data: {
            contact: { primary: { address: `c${n}@example.org` } },
            what: { short: { line: `Order ${n} is late` } },
          },
        })),
      ),
    },
    set: ['ticket.subject=data.what.short.line', 'ticket.requester.email=data.contact.primary.address'],
    expected: [1, 2, 3].map((n) => `${n} | Order ${n} is late | open | c${n}@example.org`),
  },
  {
    name: 'forty columns of which six matter',
    files: {
      'wide.csv': lines(
        [
          'key',
          ...Array.from({ length: 34 }, (_, n) => `x${n}`),
          'headline2',
          'mailto',
          'phase',
          'said',
          'created',
        ].join(','),
        ...[1, 2, 3].map((n) =>
          [
            `K${n}`,
            ...Array.from({ length: 34 }, (_, k) => `v${k}`),
            `Lamp ${n} broken`,
            `c${n}@example.org`,
            n === 2 ? 'zu' : 'auf',
            `My lamp ${n} is broken again.`,
            `2025-01-0${n}T10:00:00Z`,
          ].join(','),
        ),
      ),
    },
    set: [
      'ticket.subject=headline2',
      'ticket.status=phase',
      'ticket.status:zu=closed',
      'ticket.status:auf=open',
      'message.text.customer=said',
      'ticket.requester.email=mailto',
    ],
    expected: [1, 2, 3].map(
      (n) =>
        `K${n} | Lamp ${n} broken | ${n === 2 ? 'closed' : 'open'} | c${n}@example.org | customer public My lamp ${n} is broken again.`,
    ),
  },
  {
    name: 'rows of messages whose ticket ID has an unusual name',
    files: {
      'chat.csv': lines(
        'line,thread_no_x,who,what,at',
        '1,A1,visitor,Is the shop open today please?,2025-01-01T10:00:00Z',
        '2,A1,operator,Yes it is open until six.,2025-01-01T10:01:00Z',
        '3,A2,visitor,Where is my parcel number nine?,2025-01-01T11:00:00Z',
        '4,A2,operator,It arrives on Friday morning.,2025-01-01T11:01:00Z',
      ),
    },
    set: [
      'ticket.id=thread_no_x',
      'ticket.rows=message',
      'message.text=what',
      'message.writer=who',
      'message.author.name=',
      'message.time=at',
    ],
    expected: [
      'A1 | Is the shop open today please? | open |  | customer public Is the shop open today please? | agent public Yes it is open until six.',
      'A2 | Where is my parcel number nine? | open |  | customer public Where is my parcel number nine? | agent public It arrives on Friday morning.',
    ],
  },
  {
    name: 'people in a third file, by their ID',
    files: {
      'cases.csv': lines(
        'case_id,title,opened,owner_ref,client_ref',
        '1,Lamp broken,2025-01-01T10:00:00Z,p9,p1',
        '2,Refund,2025-01-02T10:00:00Z,p9,p2',
      ),
      'posts.csv': lines(
        'case_id,post,on,poster',
        '1,My lamp is broken again.,2025-01-01T10:00:00Z,p1',
        '1,We send a new one today.,2025-01-01T11:00:00Z,p9',
        '2,Where is my refund now?,2025-01-02T10:00:00Z,p2',
      ),
      'folk.csv': lines(
        'pid,mail,full name,role',
        'p1,kay@example.org,Kay,client',
        'p2,lou@example.org,Lou,client',
        'p9,ann@desk.example,Ann,agent',
      ),
    },
    set: [
      'person.id=pid',
      'ticket.requester=client_ref',
      'ticket.assignee=owner_ref',
      'message.text=post',
      'message.author=poster',
      'message.time=on',
    ],
    expected: [
      '1 | Lamp broken | open | kay@example.org | customer public My lamp is broken again. | agent public We send a new one today.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now?',
    ],
  },
  {
    name: 'a contact column of addresses and phone numbers',
    files: {
      'forms.csv': lines(
        'id,subject,contact,text,created',
        '1,Lamp,kay@example.org,My lamp is broken again.,2025-01-01T10:00:00Z',
        '2,Refund,+49 170 1234,Where is my refund now?,2025-01-02T10:00:00Z',
        '3,Bulb,lou@example.org,The bulb does not fit here.,2025-01-03T10:00:00Z',
      ),
    },
    set: ['ticket.requester.name=contact'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again.',
      '2 | Refund | open |  | customer public Where is my refund now?',
      '3 | Bulb | open | lou@example.org | customer public The bulb does not fit here.',
    ],
  },
  {
    name: 'a Spanish list from a spreadsheet',
    files: {
      'casos.csv': Buffer.from(
        lines(
          'Nº de caso;Asunto;Correo electrónico;Estado;Descripción;Fecha de creación',
          '1;Lámpara rota;kay@example.org;Cerrado;La lámpara llegó rota ayer.;2025-03-01T08:00:00Z',
          '2;Devolución;lou@example.org;Abierto;Quiero devolver la lámpara.;2025-03-02T08:00:00Z',
        ),
        'latin1',
      ),
    },
    set: ['source.encoding=windows-1252'],
    expected: [
      '1 | Lámpara rota | closed | kay@example.org | customer public La lámpara llegó rota ayer.',
      '2 | Devolución | open | lou@example.org | customer public Quiero devolver la lámpara.',
    ],
  },
  {
    name: 'two texts of which one is internal by its column',
    files: {
      'two.csv': lines(
        'id,subject,email,created,wording,staff_remarks',
        '1,Lamp,kay@example.org,2025-01-01T10:00:00Z,My lamp is broken again.,The batch was bad; do not say so.',
        '2,Refund,lou@example.org,2025-01-02T10:00:00Z,Where is my refund now?,She is a friend of the boss.',
      ),
    },
    set: ['message.text.customer=wording', 'message.text.note=staff_remarks'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again. | agent internal The batch was bad; do not say so.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now? | agent internal She is a friend of the boss.',
    ],
  },
  {
    name: 'a placeholder where an answer is missing',
    files: {
      'asked.csv': lines(
        'id,subject,email,created,question,answer',
        ...[1, 2, 3, 4].map(
          (n) =>
            `${n},Lamp ${n},c${n}@example.org,2025-01-0${n}T10:00:00Z,Where is my lamp number ${n}?,${n === 1 ? 'It is on its way to you.' : '-'}`,
        ),
      ),
    },
    set: [],
    expected: [1, 2, 3, 4].map(
      (n) =>
        `${n} | Lamp ${n} | open | c${n}@example.org | customer public Where is my lamp number ${n}?${n === 1 ? ' | agent public It is on its way to you.' : ''}`,
    ),
  },
  {
    name: 'a cell with several notes, each of time, author and text',
    files: {
      'calls.csv': lines(
        'id,subject,email,created,log',
        '1,Lamp,kay@example.org,2025-01-01T10:00:00Z,"2025-01-01 10:00;kay@example.org;My lamp is broken again.',
        '2025-01-01 11:00;ann@desk.example;We send a new one; it is blue."',
        '2,Refund,lou@example.org,2025-01-02T10:00:00Z,2025-01-02 10:00;lou@example.org;Where is my refund now?',
      ),
    },
    set: [
      'message.author.email=log[][1]',
      'message.author.name=',
      'otherAuthors=agent',
      'source.timezone=UTC',
    ],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again. | agent public We send a new one; it is blue.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now?',
    ],
  },
  {
    name: 'messages whose tickets are not in the export',
    files: {
      'tickets.csv': lines(
        'id,subject,email,created_at',
        '1,Lamp,kay@example.org,2025-01-01T10:00:00Z',
        '2,Refund,lou@example.org,2025-01-02T10:00:00Z',
      ),
      'messages.csv': lines(
        'ticket_id,body,created_at,author_email',
        '1,My lamp is broken again.,2025-01-01T10:00:00Z,kay@example.org',
        '2,Where is my refund now?,2025-01-02T10:00:00Z,lou@example.org',
        '3,A ticket that nobody exported.,2025-01-02T10:00:00Z,max@example.org',
      ),
    },
    set: ['message.ticket=ticket_id'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now?',
    ],
  },
  {
    name: 'a form without an ID',
    files: {
      'form.csv': lines(
        'email,topic,message,sent',
        'kay@example.org,Lamp,My lamp is broken again.,2025-01-01T10:00:00Z',
        'kay@example.org,Refund,Where is my refund now?,2025-01-02T10:00:00Z',
        'lou@example.org,Lamp,The bulb does not fit here.,2025-01-02T10:00:00Z',
      ),
    },
    set: ['ticket.id=each row', 'ticket.createdAt=sent'],
    expected: [
      '2025-01-01T10:00:00Z/kay@example.org | Lamp | open | kay@example.org | customer public My lamp is broken again.',
      '2025-01-02T10:00:00Z/kay@example.org | Refund | open | kay@example.org | customer public Where is my refund now?',
      '2025-01-02T10:00:00Z/lou@example.org | Lamp | open | lou@example.org | customer public The bulb does not fit here.',
    ],
  },
  {
    name: 'one message in two inboxes',
    files: {
      'mails.csv': lines(
        'ticket_id,subject,inbox,message_id,body,sent_at,from_email',
        '1,Lamp,support,m1,My lamp is broken again.,2025-01-01T10:00:00Z,kay@example.org',
        '1,Lamp,sales,m1,My lamp is broken again.,2025-01-01T10:00:00Z,kay@example.org',
        '1,Lamp,support,m2,We send a new one today.,2025-01-01T12:00:00Z,ann@desk.example',
      ),
    },
    set: ["message.visibility='public'", 'otherAuthors=agent'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again. | agent public We send a new one today.',
    ],
  },
  {
    name: 'lists as Python prints them',
    files: {
      'frame.csv': lines(
        'ticket_id,subject,email,created_at,tags,turns',
        `1,Lamp,kay@example.org,2025-01-01T10:00:00Z,"['late', 'vip']","['My lamp is broken again.', 'It is still dark here.']"`,
        `2,Refund,lou@example.org,2025-01-02T10:00:00Z,[],"['Where is my refund now?']"`,
      ),
    },
    set: ['message.text=turns[]', 'otherAuthors=customer'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again. | customer public It is still dark here.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now?',
    ],
  },
  {
    name: 'lists of objects as Python prints them',
    files: {
      'frame.csv': lines(
        'ticket_id,subject,email,created_at,turns',
        `1,Lamp,kay@example.org,2025-01-01T10:00:00Z,"[{'sender': 'customer', 'text': ""It's broken\\nagain."", 'internal': False}, {'sender': 'agent', 'text': 'Gr\\xfc\\xdfe. A new one is coming.', 'internal': False}]"`,
        `2,Refund,lou@example.org,2025-01-02T10:00:00Z,"[{'sender': 'customer', 'text': 'Where is my refund now?', 'internal': False}, {'sender': 'agent', 'text': 'She is a friend of the boss.', 'internal': True}]"`,
      ),
    },
    set: ['message.writer=turns[].sender', 'message.author.name='],
    expected: [
      "1 | Lamp | open | kay@example.org | customer public It's broken\nagain. | agent public Grüße. A new one is coming.",
      '2 | Refund | open | lou@example.org | customer public Where is my refund now? | agent internal She is a friend of the boss.',
    ],
  },
  {
    name: 'a placeholder among the messages',
    files: {
      'talk.csv': lines(
        'ticket_id,subject,email,body,sent_at,from_email',
        '1,Lamp,kay@example.org,My lamp is broken again.,2025-01-01T10:00:00Z,kay@example.org',
        '1,Lamp,kay@example.org,-,2025-01-01T11:00:00Z,kay@example.org',
        '2,Refund,lou@example.org,Where is my refund now?,2025-01-02T10:00:00Z,lou@example.org',
        '2,Refund,lou@example.org,-,2025-01-02T11:00:00Z,lou@example.org',
      ),
    },
    set: ['ticket.requester.email=email', 'otherAuthors=customer'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now?',
    ],
  },
  {
    name: 'a list of notes is not public',
    files: {
      'export.json': json(
        [1, 2].map((n) => ({
          id: n,
          subject: `Order ${n}`,
          requester: { email: `c${n}@example.org` },
          created_at: `2025-01-0${n}T10:00:00Z`,
          notes: [{ body: `The batch ${n} was bad again.`, author: { email: 'ann@desk.example' } }],
        })),
      ),
    },
    set: ["message.visibility='internal'", 'otherAuthors=agent'],
    expected: [1, 2].map(
      (n) => `${n} | Order ${n} | open | c${n}@example.org | agent internal The batch ${n} was bad again.`,
    ),
  },
  {
    name: 'remarks among mails, by a word of a column',
    files: {
      'mixed.csv': lines(
        'ticket_id,subject,email,body,sent_at,kind,role',
        '1,Lamp,kay@example.org,My lamp is broken again.,2025-01-01T10:00:00Z,mail,customer',
        '1,Lamp,kay@example.org,He broke it himself I think.,2025-01-01T11:00:00Z,remark,agent',
      ),
    },
    set: ['message.visibility:remark=the team only'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again. | agent internal He broke it himself I think.',
    ],
  },
  {
    name: 'a solution that may be for the team alone',
    files: {
      'solved.csv': lines(
        'id,subject,email,created_at,description,close_notes',
        '1,Lamp,kay@example.org,2025-01-01T10:00:00Z,My lamp is broken again.,He broke it himself I think.',
        '2,Refund,lou@example.org,2025-01-02T10:00:00Z,Where is my refund now?,Forgotten by accounting again.',
      ),
    },
    set: ['message.text.agent=', 'message.text.note=close_notes'],
    expected: [
      '1 | Lamp | open | kay@example.org | customer public My lamp is broken again. | agent internal He broke it himself I think.',
      '2 | Refund | open | lou@example.org | customer public Where is my refund now? | agent internal Forgotten by accounting again.',
    ],
  },
];

/** Writes the case, runs `init`, and maps. */
async function settingsOf(of: Case, set: readonly string[]) {
  const at = screen();
  for (const [name, text] of Object.entries(of.files)) writeFileSync(join(at.cwd, name), text);
  const files = Object.keys(of.files).map((name) => join(at.cwd, name));
  await initCommand(files, { propose: true, yes: true, set }, at.context);
  const text = readFileSync(join(at.cwd, 'helpdesk-import.yaml'), 'utf8');
  return { at, files, text, settings: parse(text) };
}

async function plainly(files: readonly string[], settings: { mapping: unknown }): Promise<string[]> {
  const encoding = (settings as { source?: { encoding?: string } }).source?.encoding;
  return (await mapped(files, settings, encoding)).map(({ id, subject, status, email, messages }) =>
    [
      id,
      subject,
      status || 'open',
      email,
      ...messages.map(({ role, internal, text }) => `${role} ${internal ? 'internal' : 'public'} ${text}`),
    ].join(' | '),
  );
}

interface Shown {
  readonly fields: readonly { readonly key: string; readonly label: string; readonly mark?: string }[];
  readonly unread: { readonly texts: readonly string[] };
  readonly preview: readonly Conversation[];
}

const PERSON = ['', '.email', '.name'];
const TEXTS = ['message.text', ...['customer', 'agent', 'note'].map((name) => `message.text.${name}`)];
const AUTHORS = PERSON.map((part) => `message.author${part}`);
const SIDES = ['message.writer', ...AUTHORS, 'person.role', 'otherAuthors'];
/** The fields that make each part of a ticket: one of them must be marked where that part is wrong. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  tickets: ['ticket.id', 'ticket.rows'],
  subject: ['ticket.subject'],
  status: ['ticket.status'],
  email: [...PERSON.map((part) => `ticket.requester${part}`), ...SIDES],
  text: [...TEXTS, 'message.ticket'],
  side: [...SIDES, ...TEXTS],
  audience: ['message.visibility', ...TEXTS],
};

/** Parts of the previewed tickets that are not as they should be; what is internal by mistake hurts nobody. */
function wrongParts({ preview, unread }: Shown, expected: readonly string[], tickets: number): Set<string> {
  const wrong = new Set(tickets === expected.length ? [] : ['tickets']);
  if (wrong.size > 0) return wrong;
  for (const { externalId, subject, status, contact, entries } of preview) {
    const line = expected.find((each) => each.startsWith(`${externalId} | `)) ?? '';
    const [, title, state, email, ...said] = line.split(' | ');
    if (line === '') wrong.add('tickets');
    if (subject !== title) wrong.add('subject');
    if (status !== state) wrong.add('status');
    if ((contact?.email ?? '') !== email) wrong.add('email');
    const shown = entries.filter(
      (entry) => entry.kind === 'message' && !entry.name?.startsWith('Fields with'),
    );
    const rest = said.map((each) => /^(\w+) (\w+) (.*)$/s.exec(each) ?? []);
    for (const entry of shown as ConversationMessage[]) {
      const [found] = rest.filter(([, , , text]) => text === entry.content);
      if (found === undefined) wrong.add('text');
      else {
        rest.splice(rest.indexOf(found), 1);
        if (found[1] !== entry.author) wrong.add('side');
        if (found[2] === 'internal' && !entry.isInternal) wrong.add('audience');
      }
    }
    // a text that no field reads is in the internal note, and named
    const note = entries.find((entry) => entry.kind === 'message' && entry.name?.startsWith('Fields with'));
    const kept = unread.texts.length > 0 ? ((note as ConversationMessage | undefined)?.content ?? '') : '';
    if (rest.some(([, , , text = '']) => !kept.includes(text))) wrong.add('text');
  }
  return wrong;
}

describe('an export of somebody', () => {
  it.each(CASES)('$name: right with these changes', async (of) => {
    expect(of.set.length).toBeLessThanOrEqual(6);
    const { at, files, settings } = await settingsOf(of, of.set);
    using _ = at;
    expect(await plainly(files, settings)).toEqual(of.expected);
    const open = openPaths(settings).map((path) => path.join('.'));
    expect(open.filter((path) => path.startsWith('mapping.'))).toEqual([]);
  });

  it.each(CASES)('$name: the same by keys in a terminal', async (of) => {
    using at = screen();
    for (const [name, text] of Object.entries(of.files)) writeFileSync(join(at.cwd, name), text);
    const files = Object.keys(of.files).map((name) => join(at.cwd, name));
    const { code, screen: shown } = await initByKeys(at, files, { propose: true }, person(of.set));
    expect(code, shown).toBe(0);
    const text = readFileSync(join(at.cwd, 'helpdesk-import.yaml'), 'utf8');
    expect(await plainly(files, parse(text)), shown).toEqual(of.expected);
  });

  it.each(CASES)('$name: without them, what is wrong is marked and stops a run', async (of) => {
    const { at, files, text } = await settingsOf(of, []);
    using _ = at;
    using again = screen();
    await initCommand(files, { propose: true, json: true }, again.context);
    const shown = JSON.parse(again.stdout()) as Shown & { tickets: number };
    const marked = shown.fields.filter(({ mark }) => mark !== undefined);
    const keys = marked.map(({ key }) => key);
    for (const part of wrongParts(shown, of.expected, shown.tickets))
      expect(
        MAKERS[part]?.filter((key) => keys.includes(key)),
        `${part} is wrong`,
      ).not.toEqual([]);
    for (const { label } of marked)
      expect(text, `${label} is open in the settings`).toMatch(new RegExp(`^[^#]*TODO +# ${label}\\b`, 'm'));
  });
});

/** A person who makes the changes by the numbers on the screen, looks at each marked line, and saves. */
function person(set: readonly string[]): Typist {
  const changes = [...set];
  let table = '';
  let doing: string | undefined;
  let prompts = 0;
  const numberOf = (screen: string, is: (rest: string) => boolean) =>
    screen.split('\n').flatMap((line) => {
      const [, number = '', rest = ''] = /^ *(\d+) {2,}(.*)$/.exec(line) ?? [];
      return is(rest) ? [number] : [];
    })[0];
  const begins = (text: string) => (rest: string) => rest === text || rest.startsWith(`${text}  `);
  return (shown) => {
    if (prompts++ > 60) return '\u0003';
    const [, key = '', word, value = ''] = /^([^:=]+)(?::(.*?))?=(.*)$/s.exec(doing ?? '') ?? [];
    const column = value.replace(/^[^:]*\.\w+:/, '');
    if (shown.includes('Number of a word')) {
      if (doing === undefined) return '\r';
      return `${word === undefined ? 'c' : numberOf(shown, begins(word))}\r`;
    }
    if (/" is: 1 /.test(shown)) {
      doing = undefined;
      return `${new RegExp(`(\\d) ${value}\\b`).exec(shown)?.[1]}\r`;
    }
    if (/keeps\s+it\s+›/.test(shown)) {
      if (doing === undefined) return '\r';
      const isColumn = specOf(key).isValue !== true && !/^(?:'.*'|first line|each row|)$/.test(value);
      const number = numberOf(shown, (rest) => begins(column)(rest.replace(/^\S+?: /, '')));
      // a slip of the finger, taken back
      if (isColumn && number === undefined) return `${column}x\u007f\r`;
      doing = undefined;
      return `${isColumn ? number : value === '' ? '-' : value}\r`;
    }
    const look = /Look at these first: (\d+)/.exec(shown)?.[1];
    if (look !== undefined) return `${look}\r`;
    if (shown.includes('comes from')) table = shown.slice(shown.lastIndexOf('comes from'));
    doing = changes.shift();
    if (doing === undefined) return 's\r';
    const { label } = specOf(doing.split(/[:=]/)[0] ?? '');
    const flat = table.replace(/\s+/g, ' ');
    const empty = new RegExp(`(?:: |· )(\\d+) ${label}(?: ·| \\d+ line| •| Number)`).exec(flat)?.[1];
    const number = numberOf(table, begins(label)) ?? empty;
    if (number !== undefined) return `${number}\r`;
    const typed = `${doing}\r`;
    doing = undefined;
    return typed;
  };
}

describe('a chat export', () => {
  it.each([
    [
      'Slack',
      [{ type: 'message', user: 'U1', ts: '1.1', thread_ts: '1.1', text: 'Is the shop open today?' }],
    ],
    [
      'Telegram',
      {
        id: 7,
        name: 'Kay',
        messages: [{ id: 1, from_id: 'user7', date_unixtime: '1700000000', text: 'Open today?' }],
      },
    ],
  ])('of %s is called by its name, with what makes tickets of it', async (platform, content) => {
    using at = screen();
    const path = join(at.cwd, 'export.json');
    writeFileSync(path, json(content));
    await expect(initCommand([path], { propose: true, yes: true }, at.context)).rejects.toMatchObject({
      code: 'source',
      message: expect.stringContaining(platform),
      hint: expect.stringContaining('--set ticket.id='),
    });
  });
});
