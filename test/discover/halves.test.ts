/** Records in halves and people on two sides: a ticket and its details, versions and copies, who of two wrote. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { proposalFor } from './support.ts';

const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const id = (n: number) => `T-${1041 + 3 * n}`;
const day = (n: number) => `2024-05-${String(n + 1).padStart(2, '0')}`;
const at = (n: number, hour: number) => `${day(n)}T${String(hour).padStart(2, '0')}:00:00Z`;
const NAMES = ['Ana', 'Bo', 'Cleo', 'Dirk', 'Eva', 'Finn', 'Gus', 'Hana', 'Ira', 'Jo', 'Kai', 'Lena'];
const customer = (n: number) => `${NAMES[n]?.toLowerCase()}.ruiz@example.org`;
const agent = (n: number) => ['kim.voss@desk.example.com', 'raj.lind@desk.example.com'][n % 2] as string;
const asked = (n: number) => `Hello: parcel A-${7000 + 13 * n} has not arrived and nobody answers the phone.`;
const answer = (n: number) => `Thank you: parcel A-${7000 + 13 * n} leaves the warehouse today.`;
const csv = (header: string, rows: readonly (readonly (string | number)[])[]) =>
  `${header}\n${rows.map((row) => row.join(',')).join('\n')}\n`;
const lines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n');

/** What nobody but the owner of the data knows is decided. */
function decide(path: string): void {
  const proposed = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    proposed.replace('fallbackAgent: TODO', 'fallbackAgent: agt_1').replaceAll(/: TODO$/gm, ': true'),
  );
}

async function mappingFor(files: Readonly<Record<string, string>>) {
  const proposal = await proposalFor(files);
  return (proposal?.mapping ?? {}) as {
    tables: Record<string, Record<string, unknown>>;
    ticket: Record<string, unknown>;
    messages: Record<string, unknown>[];
    events?: Record<string, unknown>[];
  };
}

describe('a ticket and its details', () => {
  const typed = (details: string) =>
    lines([
      ...NUMBERS.map((n) => ({
        type: 'ticket',
        data: { case_number: id(n), title: `Late ${n}`, state: 'open', opened: at(n, 8) },
      })),
      ...NUMBERS.map((n) => ({
        type: details,
        data: {
          case_number: id(n),
          urgency: 'high',
          customer_mail: customer(n),
          labels: 'vip,late',
          modified: at(n, 9),
        },
      })),
      ...NUMBERS.map((n) => ({
        type: 'message',
        data: { case_number: id(n), from_mail: customer(n), content: asked(n), posted: at(n, 8) },
      })),
    ]);

  it.each(['case_facts', 'ticket_details'])(
    'in one file of several kinds come in as one: %s',
    async (details) => {
      using folder = temporaryFolder();
      writeFileSync(folder.join('export.jsonl'), typed(details));
      expect((await commandLine(['init', 'export.jsonl', '--yes'], { cwd: folder.path })).code).toBeLessThan(
        4,
      );
      decide(folder.join('helpdesk-import.yaml'));
      const run = ['run', 'export.jsonl', '--dry-run', '--json', '--explain', id(3)];
      const explained = JSON.parse((await commandLine(run, { cwd: folder.path })).stdout);
      expect(explained).toContainEqual(
        expect.objectContaining({ field: 'contact', value: { email: customer(3) } }),
      );
      expect(explained).toContainEqual(expect.objectContaining({ field: 'priority', value: 'high' }));
      const { stdout } = await commandLine(['run', 'export.jsonl', '--dry-run', '--json'], {
        cwd: folder.path,
      });
      expect(JSON.parse(stdout).tickets).toMatchObject({ read: NUMBERS.length, rejected: 0 });
    },
  );

  it('of another name are told by an id that is the ticket’s; a mere number, an id of its own or a score are not', async () => {
    const tickets = (key: string, value: (n: number) => string | number) =>
      csv(
        `${key},title,state,opened,customer_mail`,
        NUMBERS.map((n) => [value(n), `Late ${n}`, 'open', at(n, 8), customer(n)]),
      );
    const others = (key: string, value: (n: number) => string | number, more = 'urgency') =>
      csv(
        `${key},${more},owner_mail,body`,
        NUMBERS.map((n) => [value(n), more === 'score' ? n % 5 : 'high', agent(n), asked(n)]),
      );
    const isOne = async (other: string, first: string, second: string) => {
      const { tables } = await mappingFor({ 'cases.csv': first, [other]: second });
      return Array.isArray(tables['tickets']?.['recognise']);
    };
    expect(await isOne('facts.csv', tickets('case_number', id), others('case_number', id))).toBe(true);
    expect(await isOne('facts.csv', tickets('reference', id), others('reference', id))).toBe(true);
    expect(
      await isOne(
        'facts.csv',
        tickets('id', (n) => n + 1),
        others('id', (n) => n + 1),
      ),
    ).toBe(false);
    const own = csv(
      'case_number,fact_id,body',
      NUMBERS.map((n) => [id(n), `F-${n + 70_000}`, asked(n)]),
    );
    expect(await isOne('facts.csv', tickets('case_number', id), own)).toBe(false);
    expect(
      await isOne('satisfaction.csv', tickets('case_number', id), others('case_number', id, 'score')),
    ).toBe(false);
  });

  it('the messages join the table that they are named after', async () => {
    const { tables } = await mappingFor({
      'TICKETS.csv': csv(
        'ID,SUBJECT,STATUS,CREATED_AT',
        NUMBERS.map((n) => [id(n), `Late ${n}`, 'open', at(n, 8)]),
      ),
      'TICKETS_details.csv': csv(
        'ID,PRIORITY,REQUESTER_EMAIL,UPDATED_AT',
        NUMBERS.map((n) => [id(n), 'high', customer(n), at(n, 9)]),
      ),
      'MESSAGES.csv': csv(
        'ID,TICKET_ID,AUTHOR_EMAIL,BODY,CREATED_AT',
        NUMBERS.map((n) => [n + 10_007, id(n), customer(n), asked(n), at(n, 8)]),
      ),
      'audits.csv': csv(
        'entry,TICKET_ID,field,value,changed',
        NUMBERS.flatMap((n) => [
          ['1', id(n), 'status', 'open', at(n, 8)],
          ['2', id(n), 'status', 'closed', at(n, 9)],
        ]),
      ),
    });
    expect(tables['messages']).toMatchObject({ role: 'child', key: 'TICKET_ID' });
  });
});

describe('versions and copies', () => {
  it('of a ticket with its change in a day and a clock, the last one counts', async () => {
    const { tables } = await mappingFor({
      'Richieste.csv': csv(
        'Numero_richiesta,Oggetto,Stato,Richiedente_Email,Descrizione,Ultima_modifica_data,Ultima_modifica_ora',
        NUMBERS.flatMap((n) => [
          [id(n), `Ritardo ${n}`, 'Aperto', customer(n), asked(n), day(n), '09:00'],
          ...(n % 2 === 0 ? [[id(n), `Ritardo ${n}`, 'Chiuso', customer(n), asked(n), day(n), '17:30']] : []),
        ]),
      ),
      'Messaggi.csv': csv(
        'Numero_messaggio,Numero_richiesta,Mittente_Email,Testo,Inviato_il',
        NUMBERS.map((n) => [n + 10_007, id(n), agent(n), answer(n), at(n, 8)]),
      ),
    });
    expect(tables['tickets']).toMatchObject({
      role: 'root',
      key: 'Numero_richiesta',
      latest: ['Ultima_modifica_data', 'Ultima_modifica_ora'],
    });
    expect(tables['messages']).toMatchObject({ role: 'child', key: 'Numero_richiesta' });
  });

  it('one row that stands twice leaves the id what it is', async () => {
    const many = Array.from({ length: 20 }, (_, n) => n % 12);
    const rows = many.map((n, at_) => ({
      ticket_number: `T-${2000 + at_}`,
      subject: `Late ${at_}`,
      status: 'open',
      requester_email: customer(n),
      description: asked(at_),
      created_at: at(n, 8),
    }));
    const { tables } = await mappingFor({ 'Tickets.jsonl': lines([...rows, rows[4] ?? {}]) });
    expect(tables['tickets']).toMatchObject({ role: 'root', key: 'ticket_number' });
  });
});

describe('who of two wrote', () => {
  const person = (email: string, n: number) => ({ id: n + 500, name: email.split('@')[0], email });

  it('a person in one of two objects', async () => {
    const { messages } = await mappingFor({
      'tickets.json': JSON.stringify(
        NUMBERS.map((n) => ({
          ticket_id: id(n),
          subject: `Late ${n}`,
          status: 'open',
          created_at: at(n, 8),
          requester: person(customer(n), n),
          messages: [
            { by_customer: person(customer(n), n), by_agent: null, body: asked(n), sent_at: at(n, 8) },
            {
              by_customer: null,
              by_agent: person(agent(n), 90 + (n % 2)),
              body: answer(n),
              sent_at: at(n, 9),
            },
          ],
        })),
      ),
    });
    const thread = messages.find(({ each }) => each === 'messages');
    expect(JSON.stringify(thread?.['actorType'])).toMatch(/by_customer\..*customer.*by_agent\..*agent/);
    expect(thread?.['author']).toMatchObject({ email: ['by_customer.email', 'by_agent.email'] });
  });

  it('first and last names of either side are one name', async () => {
    const { messages } = await mappingFor({
      'tickets.json': JSON.stringify(
        NUMBERS.map((n) => ({
          ticket_id: id(n),
          subject: `Late ${n}`,
          status: 'open',
          created_at: at(n, 8),
          requester_email: customer(n),
          messages: [
            {
              by_customer_first: NAMES[n],
              by_customer_last: 'Ruiz',
              by_customer_email: customer(n),
              by_agent_first: '',
              by_agent_last: '',
              by_agent_email: '',
              body: asked(n),
              sent_at: at(n, 8),
            },
            {
              by_customer_first: '',
              by_customer_last: '',
              by_customer_email: '',
              by_agent_first: 'Kim',
              by_agent_last: 'Voss',
              by_agent_email: agent(n),
              body: answer(n),
              sent_at: at(n, 9),
            },
          ],
        })),
      ),
    });
    expect(messages.find(({ each }) => each === 'messages')?.['author']).toMatchObject({
      name: [
        { template: '{by_customer_first} {by_customer_last}' },
        { template: '{by_agent_first} {by_agent_last}' },
      ],
    });
  });

  it.each([
    ['by which of them most tickets begin', 'c1text', 'c2text', true],
    ['by a name for an answer, though the team begins', 'question', 'response', false],
    ['whatever stands first in the file', 'c2text', 'c1text', true],
  ])(
    'two columns of texts, of which each row fills one: %s',
    async (_, ofCustomer, ofAgent, customersBegin) => {
      const rows = NUMBERS.flatMap((n) => [
        [id(n), `Late ${n}`, 'open', customer(n), agent(n), '', answer(n), at(n, customersBegin ? 9 : 7)],
        [id(n), `Late ${n}`, 'open', customer(n), agent(n), asked(n), '', at(n, 8)],
      ]);
      const { messages } = await mappingFor({
        'threads.csv': csv(
          `case_number,title,state,customer_mail,owner_mail,${ofCustomer},${ofAgent},posted`,
          rows,
        ),
      });
      const of = (role: string) =>
        messages.find(({ actorType }) => JSON.stringify(actorType) === `{"const":"${role}"}`);
      expect(of('customer')?.['content']).toBe(ofCustomer);
      expect(of('agent')?.['content']).toBe(ofAgent);
    },
  );

  it.each(['Modificato da', 'Zmienione przez', 'Gewijzigd door', 'Updated By'])(
    'the rows of a log were written by whoever made the change: %s',
    async (by) => {
      const rows = NUMBERS.flatMap((n) => [
        [id(n), `Late ${n}`, 'open', customer(n), at(n, 8), customer(n), asked(n)],
        [id(n), `Late ${n}`, 'closed', customer(n), at(n, 9), agent(n), answer(n)],
      ]);
      const { messages, events } = await mappingFor({
        'log.csv': csv(`Ticket,Subject,Status,Requester Email,Updated At,${by} Email,Text`, rows),
      });
      expect(messages[0]?.['author']).toMatchObject({ email: `${by} Email` });
      expect(events?.[0]?.['actor']).toMatchObject({ email: `${by} Email` });
    },
  );

  it('few people who look after many tickets did not ask for them', async () => {
    const rows = (name: string) =>
      csv(
        `Ticket ID,Subject,Status,Requester,${name},Description,Created At`,
        Array.from({ length: 24 }, (_, n) => [
          n + 4001,
          `Late ${n}`,
          'open',
          `user${n}`,
          agent(n),
          asked(n),
          at(n % 12, 8),
        ]),
      );
    const of = async (name: string) =>
      JSON.stringify((await mappingFor({ 't.csv': rows(name) })).ticket['requester']);
    expect(await of('Referente')).not.toContain('Referente');
    expect(await of('Opiekun')).not.toContain('Opiekun');
  });
});

describe('kinds of messages', () => {
  const thread = (wrap: (kind: string, data: object) => object) =>
    lines([
      ...NUMBERS.map((n) =>
        wrap('ticket', {
          ticket_id: id(n),
          subject: `Late ${n}`,
          status: 'open',
          requester_email: customer(n),
          created_at: at(n, 8),
        }),
      ),
      ...NUMBERS.map((n) =>
        wrap('message', { ticket_id: id(n), author_email: customer(n), body: asked(n), sent_at: at(n, 8) }),
      ),
      ...NUMBERS.map((n) =>
        wrap('internal_comments', {
          ticket_id: id(n),
          author_email: agent(n),
          body: answer(n),
          sent_at: at(n, 9),
        }),
      ),
    ]);

  it.each([
    ['beside the record', (kind: string, data: object) => ({ type: kind, data })],
    ['in the record', (kind: string, data: object) => ({ kind, ...data })],
  ])('internal ones alone are for the team only, where the kind stands %s', async (_, wrap) => {
    using folder = temporaryFolder();
    mkdirSync(folder.join('all'));
    writeFileSync(folder.join('all/export.jsonl'), thread(wrap));
    await commandLine(['init', 'all', '--yes'], { cwd: folder.path });
    decide(folder.join('helpdesk-import.yaml'));
    const { stdout } = await commandLine(['run', 'all', '--dry-run', '--json', '--explain', id(3)], {
      cwd: folder.path,
    });
    const explained = JSON.parse(stdout) as { field: string; value: unknown }[];
    const of = (field: string) =>
      explained.filter((row) => row.field.endsWith(field)).map(({ value }) => value);
    expect(of('.content')).toEqual([asked(3), answer(3)]);
    expect(of('.isInternal').filter((value) => value === true)).toHaveLength(1);
    expect(explained.find(({ value }) => value === true)?.field).toContain('messages[1]');
  });
});

it('days and clocks of columns without a meaning are no ids, and which of them is the end is asked', async () => {
  const proposal = await proposalFor({
    'c15.csv': csv(
      'c1,c2,c3,c4,c7,c8,c9,c5_date,c5_time,c6_date,c6_time',
      NUMBERS.map((n) => [
        id(n),
        `Parcel A-${7000 + n} is late`,
        n % 2 === 0 ? 'Closed' : 'Open',
        customer(n),
        agent(n),
        n % 3 === 0 ? 'high' : 'low',
        NAMES[n] ?? '',
        day(n),
        `08:1${n % 10}:${n + 10}`,
        n % 2 === 0 ? day(n) : '',
        n % 2 === 0 ? `20:1${n % 10}:${n + 10}` : '',
      ]),
    ),
    'c28.csv': csv(
      'c16,c17,c18,c19,c20_date,c20_time,c21',
      NUMBERS.flatMap((n) => [
        [n + 10_007, id(n), customer(n), asked(n), day(n), `08:1${n % 10}:${n + 10}`, ''],
        [n + 20_007, id(n), agent(n), answer(n), day(n), `09:1${n % 10}:${n + 10}`, ''],
      ]),
    ),
  });
  expect(proposal?.mapping['tables']).toMatchObject({
    tickets: { role: 'root', key: 'c1' },
    messages: { role: 'child', key: 'c17' },
  });
  const times = proposal?.doubts.find(({ code }) => code === 'unsure-times');
  expect(times?.message).toContain('c6_date');
});

it.each([
  ['Danish', 'Sagsnummer,Emne,Status,Prioritet,Rekvirent,Sagsbehandler,Mærker,Beskrivelse,Oprettet,Lukket'],
  [
    'Norwegian',
    'Saksnummer,Emne,Status,Prioritet,Innmelder,Saksbehandler,Emneord,Beskrivelse,Opprettet,Lukket',
  ],
  ['Czech', 'Číslo požadavku,Předmět,Stav,Priorita,Žadatel,Řešitel,Štítky,Popis,Vytvořeno,Uzavřeno'],
  ['Finnish', 'Tiketin tunnus,Aihe,Tila,Prioriteetti,Pyytäjä,Käsittelijä,Tunnisteet,Kuvaus,Luotu,Suljettu'],
])('columns in %s', async (_, header) => {
  const [key, subject, status, priority, requester, assignee, tags, description, created, closed] =
    header.split(',');
  const rows = NUMBERS.map((n) => [
    n + 4001,
    `Late ${n}`,
    n % 2 === 0 ? 'open' : 'closed',
    'high',
    customer(n),
    agent(n),
    'vip;late',
    asked(n),
    at(n, 8),
    n % 2 === 0 ? '' : at(n, 20),
  ]);
  const { tables, ticket, messages } = await mappingFor({ 't.csv': csv(header, rows) });
  expect(tables['tickets']).toMatchObject({ role: 'root', key });
  expect(ticket).toMatchObject({
    status: { column: status },
    priority: { column: priority },
    tags: { column: tags },
    requester: { email: requester },
    assignee: { email: assignee },
    createdAt: created,
    closedAt: closed,
  });
  expect([ticket['subject']].flat()[0]).toBe(subject);
  expect(messages[0]?.['content']).toBe(description);
});

it('an envelope names its lists and is no other table: their columns are theirs', async () => {
  const proposal = await proposalFor({
    'export.json': JSON.stringify({
      exported_at: '2024-05-06T07:08:09Z',
      c16: NUMBERS.map((n) => ({
        c1: id(n),
        c2: `Parcel A-${7000 + n} is late`,
        c3: n % 2 === 0 ? 'Closed' : 'Open',
        c4: customer(n),
        c5: agent(n),
        c6: `88${n}013`,
      })),
      c27: NUMBERS.map((n) => ({
        c17: 10_007 + n,
        c18: id(n),
        c19: customer(n),
        c20: asked(n),
        c21: at(n, 8),
      })),
    }),
  });
  expect(proposal?.mapping['tables']).toMatchObject({ tickets: { key: 'c1' }, messages: { key: 'c18' } });
});

it.each([
  [['fx', 'why'], 'not known fx, why'],
  [Array.from({ length: 14 }, (_, n) => `x${n}`), 'x11, 2 more'],
  [[], undefined],
])('inspect names the columns that a known layout does not know: %j', async (names, line) => {
  using folder = temporaryFolder();
  const more = Object.fromEntries(names.map((name) => [name, 'v']));
  const contact = { email: customer(1) };
  const record = { id: 'T-1', subject: 'Late', createdAt: at(1, 8), contact, messages: [], ...more };
  writeFileSync(folder.join('n.jsonl'), JSON.stringify(record));
  const { stdout } = await commandLine(['inspect', 'n.jsonl'], { cwd: folder.path });
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('Layout native');
  if (line === undefined) expect(text).not.toContain('not known');
  else expect(text).toContain(line);
});
