/** A run writes rejects of its own; from rejects that are imported goes what was imported, and nothing else. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type EngineOptions, importDesk } from '../support/engine.ts';

type Ticket = Record<string, unknown>;

const good = (id: number, more: Ticket = {}): Ticket => ({
  id,
  subject: `Question ${id}`,
  status: 'open',
  contact: { email: `c${id}@example.com` },
  createdAt: '2024-05-01T10:00:00Z',
  messages: [],
  ...more,
});
const bad = (id: number, more: Ticket = {}): Ticket => good(id, { status: 'solved', ...more });
const jsonl = (tickets: readonly Ticket[]) => tickets.map((ticket) => `${JSON.stringify(ticket)}\n`).join('');

/** An export in a folder of its own, a service, and its rejects. */
async function desk(tickets: readonly Ticket[]) {
  const imports = await importDesk({ 'export.jsonl': jsonl(tickets) });
  const { path } = imports;
  const run = async (files: string, more: Partial<EngineOptions> = {}) =>
    (await imports.run({ files: path(files), ...more })).facts;
  const rowsIn = (name = 'rejects/export.jsonl'): Ticket[] =>
    existsSync(path(name))
      ? readFileSync(path(name), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Ticket)
      : [];
  const ids = (name?: string) => rowsIn(name).map(({ id }) => id);
  const write = (name: string, content: readonly Ticket[]) => imports.write(name, jsonl(content));
  return { ...imports, run, rowsIn, ids, write };
}

const three = [good(1), bad(2), bad(3), bad(4)];

describe('rejects', () => {
  it('are those of the run: another export and another selection have a folder with a number', async () => {
    const { run, ids, write, path } = await desk(three);
    await run('export.jsonl');
    const before = readFileSync(path('rejects/export.jsonl'), 'utf8');
    write('new.jsonl', [good(1), bad(9)]);
    expect(await run('new.jsonl')).toMatchObject({ rejects: path('rejects-2') });
    await run('export.jsonl', { only: ['3'] });
    expect(readFileSync(path('rejects/export.jsonl'), 'utf8')).toBe(before);
    expect(ids('rejects-2/new.jsonl')).toEqual([9]);
    expect(ids('rejects-3/export.jsonl')).toEqual([3]);
  });

  it('that a person corrected stay, and are imported from their folder', async () => {
    const { run, rowsIn, ids, path, subjects } = await desk(three);
    await run('export.jsonl');
    writeFileSync(path('rejects/export.jsonl'), jsonl([good(2, { subject: 'Corrected' }), bad(3), bad(4)]));
    expect(await run('export.jsonl')).toMatchObject({ rejects: path('rejects-2') });
    expect(rowsIn()).toMatchObject([{ subject: 'Corrected' }, { id: 3 }, { id: 4 }]);
    expect(ids('rejects-2/export.jsonl')).toEqual([2, 3, 4]);
    expect(await run('rejects')).toMatchObject({ tickets: { done: 1, rejected: 2 } });
    expect(rowsIn().map(({ id }) => id)).toEqual([3, 4]);
    expect(rowsIn()[0]?.['_reason']).toContain('status');
    expect(subjects()).toContain('Corrected');
  });

  it('that are imported in part keep the rest, with its reason', async () => {
    const { run, rowsIn, ids, write } = await desk(three);
    await run('export.jsonl');
    const [, , last] = rowsIn();
    write('rejects/export.jsonl', [good(2), good(3), { ...last }]);
    expect(await run('rejects', { only: ['2'] })).toMatchObject({ tickets: { done: 1 } });
    expect(ids()).toEqual([3, 4]);
    expect(rowsIn()[1]?.['_reason']).toBe(last?.['_reason']);
  });

  it('are left alone by a dry run that reads them', async () => {
    const { run, path, write } = await desk(three);
    await run('export.jsonl');
    write('rejects/export.jsonl', [good(2), bad(3)]);
    const before = readFileSync(path('rejects/export.jsonl'), 'utf8');
    await run('rejects', { mode: 'dry-run' });
    expect(readFileSync(path('rejects/export.jsonl'), 'utf8')).toBe(before);
  });

  it('keep files that a person put there, and lines that cannot be read', async () => {
    const { run, path, ids, write } = await desk(three);
    writeFileSync(path('export.jsonl'), `${jsonl(three)}{"id":5,}\n`);
    expect(await run('export.jsonl')).toMatchObject({ exitCode: 3, tickets: { done: 1, rejected: 4 } });
    expect(readFileSync(path('rejects/unreadable.jsonl'), 'utf8')).toBe('{"id":5,}\n');
    writeFileSync(path('rejects/notes.md'), 'mine');
    write('rejects/export.jsonl', [good(2), bad(3), bad(4)]);
    await run('rejects');
    expect(ids()).toEqual([3, 4]);
    expect(readFileSync(path('rejects/notes.md'), 'utf8')).toBe('mine');
    expect(readFileSync(path('rejects/unreadable.jsonl'), 'utf8')).toBe('{"id":5,}\n');
  });

  it.each<[string, Record<string, string>]>([
    [
      'tables of CSV',
      {
        'tickets.csv':
          'id,subject,status,contact.email,createdAt\n2,"Two\nlines",solved,c2@example.com,2024-05-01T10:00:00Z\n',
        'messages.csv':
          'ticketId,actorType,content,occurredAt,contact.email\n2,customer,"say ""hi""",2024-05-01T10:00:00Z,c2@example.com\n9,customer,orphan,2024-05-01T10:00:00Z,c2@example.com\n',
      },
    ],
    ['a list', { 'tickets.json': JSON.stringify([bad(2), bad(3)], null, 1) }],
    [
      'lists of a document',
      {
        'export.json': JSON.stringify(
          {
            tickets: [bad(2, { messages: undefined })],
            messages: [
              { ticketId: 2, actorType: 'system', content: 'Hello', occurredAt: '2024-05-01T10:00:00Z' },
            ],
          },
          null,
          1,
        ),
      },
    ],
  ])('of %s read like the export', async (_name, files) => {
    const { run, path } = await desk([]);
    mkdirSync(path('in'));
    for (const [name, text] of Object.entries(files)) writeFileSync(path(`in/${name}`), text);
    const first = await run('in');
    expect(first.tickets.rejected).toBeGreaterThan(0);
    expect(first.messages.orphans).toBe('messages.csv' in files ? 1 : 0);
    const again = await run('rejects', { mode: 'dry-run' });
    expect(again.tickets.rejected).toBe(first.tickets.rejected);
    expect(again.messages).toMatchObject({ read: first.messages.read, orphans: first.messages.orphans });
  });

  it('a duplicate that is imported again stays until it has an ID of its own', async () => {
    const { run, rowsIn, path, subjects } = await desk([good(7), good(7, { subject: 'Another' })]);
    await run('export.jsonl');
    expect(rowsIn()).toMatchObject([{ id: 7, subject: 'Another' }]);
    for (let times = 0; times < 2; times++) await run('rejects');
    expect(rowsIn()).toMatchObject([{ id: 7, subject: 'Another' }]);
    writeFileSync(path('rejects/export.jsonl'), jsonl([good(77, { subject: 'Another' })]));
    expect(await run('rejects')).toMatchObject({ exitCode: 0, tickets: { done: 1 } });
    expect(existsSync(path('rejects'))).toBe(false);
    expect(subjects().toSorted()).toEqual(['Another', 'Question 7']);
  });

  it('a rejected version that was not edited is replaced by the next one', async () => {
    const { run, rowsIn, write } = await desk(three);
    await run('export.jsonl');
    write('export.jsonl', [good(1), bad(2, { subject: 'Newer' }), bad(3), bad(4)]);
    await run('export.jsonl');
    expect(rowsIn().filter(({ id }) => id === 2)).toMatchObject([{ subject: 'Newer' }]);
    expect(rowsIn()).toHaveLength(3);
  });

  it('a run that is not let in, or is stopped, leaves all of them', async () => {
    const { run, ids, write, service } = await desk(three);
    await run('export.jsonl');
    write('rejects/export.jsonl', [good(2), good(3), bad(4)]);
    const target = { baseUrl: service.url, credentials: { token: 'wrong' } };
    await expect(run('rejects', { target })).rejects.toMatchObject({ exitCode: 5 });
    expect(ids()).toEqual([2, 3, 4]);
    const stop = new AbortController();
    const onEvent = (event: { type: string }) => {
      if (event.type === 'start-import') stop.abort();
    };
    expect(await run('rejects', { signal: stop.signal, onEvent })).toMatchObject({ exitCode: 130 });
    expect(ids()).toEqual([2, 3, 4]);
    expect(await run('rejects')).toMatchObject({ tickets: { done: 2, rejected: 1 } });
    expect(ids()).toEqual([4]);
  });
});
