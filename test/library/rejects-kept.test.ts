/** No row ever leaves the rejects but by being imported, whoever runs what in between. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ImportOptions, runImport } from '../../src/index.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';

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

/** An export in a folder of its own, a service, and what stands in the rejects. */
async function desk(tickets: readonly Ticket[]) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const service = await running();
  const path = (name: string) => folder.join(name);
  writeFileSync(path('export.jsonl'), jsonl(tickets));
  const run = async (files: string, more: Partial<ImportOptions> = {}) =>
    (
      await runImport({
        files: path(files),
        checkpoint: path('checkpoint.sqlite'),
        rejects: path('rejects'),
        settings: { run: { rate: ['100000/1'] } },
        target: { baseUrl: service.url, credentials: { token: service.token } },
        ...more,
      })
    ).summary;
  const rowsIn = (name = 'rejects/export.jsonl'): Ticket[] =>
    existsSync(path(name))
      ? readFileSync(path(name), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Ticket)
      : [];
  const ids = (name?: string) => rowsIn(name).map(({ id }) => id);
  const subjects = () => service.store.log.creates().map(({ subject }) => subject);
  const write = (name: string, content: readonly Ticket[]) => writeFileSync(path(name), jsonl(content));
  return { path, run, rowsIn, ids, subjects, write, service };
}

const three = [good(1), bad(2), bad(3), bad(4)];

describe('rejects', () => {
  it('a file of ones own with one of three takes that one out, and leaves the other two', async () => {
    const { run, ids, rowsIn, write } = await desk(three);
    expect(await run('export.jsonl')).toMatchObject({ exitCode: 3, tickets: { rejected: 3 } });
    expect(ids()).toEqual([2, 3, 4]);
    write('own.jsonl', [good(3)]);
    expect(await run('own.jsonl')).toMatchObject({ exitCode: 0 });
    expect(ids()).toEqual([2, 4]);
    expect(rowsIn()[0]?.['_reason']).toContain('status');
  });

  it('a file of ones own with less of a ticket leaves what stands there', async () => {
    const { run, write, path } = await desk([]);
    mkdirSync(path('csv'));
    writeFileSync(
      path('csv/tickets.csv'),
      'id,subject,status,contact.email,createdAt\n2,Two,solved,c2@example.com,2024-05-01T10:00:00Z\n',
    );
    writeFileSync(
      path('csv/messages.csv'),
      'ticketId,actorType,content,occurredAt,contact.email\n2,customer,Hello,2024-05-01T10:00:00Z,c2@example.com\n',
    );
    await run('csv');
    write('own.jsonl', [good(2, { subject: 'Two' })]);
    expect((await run('own.jsonl')).tickets.done).toBe(1);
    expect(readFileSync(path('rejects/messages.csv'), 'utf8')).toContain('Hello');
  });

  it('another export, --only, and an import of something else leave them as they are', async () => {
    const { run, ids, write, path } = await desk(three);
    await run('export.jsonl');
    const before = readFileSync(path('rejects/export.jsonl'), 'utf8');
    write('new.jsonl', [good(1), good(9)]);
    await run('new.jsonl');
    await run('export.jsonl', { only: ['1'] });
    await run('export.jsonl', { only: ['3'] });
    expect(readFileSync(path('rejects/export.jsonl'), 'utf8')).toBe(before);
    expect(ids()).toEqual([2, 3, 4]);
  });

  it('a duplicate that is imported again stays until it has an id of its own', async () => {
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

  it('what a person corrected stands when the export is run again, and is imported from the folder', async () => {
    const { run, rowsIn, path, subjects } = await desk(three);
    await run('export.jsonl');
    writeFileSync(path('rejects/export.jsonl'), jsonl([good(2, { subject: 'Corrected' }), bad(3), bad(4)]));
    const again = await run('export.jsonl');
    expect(rowsIn()).toMatchObject([{ subject: 'Corrected' }, { id: 3 }, { id: 4 }]);
    expect(again.problems).toContainEqual(
      expect.objectContaining({ code: 'corrected-in-rejects', ticket: '2' }),
    );
    expect(await run('rejects')).toMatchObject({ tickets: { done: 1, rejected: 2 } });
    expect(rowsIn().map(({ id }) => id)).toEqual([3, 4]);
    expect(subjects()).toContain('Corrected');
  });

  it('what a person deleted there stands again when the export is run again', async () => {
    const { run, ids, path } = await desk(three);
    await run('export.jsonl');
    writeFileSync(path('rejects/export.jsonl'), jsonl([bad(3), bad(4)]));
    await run('export.jsonl');
    expect(ids().toSorted()).toEqual([2, 3, 4]);
  });

  it('a corrected export empties the folder', async () => {
    const { run, path, write } = await desk(three);
    await run('export.jsonl');
    write('export.jsonl', [good(1), good(2), good(3), bad(4)]);
    await run('export.jsonl');
    expect(existsSync(path('rejects'))).toBe(true);
    write('export.jsonl', [good(1), good(2), good(3), good(4)]);
    await run('export.jsonl');
    expect(existsSync(path('rejects'))).toBe(false);
  });

  it('a version of a ticket that nobody touched gives way to the next one', async () => {
    const { run, rowsIn, write } = await desk(three);
    await run('export.jsonl');
    write('export.jsonl', [good(1), bad(2, { subject: 'Newer' }), bad(3), bad(4)]);
    await run('export.jsonl');
    expect(rowsIn().filter(({ id }) => id === 2)).toMatchObject([{ subject: 'Newer' }]);
    expect(rowsIn()).toHaveLength(3);
  });

  it('an address that is corrected in the rejects of a shard leaves no ticket to another shard, which never reads them', async () => {
    const lost = Array.from({ length: 8 }, (_, id) =>
      good(id, { contact: { email: `c${id} at example.com` } }),
    );
    const { run, path, subjects } = await desk(lost);
    const shard = (index: number) => ({
      shard: `${index}/2`,
      checkpoint: path(`${index}.sqlite`),
      rejects: path(`rejects-${index}`),
    });
    for (const index of [1, 2]) await run('export.jsonl', shard(index));
    renameSync(path('rejects-2'), path('moved'));
    for (const folder of ['rejects-1', 'moved']) {
      const file = path(`${folder}/export.jsonl`);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(' at ', '@'));
    }
    expect(await run('rejects-1', shard(1))).toMatchObject({ exitCode: 0, tickets: { skipped: 0 } });
    expect(await run('moved', shard(2))).toMatchObject({ exitCode: 0, tickets: { skipped: 0 } });
    expect(subjects().toSorted()).toEqual(lost.map(({ subject }) => subject));
    // The export corrected as well: nothing comes a second time, whichever shard it belongs to now.
    writeFileSync(path('export.jsonl'), readFileSync(path('export.jsonl'), 'utf8').replaceAll(' at ', '@'));
    for (const index of [1, 2]) await run('export.jsonl', shard(index));
    expect(subjects()).toHaveLength(8);
  });

  it('a folder that two shards wrote is shared out between them when it is imported', async () => {
    const { run, path, subjects } = await desk(Array.from({ length: 8 }, (_, id) => bad(id)));
    const shard = (index: number) => ({ shard: `${index}/2`, checkpoint: path(`${index}.sqlite`) });
    for (const index of [1, 2]) await run('export.jsonl', shard(index));
    const file = path('rejects/export.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('solved', 'open'));
    const [one, other] = [await run('rejects', shard(1)), await run('rejects', shard(2))];
    expect([one.tickets.done, one.tickets.skipped + one.tickets.done]).not.toEqual([8, 8]);
    expect(other.exitCode).toBe(0);
    expect(subjects()).toHaveLength(8);
    expect(existsSync(path('rejects'))).toBe(false);
  });

  it('one folder for two shards holds the rows of both', async () => {
    const { run, path, ids } = await desk(Array.from({ length: 12 }, (_, index) => bad(index)));
    for (const index of [1, 2])
      await run('export.jsonl', { shard: `${index}/2`, checkpoint: path(`${index}.sqlite`) });
    expect(ids().toSorted()).toHaveLength(12);
  });

  it('a folder that is read by a link, or as a copy, is emptied of what is imported and of no more', async () => {
    const { run, path, ids, write } = await desk(three);
    await run('export.jsonl');
    cpSync(path('rejects'), path('copy'), { recursive: true });
    symlinkSync(path('rejects'), path('link'));
    write('rejects/export.jsonl', [good(2), bad(3), bad(4)]);
    await run('link', { rejects: path('other') });
    expect(ids()).toEqual([3, 4]);
    expect(existsSync(path('other'))).toBe(false);
    write('copy/export.jsonl', [good(3)]);
    await run('copy/export.jsonl');
    expect(existsSync(path('copy'))).toBe(false);
    expect(ids()).toContain(4);
  });

  it('an empty folder that was made for them takes them, itself or by a link', async () => {
    const { run, path, ids } = await desk(three);
    mkdirSync(path('rejects'));
    mkdirSync(path('made'));
    symlinkSync(path('made'), path('link'));
    expect(await run('export.jsonl')).toMatchObject({ exitCode: 3, rejects: path('rejects') });
    expect(ids()).toEqual([2, 3, 4]);
    await run('export.jsonl', { rejects: path('link') });
    expect(ids('made/export.jsonl')).toEqual([2, 3, 4]);
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

  it('a run that is stopped in the midst leaves what was rejected', async () => {
    const { run, ids } = await desk(three);
    const stop = new AbortController();
    const onEvent = (event: { type: string }) => {
      if (event.type === 'ticket') stop.abort();
    };
    const stopped = await run('export.jsonl', { signal: stop.signal, onEvent });
    expect(stopped).toMatchObject({ exitCode: 130, rejects: expect.any(String) });
    expect(ids()).toEqual([2, 3, 4]);
  });

  it('files that a person put there go along, and rows that nobody can read stay', async () => {
    const { run, path, ids, write } = await desk(three);
    writeFileSync(path('export.jsonl'), `${jsonl(three)}{"id":5,}\n`);
    await run('export.jsonl');
    writeFileSync(path('rejects/notes.md'), 'mine');
    write('own.jsonl', [good(2)]);
    await run('own.jsonl');
    expect(readdirSync(path('rejects')).toSorted()).toEqual([
      '.helpdesk-import-rejects',
      'export.jsonl',
      'notes.md',
      'unreadable.jsonl',
    ]);
    expect(ids()).toEqual([3, 4]);
    await run('export.jsonl');
    expect(readFileSync(path('rejects/unreadable.jsonl'), 'utf8')).toBe('{"id":5,}\n');
  });
});
