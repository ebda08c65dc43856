/** What a proposal tells from the structure of an export, where names say nothing or the wrong thing. */
import { describe, expect, it } from 'vitest';
import type { Proposal } from '../../src/discover/propose/proposal.ts';
import { proposalFor } from './support.ts';

const people = ['Ana Ruiz', 'Bo Lind', 'Cleo Marsh', 'Dirk Voss', 'Eva Koch', 'Finn Berg'];
const mail = (name: string) => `${name.toLowerCase().replace(' ', '.')}@example.org`;
const at = (n: number, hour: number) =>
  `2024-05-${String(n + 1).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;
const said = (n: number) =>
  `Hello: order A-${7000 + 13 * n} has not arrived and nobody answers the phone number ${n}.`;

const mappingOf = (proposal: Proposal | undefined) =>
  (proposal?.mapping ?? {}) as {
    tables: Record<string, Record<string, unknown>>;
    ticket: Record<string, unknown>;
    messages: Record<string, unknown>[];
  };

/** Tickets in one table, their messages in another, columns called c1, c2, … */
function nameless(): Record<string, string> {
  const tickets = people.map(
    (name, n) =>
      `${4001 + n * 3},Order A-${7000 + 13 * n} is late,${['open', 'pending', 'closed'][n % 3]},${['high', 'low', 'normal'][n % 3]},${mail(name)},${n % 2 === 0 ? 'greta@example.com' : 'paul@example.com'},${at(n, 8)},${n % 3 === 2 ? at(n, 20) : ''}`,
  );
  const messages = people.flatMap((name, n) => [
    `9${n}01,${4001 + n * 3},${mail(name)},${said(n)},true,${at(n, 8)}`,
    `9${n}02,${4001 + n * 3},${n % 2 === 0 ? 'greta@example.com' : 'paul@example.com'},Thank you: it leaves the warehouse number ${n} today and is with you soon.,${n % 3 !== 0},${at(n, 9)}`,
    `9${n}03,${4001 + n * 3},${n % 2 === 0 ? 'greta@example.com' : 'paul@example.com'},It has left the warehouse number ${n} and will be there tomorrow.,true,${at(n, 12)}`,
  ]);
  return {
    'a.csv': `c1,c2,c3,c4,c5,c6,c7,c8\n${tickets.join('\n')}\n`,
    'b.csv': `d1,d2,d3,d4,d5,d6\n${messages.join('\n')}\n`,
  };
}

describe('columns whose names say nothing', () => {
  it('are told by their values and by how these go together', async () => {
    const { tables, ticket, messages } = mappingOf(await proposalFor(nameless()));
    expect(tables['tickets']).toMatchObject({ role: 'root', key: 'c1' });
    expect(tables['messages']).toMatchObject({ role: 'child', key: 'd2' });
    expect(ticket).toMatchObject({
      status: { column: 'c3' },
      priority: { column: 'c4' },
      createdAt: 'c7',
      closedAt: 'c8',
      requester: { email: 'c5' },
      assignee: { email: 'c6' },
    });
    expect(ticket['subject']).toEqual(expect.arrayContaining(['c2']));
    expect(messages).toMatchObject([
      { content: 'd4', occurredAt: 'd6', author: { email: 'd3' }, isInternal: { column: 'd5' } },
    ]);
  });

  it('are asked, each with what it was taken for', async () => {
    const proposal = await proposalFor(nameless());
    expect(proposal?.doubts).toMatchObject([{ code: 'guessed-columns' }, { code: 'unsure-author' }]);
    expect(proposal?.doubts[0]?.message).toContain('c2 as subject (Order A-7000 is late)');
  });

  it('are not asked where the others have names', async () => {
    const { doubts } = (await proposalFor({
      't.csv': `id,subject,status,created_at,requester_email,zz\n${people.map((name, n) => `${n},Late ${n},open,${at(n, 8)},${mail(name)},x${n}`).join('\n')}\n`,
    })) ?? { doubts: undefined };
    expect(doubts).toEqual([]);
  });
});

describe('records of several kinds in one file', () => {
  const lines = (wrap: (kind: string, record: object) => object) =>
    `${people
      .flatMap((name, n) => [
        wrap('ticket', {
          id: 1041 + n,
          subject: `Late ${n}`,
          status: 'open',
          requester: mail(name),
          created_at: at(n, 8),
        }),
        wrap('comment', { ticket_id: 1041 + n, author: mail(name), body: said(n), sent_at: at(n, 8) }),
      ])
      .map((line) => JSON.stringify(line))
      .join('\n')}\n`;

  it.each([
    ['wrapped', lines((type, data) => ({ type, data })), { where: { column: 'type' }, unwrap: 'data' }],
    ['flat', lines((kind, record) => ({ kind, ...record })), { where: { column: 'kind' } }],
  ])('are tables of their own: %s', async (_, text, recognise) => {
    const { tables, messages } = mappingOf(await proposalFor({ 'export.jsonl': text }));
    expect(tables['tickets']).toMatchObject({ key: 'id', recognise });
    expect(tables['messages']).toMatchObject({ role: 'child', key: 'ticket_id', recognise });
    expect(messages).toMatchObject([{ from: 'messages', content: 'body' }]);
  });

  it('a field of a few words in records of one kind makes no kinds', async () => {
    const text = people.map((name, n) => ({
      id: 1041 + n,
      type: n % 2 === 0 ? 'question' : 'problem',
      subject: `Late ${n}`,
      status: 'open',
      requester: mail(name),
      created_at: at(n, 8),
    }));
    const { tables } = mappingOf(
      await proposalFor({ 'tickets.jsonl': `${text.map((line) => JSON.stringify(line)).join('\n')}\n` }),
    );
    expect(JSON.stringify(tables)).not.toContain('where');
  });
});

describe('people', () => {
  it('are looked up in all tables of people there are, whatever these are called', async () => {
    const { tables } = mappingOf(
      await proposalFor({
        'chamados.csv': `id,assunto,status,cliente_id,agente_id,criado_em\n${people.map((_, n) => `${n + 1},Pedido ${n},aberto,${500 + n},${900 + (n % 2)},${at(n, 8)}`).join('\n')}\n`,
        'quem.csv': `id,nome,email\n${people.map((name, n) => `${500 + n},${name},${mail(name)}`).join('\n')}\n`,
        'equipe.csv': `id,nome,email\n900,Greta Weber,greta@example.com\n901,Paul Brandt,paul@example.com\n`,
      }),
    );
    expect(Object.values(tables).filter(({ role }) => role === 'lookup')).toHaveLength(2);
  });
});

describe('single values', () => {
  const withColumn = async (name: string, values: readonly string[]) =>
    mappingOf(
      await proposalFor({
        't.csv': `id,subject,status,created_at,requester_email,${name}\n${people.map((person, n) => `${n},Late ${n},open,${at(n, 8)},${mail(person)},"${values[n] ?? ''}"`).join('\n')}\n`,
      }),
    );

  it('tags with spaces between are told from tags of several words', async () => {
    expect(
      (await withColumn('tags', ['vip api', 'api', 'refund vip', 'vip', '', 'api refund'])).ticket['tags'],
    ).toMatchObject({ split: ' ' });
    expect(
      (await withColumn('tags', ['needs reply', 'needs info', 'needs refund', 'needs reply', '', ''])).ticket[
        'tags'
      ],
    ).toMatchObject({ split: ';' });
  });

  it('\\n as two characters is a line break where no text has another', async () => {
    const texts = people.map((_, n) => `Hello,\\n\\norder ${n} is late.\\nThanks`);
    expect((await withColumn('description', texts)).messages).toMatchObject([
      { content: { column: 'description', as: 'line-breaks' } },
    ]);
    const broken = texts.map((text, n) => (n === 0 ? 'Hello,\n\nit is late.\nThanks' : text));
    expect((await withColumn('description', broken)).messages).toMatchObject([{ content: 'description' }]);
  });

  it('seconds, milliseconds and microseconds are times', async () => {
    for (const unit of [1, 1e3, 1e6])
      expect(
        (
          await withColumn(
            'closed_at',
            people.map((_, n) => String((1_714_000_000 + n * 90_000) * unit)),
          )
        ).ticket,
      ).toMatchObject({ closedAt: 'closed_at' });
  });
});
