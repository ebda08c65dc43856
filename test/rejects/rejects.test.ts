import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JoinPlan } from '../../src/domain/join-plan.ts';
import type { SourceItem } from '../../src/domain/source.ts';
import { reasonText } from '../../src/rejects/reject-files.ts';
import { openRejects } from '../../src/rejects/rejects-writer.ts';
import { joinExport } from '../../src/source/join/join-export.ts';
import type { StagedExport } from '../../src/source/open-export.ts';
import { planOf, reported } from '../source/join/join-plan.ts';
import { all, open, openFolder, signal, tempFolder } from '../source/temp-export.ts';

const ROOT = { name: 'tickets', role: 'root', key: ['id'] } as const;
const MESSAGES = { name: 'messages', role: 'child', key: ['ticketId'] } as const;

/** Rejects the tickets for which `isBad` says yes, with all their rows, and every record that is no ticket. */
async function reject(
  files: StagedExport,
  plan: JoinPlan,
  folder: string,
  isBad: (item: SourceItem) => boolean = () => true,
): Promise<boolean> {
  await using joined = await joinExport(files, plan, { signal });
  const writer = openRejects(folder, files, plan);
  for await (const items of joined.tickets(signal)) {
    for (const item of items) {
      if (!isBad(item)) continue;
      if (item.kind === 'unreadable') {
        const { table, ref, code, message } = item;
        await (code === 'unreadable'
          ? writer.unreadable(ref, message)
          : writer.ticket([{ table, ref }], message));
        continue;
      }
      const children = [...item.children.values()].flat();
      await writer.ticket([item.row, ...children], `The ticket ${item.externalId} is bad.`);
    }
  }
  for (const { table, ref } of joined.unmatchedRows()) await writer.row(ref, 'Its ticket is missing.', table);
  for (const { ref, message } of joined.unreadableRows()) await writer.unreadable(ref, message);
  return writer.finish();
}

function content(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.helpdesk-import-rejects')
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [name.slice(folder.length + 1), readFileSync(name, 'utf8').replace(/^\ufeff/, '')]),
  );
}

const TRIO = {
  'tickets.csv': 'id;subject\n1;fine\n2;"of two\nlines"\n3;=cmd()\n',
  'messages.csv': 'ticketId,x\n2,"say ""hi"""\n9,orphan\n1,fine\n2\n2,a,b\n',
  'users.csv': 'id,mail\nu1,a@b\nu2,c@d\n',
};
const TRIO_TABLES = [ROOT, MESSAGES, { name: 'users', role: 'lookup', key: [], lookups: [['id']] }] as const;

describe('rejects', () => {
  it('have the names, columns and bytes of the source, and a last column with the reason', async () => {
    const files = await openFolder(TRIO);
    const folder = join(tempFolder(), 'rejects');
    const isBad = (item: SourceItem) => item.kind === 'ticket' && item.externalId !== '1';
    expect(await reject(files, planOf(files, TRIO_TABLES), folder, isBad)).toBe(true);
    expect(content(folder)).toEqual({
      'tickets.csv':
        'id;subject;_reason\n2;"of two\nlines";The ticket 2 is bad.\n3;=cmd();The ticket 3 is bad.\n',
      'messages.csv':
        'ticketId,x,_reason\n2,"say ""hi""",The ticket 2 is bad.\n2,,The ticket 2 is bad.\n2,a,The ticket 2 is bad.,b\n9,orphan,Its ticket is missing.\n',
      'users.csv': 'id,mail,_reason\nu1,a@b,\nu2,c@d,\n',
    });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it.each<[string, Record<string, string>, Parameters<typeof planOf>[1], string]>([
    [
      'JSONL',
      { 'tickets.jsonl': '{"id":1}\n{}\n', 'messages.jsonl': '{"ticketId":1, "x":"\\u00e9"}\n' },
      [ROOT, MESSAGES],
      '{"id":1,"_reason":"The ticket 1 is bad."}\n{"_reason":"The record has no value in \\"id\\", so it has no external id."}\n',
    ],
    [
      'pages in JSONL',
      { 'tickets.jsonl': '{"page":1,"tickets":[{"id":1},{"id":2}]}\n' },
      [{ ...ROOT, selector: { path: ['tickets'] } }],
      '{"tickets":[{"id":1,"_reason":"The ticket 1 is bad."}]}\n{"tickets":[{"id":2,"_reason":"The ticket 2 is bad."}]}\n',
    ],
    [
      'a JSON array',
      { 'tickets.json': '[{"id":1,\n "x":[1]},{"id":2}]' },
      [{ ...ROOT, selector: { path: [] } }],
      '[\n{"id":1,\n "x":[1],"_reason":"The ticket 1 is bad."},\n{"id":2,"_reason":"The ticket 2 is bad."}\n]\n',
    ],
    [
      'two arrays of a JSON document',
      { 'tickets.json': '{"a":{"tickets":[{"id":1}]},"messages":[{"ticketId":1},{"ticketId":7}]}' },
      [
        { ...ROOT, selector: { path: ['a', 'tickets'] } },
        { ...MESSAGES, file: 'tickets', selector: { path: ['messages'] } },
      ],
      '{"a":{"tickets":[\n{"id":1,"_reason":"The ticket 1 is bad."}\n]},"messages":[\n{"ticketId":1,"_reason":"The ticket 1 is bad."},\n{"ticketId":7,"_reason":"Its ticket is missing."}\n]}\n',
    ],
  ])('of %s keep its form', async (_name, source, tables, expected) => {
    const files = await openFolder(source);
    const folder = join(tempFolder(), 'rejects');
    await reject(files, planOf(files, tables), folder);
    const [name] = Object.keys(source);
    expect(content(folder)[name ?? '']).toBe(expected);
  });

  it.each<[string, Record<string, string>, Parameters<typeof planOf>[1]]>([
    ['the CSV trio', TRIO, TRIO_TABLES],
    [
      'JSONL',
      {
        'tickets.jsonl': '{"id":1,"x":"a\\nb"}\n{"id":2}\n',
        'messages.jsonl': '{"ticketId":2}\n{"ticketId":5}\n',
      },
      [ROOT, MESSAGES],
    ],
    [
      'pages',
      { 'tickets.jsonl': '{"tickets":[{"id":1}]}\n{"tickets":[{"id":2}]}\n' },
      [{ ...ROOT, selector: { path: ['tickets'] } }],
    ],
    [
      'a document',
      { 'tickets.json': '{"tickets":[{"id":1},{"id":2}]}' },
      [{ ...ROOT, selector: { path: ['tickets'] } }],
    ],
    [
      'mixed streams',
      {
        'all.jsonl':
          '{"s":"t","d":{"id":1}}\n{"s":"u","d":{"id":"u1"}}\n{"s":"m","d":{"ticketId":1}}\n{"s":"log"}\n',
      },
      (['tickets', 'messages', 'users'] as const).map((name, index) => ({
        ...TRIO_TABLES[index]!,
        name,
        file: 'all',
        selector: { where: { path: ['s'], oneOf: [name[0] ?? ''] }, unwrap: ['d'] },
      })),
    ],
  ])('of %s read again give the same tickets, and so do theirs', async (_name, source, tables) => {
    let files = await openFolder(source);
    const first = await joinExport(files, planOf(files, tables), { signal });
    const expected = await reported(first);
    const orphans = [...first.unmatchedRows()].map(({ parent }) => parent);
    const codes = files.problems.map(({ code }) => code);
    await first[Symbol.asyncDispose]();
    let bytes: Record<string, string> | undefined;
    for (let generation = 0; generation < 3; generation++) {
      const folder = join(tempFolder(), 'rejects');
      await reject(files, planOf(files, tables), folder);
      files = await open([folder]);
      await using joined = await joinExport(files, planOf(files, tables), { signal });
      expect(await reported(joined)).toEqual(expected);
      expect([...joined.unmatchedRows()].map(({ parent }) => parent)).toEqual(orphans);
      expect(files.problems.map(({ code }) => code)).toEqual(codes);
      if (bytes !== undefined) expect(content(folder)).toEqual(bytes);
      bytes = content(folder);
    }
  });

  it('any cells and any reason come back as they were', async () => {
    const cell = fc.stringMatching(/^[a-z",;\n=+@é _-]{0,8}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        cell,
        async (rows, reason) => {
          const quoted = (value: string) =>
            value === '' || /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
          const lines = rows.map((row, index) => `${[`${index}`, ...row].map(quoted).join(',')}\n`).join('');
          const files = await openFolder({ 'tickets.csv': `id,a,b\n${lines}` }, { delimiter: ',' });
          const folder = join(tempFolder(), 'rejects');
          const writer = openRejects(folder, files, planOf(files, [ROOT]));
          const before = await all(files.files[0]!);
          for (const { ref } of before) await writer.ticket([{ table: 'tickets', ref }], reason);
          await writer.finish();
          const again = (await open([folder], { delimiter: ',' })).files[0]!;
          expect((await all(again)).map(({ cells }) => cells)).toEqual(before.map(({ cells }) => cells));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lines that cannot be read stand verbatim, and are read once they are mended', async () => {
    const files = await openFolder({
      'tickets.jsonl': '{"id":1,}\n{"id":2}\n',
      'messages.csv': 'ticketId,x\n2,"open\n2,b\n',
    });
    const tables = [ROOT, MESSAGES];
    const folder = join(tempFolder(), 'rejects');
    await reject(files, planOf(files, tables), folder, ({ kind }) => kind === 'unreadable');
    expect(content(folder)).toEqual({
      'unreadable.jsonl': '{"id":1,}\n',
      'unreadable.csv': 'ticketId,x,_reason\n2,"open\n',
      'messages.csv': 'ticketId,x,_reason\n',
    });
    writeFileSync(join(folder, 'unreadable.jsonl'), '{"id":1}\n');
    const again = await open([folder]);
    await using joined = await joinExport(again, planOf(again, [{ ...ROOT, file: 'unreadable.jsonl' }]), {
      signal,
    });
    expect(await reported(joined)).toEqual(['1: {"id":1}']);
  });

  it('a row that two tables share stands once', async () => {
    const files = await openFolder({ 'tickets.csv': 'id,x\n1,a\n' });
    const plan = planOf(files, [ROOT, { name: 'again', role: 'child', key: ['id'], file: 'tickets' }]);
    const folder = join(tempFolder(), 'rejects');
    await reject(files, plan, folder);
    expect(content(folder)).toEqual({ 'tickets.csv': 'id,x,_reason\n1,a,The ticket 1 is bad.\n' });
  });

  it.each<[string, string[], string[]]>([
    ['plain names', ['a/tickets.csv', 'b/messages.csv'], ['tickets.csv', 'messages.csv']],
    ['one folder per ticket', ['1/ticket.json', '2/ticket.json'], ['1/ticket.json', '2/ticket.json']],
    ['the same name at two depths', ['x.csv', 'old/x.csv'], ['x.csv', 'old-x.csv']],
    ['names that rejects use themselves', ['unreadable.csv'], ['unreadable-2.csv']],
  ])('files are called like those of the source: %s', async (_name, paths, expected) => {
    const folder = tempFolder(
      Object.fromEntries(
        paths.map((path, index) => [path, path.endsWith('.json') ? `{"id":${index}}` : `id\n${index}\n`]),
      ),
    );
    const files = await open(paths.map((path) => join(folder, path)));
    const plan: JoinPlan = { tables: [{ ...ROOT, inputs: files.files.map(({ id }) => ({ file: id })) }] };
    const rejects = join(tempFolder(), 'rejects');
    await reject(files, plan, rejects);
    const found = Object.keys(content(rejects));
    expect(found.map((name) => name.replace(/^.*export-[^/-]+-/, '')).sort()).toEqual([...expected].sort());
    expect((await open([rejects])).files).toHaveLength(paths.length);
  });
});

describe('the folder of rejects', () => {
  const setUp = async () => {
    const files = await openFolder(TRIO);
    const plan = planOf(files, TRIO_TABLES);
    const parent = tempFolder();
    return { files, plan, parent, folder: join(parent, 'rejects') };
  };

  it('is not made when there is nothing to write, and goes when nothing is left', async () => {
    const { files, plan, folder } = await setUp();
    expect(await openRejects(folder, files, plan).finish()).toBe(false);
    expect(existsSync(folder)).toBe(false);
    await reject(files, plan, folder);
    expect(await openRejects(folder, files, plan).finish()).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  it('may itself be what is read', async () => {
    const { files, plan, folder } = await setUp();
    await reject(files, plan, folder);
    const again = await open([folder]);
    await reject(
      again,
      planOf(again, TRIO_TABLES),
      folder,
      (item) => item.kind === 'ticket' && item.externalId === '3',
    );
    expect(content(folder)['tickets.csv']).toBe('id;subject;_reason\n3;=cmd();The ticket 3 is bad.\n');
  });

  it('keeps the old one whole until the end, and when the run is discarded', async () => {
    const { files, plan, parent, folder } = await setUp();
    await reject(files, plan, folder);
    const before = content(folder);
    const writer = openRejects(folder, files, plan);
    await writer.row((await all(files.files[0]!))[0]!.ref, 'no');
    expect(content(folder)).toEqual(before);
    await writer.discard();
    expect(content(folder)).toEqual(before);
    expect(readdirSync(parent)).toEqual(['rejects']);
  });

  it('keeps tickets of earlier rejects that this run did not decide', async () => {
    const { files, plan, folder } = await setUp();
    await reject(files, plan, folder);
    const old = await open([folder]);
    const writer = openRejects(folder, files, plan);
    const tickets = old.files.find(({ name }) => basename(name) === 'tickets.csv')!;
    const [, second] = await all(tickets);
    writer.from(
      old,
      planOf(old, TRIO_TABLES),
      new Map(old.files.map(({ id, name }) => [id, basename(name)])),
    );
    await writer.ticket([{ table: 'tickets', ref: second!.ref }], 'Not decided by the last run.', old);
    await writer.finish();
    expect(content(folder)['tickets.csv']).toBe(
      'id;subject;_reason\n2;"of two\nlines";Not decided by the last run.\n',
    );
  });

  it('never replaces a folder or file that is something else', async () => {
    const { files, plan, parent, folder } = await setUp();
    mkdirSync(folder);
    expect(() => openRejects(folder, files, plan)).not.toThrow();
    writeFileSync(join(folder, 'precious.txt'), 'x');
    writeFileSync(join(parent, 'file'), 'x');
    for (const path of [folder, join(parent, 'file')]) {
      expect(() => openRejects(path, files, plan)).toThrow(/not a folder of rejects/);
    }
    expect(readFileSync(join(folder, 'precious.txt'), 'utf8')).toBe('x');
  });

  it('clears what a killed process left, and puts back what it had moved away', async () => {
    const { files, plan, parent, folder } = await setUp();
    await reject(files, plan, folder);
    const before = content(folder);
    renameSync(folder, `${folder}.old-999999999`);
    mkdirSync(`${folder}.new-999999999`);
    openRejects(folder, files, plan);
    expect(readdirSync(parent)).toEqual(['rejects']);
    expect(content(folder)).toEqual(before);
  });

  it('a disk that cannot be written is one clear error', async () => {
    const { files, plan, parent, folder } = await setUp();
    writeFileSync(join(parent, 'file'), 'x');
    expect(() => openRejects(join(parent, 'file', 'rejects'), files, plan)).toThrow(/cannot be written/);
    const writer = openRejects(folder, files, plan);
    writeFileSync(`${folder}.new-${process.pid}`, 'in the way');
    const [record] = await all(files.files[0]!);
    await expect(writer.row(record!.ref, 'no')).rejects.toMatchObject({ code: 'disk-write' });
  });
});

describe('reasons', () => {
  it.each([
    ['=1+1 is no subject.', 'Reason: =1+1 is no subject.'],
    ['+49 is no address.', 'Reason: +49 is no address.'],
    ['-', 'Reason: -'],
    ['@x', 'Reason: @x'],
    ['\t=x', 'Reason: =x'],
    ['two\r\nlines\0', 'two lines'],
    ['plain', 'plain'],
  ])('%j is disarmed to %j', (reason, expected) => {
    expect(reasonText(reason)).toBe(expected);
  });

  it('are bounded', () => {
    expect(reasonText('x'.repeat(5000))).toHaveLength(1000);
  });
});
