/** Streams as Singer and Airbyte write them, one ticket for each of fixtures/taps: of all their lines only records are records. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { openDesk } from '../support/desk.ts';

type Records = Readonly<Record<string, readonly object[]>>;

/** SCHEMA and ACTIVATE_VERSION before the records of each stream, STATE behind them, as taps do. */
const singer = (streams: Records): object[] => [
  ...Object.entries(streams).flatMap(([stream, records]) => [
    { type: 'SCHEMA', stream, schema: { properties: { id: { type: 'integer' } } }, key_properties: ['id'] },
    { type: 'ACTIVATE_VERSION', stream, version: 1 },
    ...records.map((record) => ({ type: 'RECORD', stream, record, time_extracted: '2024-03-02T00:00:00Z' })),
    { type: 'STATE', value: { bookmarks: { [stream]: '2024-03-02' } } },
  ]),
];

const airbyte = (streams: Records): object[] => [
  { type: 'LOG', log: { level: 'INFO', message: 'Starting sync' } },
  { type: 'CONTROL', control: { type: 'CONNECTOR_CONFIG', emitted_at: 1 } },
  ...Object.entries(streams).flatMap(([stream, records]) => [
    {
      type: 'TRACE',
      trace: {
        type: 'STREAM_STATUS',
        stream_status: { stream_descriptor: { name: stream }, status: 'STARTED' },
      },
    },
    ...records.map((data) => ({ type: 'RECORD', record: { stream, data, emitted_at: 1_700_000_000_000 } })),
    { type: 'STATE', state: { type: 'STREAM', stream: { stream_descriptor: { name: stream } } } },
  ]),
];

const taps = join(fixtures, 'taps');
const read = (file: string) => JSON.parse(readFileSync(join(taps, file), 'utf8')) as Records;
const forms = { Singer: singer, Airbyte: airbyte };
const AGENTS = { 'lee@example.org': 'agent-lee', a1: 'agent-lee' };

describe('records of a stream are lines of type RECORD alone', () => {
  it.each(
    Object.entries(forms).flatMap(([form, lines]) =>
      readdirSync(taps).map((file) => [form, file.replace('.json', ''), lines(read(file))] as const),
    ),
  )('%s of %s: the ticket has both messages and nothing is rejected', async (_, layout, lines) => {
    const { write, run, rows } = await openDesk();
    write('sync.jsonl', lines);
    write('helpdesk-import.yaml', `unmapped: drop\nagents: ${JSON.stringify(AGENTS)}\n`);
    const ended = await run('run', 'sync.jsonl', '--set', 'run.rate=100000/1');
    expect(ended).toMatchObject({ layout, exitCode: 0, tickets: { read: 1 } });
    const people = 'JOIN contacts c ON c.seq = contact_seq';
    expect(rows(`SELECT subject, email FROM tickets ${people}`)).toEqual([
      { subject: 'Broken lamp', email: 'ann@example.com' },
    ]);
    const messages = rows(
      "SELECT body ->> 'actorType' AS who, content, body ->> 'occurredAt' AS at FROM messages ORDER BY position",
    );
    const plain = (text: unknown) => String(text).replace(/<[^<>]*>/g, '');
    expect(messages.map(({ who, content, at }) => [who, plain(content), plain(at).slice(0, 16)])).toEqual([
      ['customer', 'It is broken.', '2024-03-01T08:00'],
      ['agent', 'Send a photo.', '2024-03-01T09:00'],
    ]);
  });
});
