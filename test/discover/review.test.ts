/** Small exports with one mistake in the mapping each, and what the review says of them. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../cli/in-process.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';

const FOLDER = join(fixtures, 'review');

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'no-conversation': ['no-conversation'],
  'note-published': ['note-published', 'repeated-text'],
  ordinary: [],
  'repeated-text': [],
  'repeated-text-everywhere': ['repeated-text'],
  'repeated-text-transcript': [],
  'unread-text': ['unread-text'],
  'unread-text-of-a-file': ['unread-text'],
  'unread-text-of-few': ['unread-text'],
};

const STOPS = new Set(['no-conversation']);

interface Report {
  readonly kept: { readonly columns: readonly string[] };
  readonly exitCode: number;
  readonly problems: readonly {
    severity: string;
    code: string;
    field?: string;
    message: string;
    ticket?: string;
  }[];
}

async function dryRun(config: string, cwd: string): Promise<Report> {
  const { stdout } = await inProcess('run', [], { config, dryRun: true, json: true }, { cwd });
  return JSON.parse(stdout) as Report;
}

const REVIEW_CODES = new Set([...Object.values(EXPECTED).flat(), 'incomplete-thread']);
const isFinding = (code: string) => REVIEW_CODES.has(code);

describe('the review of the mapped tickets', () => {
  it('every folder is one of the table', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.entries(EXPECTED))('%s: %j', async (folder, codes) => {
    using own = temporaryFolder();
    const { exitCode, problems } = await dryRun(join(FOLDER, folder, 'helpdesk-import.yaml'), own.path);
    const found = problems.filter(({ code }) => isFinding(code));
    expect([...new Set(found.map(({ code }) => code))].sort()).toEqual(codes);
    for (const { severity, code, field, message } of found) {
      expect(severity).toBe(STOPS.has(code) ? 'error' : 'warning');
      expect(field).toMatch(/^mapping\b/);
      expect(message).not.toBe('');
    }
    expect(exitCode).toBe(codes.some((code) => STOPS.has(code)) ? 2 : 0);
  });

  it('a note hides no unread column, and text under ignore stops no run', async () => {
    using own = temporaryFolder();
    const rows = Array.from(
      { length: 6 },
      (_, n) =>
        `${n},Order ${n},open,ann${n}@example.org,2024-05-0${n + 1}T08:00:00Z,The parcel ${n} has still not arrived here today`,
    );
    writeFileSync(own.join('tickets.csv'), `id,subject,status,email,created_at,zzz\n${rows.join('\n')}\n`);
    const settings = (ignore: string) => `source: { files: [ tickets.csv ] }
mapping:
  name: export
  title: Ours
  tables: { tickets: { role: root, key: id, recognise: { columns: [ id, subject ] } } }
  ticket: { subject: subject, status: status, createdAt: created_at, requester: { email: email } }
${ignore}`;
    const config = own.join('helpdesk-import.yaml');
    writeFileSync(config, settings(''));
    expect((await dryRun(config, own.path)).exitCode).toBe(2);
    writeFileSync(config, settings('unmapped: note\n'));
    const kept = await dryRun(config, own.path);
    expect(kept.kept.columns).toEqual(['zzz']);
    writeFileSync(config, settings('  ignore: [ zzz ]\n'));
    expect((await dryRun(config, own.path)).exitCode).toBe(0);
  });
});

describe('an export that counts itself', () => {
  const settings = `source: { files: [ export.jsonl ] }
mapping:
  name: export
  title: Ours
  tables: { tickets: { role: root, key: id, recognise: { columns: [ id, subject ] } } }
  ticket: { subject: subject, createdAt: at, requester: { email: email } }
  messages: [ { each: messages, content: text, occurredAt: at, actorType: { const: customer }, author: { email: email }, public: true } ]
  claims: [ { messages: count, in: [ { each: messages } ] } ]
`;
  const ticket = (id: number, count: number) => ({
    id,
    subject: `Case ${id}`,
    at: '2024-05-01T08:00:00Z',
    email: 'ann@example.org',
    count,
    messages: [
      { text: `Where is order ${id}?`, at: '2024-05-01T08:00:00Z', email: 'ann@example.org' },
      { text: `And order ${id + 90}?`, at: '2024-05-01T09:00:00Z', email: 'ann@example.org' },
    ],
  });
  const reported = async (records: readonly object[], text: string) => {
    using own = temporaryFolder();
    writeFileSync(own.join('export.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    writeFileSync(own.join('helpdesk-import.yaml'), text);
    const { exitCode, problems } = await dryRun(own.join('helpdesk-import.yaml'), own.path);
    return { exitCode, found: problems.filter(({ code }) => code === 'incomplete-thread') };
  };

  it('names each ticket that has fewer messages than it says, with both numbers', async () => {
    const { exitCode, found } = await reported([ticket(1, 2), ticket(2, 5)], settings);
    expect(found).toMatchObject([{ severity: 'warning', ticket: '2' }]);
    expect(found[0]?.message).toContain('ticket 2 has 5 messages, and it holds 2');
    expect(exitCode).toBe(0);
  });

  it.each(['Replies', 'comment_count', 'Anzahl Antworten'])(
    'knows the column %s by its name',
    async (column) => {
      const unnamed = settings.replace(/ {2}claims.*\n/, '');
      const { found } = await reported([ticket(1, 0), { ...ticket(2, 0), [column]: 5 }], unnamed);
      expect(found.map(({ message }) => message)).toEqual([
        expect.stringContaining('ticket 2 has 5 messages, and it holds 2'),
      ]);
    },
  );

  it('a stream that says INCOMPLETE stops the run, and one with fewer records than counted is named', async () => {
    const name = { stream_descriptor: { name: 'tickets' } };
    const records = [
      ...[1, 2].map((id) => ({ type: 'RECORD', record: { stream: 'tickets', data: ticket(id, 2) } })),
      { type: 'STATE', state: { stream: name, sourceStats: { recordCount: 9 } } },
    ];
    const status = {
      type: 'TRACE',
      trace: { type: 'STREAM_STATUS', stream_status: { ...name, status: 'INCOMPLETE' } },
    };
    const counted = await reported(records, settings);
    expect(counted.found[0]?.message).toContain('stream tickets has 9 records, and it holds 2');
    expect(counted.exitCode).toBe(0);
    const broken = await reported([...records, status], settings);
    expect(broken.found).toMatchObject([{ severity: 'error' }]);
    expect(broken.exitCode).toBe(2);
  });

  it.each([
    [{ count: 9 }, {}, 'there are 9 records, and the export holds 2'],
    [{ meta: { total_count: 9 } }, {}, 'there are 9 records, and the export holds 2'],
    [{ _links: { next: { href: '?page=2' } } }, {}, 'there is a next page'],
    [{ paging: { next: { after: '2' } } }, {}, 'there is a next page'],
    [{ has_more: true }, {}, 'there is a next page'],
    [{ done: false, totalSize: 2 }, {}, 'there is a next page'],
    [{ next_page: '?page=3', count: 2 }, { end_of_stream: true, next_page: '?page=3' }, undefined],
    [{ next: '?page=2', total: 2 }, { next: null, total: 2 }, undefined],
    [{ page: { totalElements: 2, size: 50 } }, {}, undefined],
  ])('pages that say %j, and at last %j: %s', async (first, last, says) => {
    const paged = settings.replace('columns:', 'path: tickets, columns:');
    const pages = [
      { ...first, tickets: [ticket(1, 2)] },
      { ...(Object.keys(last).length > 0 ? last : first), tickets: [ticket(2, 2)] },
    ];
    const { found, exitCode } = await reported(pages, paged);
    expect(found.map(({ message }) => message)).toEqual(
      says === undefined ? [] : [expect.stringContaining(says)],
    );
    expect(exitCode).toBe(0);
  });
});
