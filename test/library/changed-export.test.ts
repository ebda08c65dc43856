/** What is sent is what was surveyed: an export that somebody writes to while a run reads it. */
import { appendFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';

import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ImportOptions, type RunEvent, runImport } from '../../src/index.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';
import { tickets } from './tickets.ts';

const COUNT = 300;

const csvTickets = (mark = '') =>
  `id,subject,contact.email,createdAt\n${rows((n) => `${n},Question ${n}${mark},c${n}@example.com,2024-05-01T10:00:00Z`)}`;
/** Message `n` says whose it is. `shift`: it stands where another ticket's stood. */
const csvMessages = (shift = 0) =>
  `ticketId,actorType,content,contact.email,occurredAt\n${rows((n) => {
    const of = 1000 + ((n - 1000 + shift) % COUNT);
    return `${of},customer,Of ${of},c${of}@example.com,2024-05-01T10:00:00Z`;
  })}`;
const rows = (row: (n: number) => string) =>
  Array.from({ length: COUNT }, (_, index) => `${row(1000 + index)}\n`).join('');

const jsonl = (mark = '') => tickets(COUNT).replaceAll('Question', `Question${mark}`);

type Files = Record<string, string | Buffer>;
type Change = (path: (name: string) => string) => void;

/** Changes the export when the survey is over, or when so many tickets have been sent. */
async function changing(
  files: Files,
  change: Change,
  after: number | 'survey',
  inputs?: Partial<ImportOptions>,
) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const service = await running();
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.join(name), text);
  let sent = 0;
  const onEvent = (event: RunEvent) => {
    if (event.type === 'ticket') sent++;
    const now =
      after === 'survey'
        ? event.type === 'stage' && event.stage === 'importing'
        : event.type === 'ticket' && sent === after;
    if (now) change((name) => folder.join(name));
  };
  const options: ImportOptions = {
    files: Object.keys(files).map((name) => folder.join(name)),
    checkpoint: folder.join('checkpoint.sqlite'),
    settings: { run: { concurrency: 2, rate: ['100000/1'] } },
    rejects: folder.join('rejects'),
    target: { baseUrl: service.url, credentials: { token: service.token } },
    ...inputs,
  };
  const result = await runImport({ ...options, onEvent });
  const inTarget = () => service.store.database.prepare(IN_TARGET).all() as InTarget[];
  return { result, inTarget, again: () => runImport(options) };
}

interface InTarget {
  readonly subject: string;
  readonly content: string | null;
}
const IN_TARGET = `SELECT subject, content FROM tickets LEFT JOIN messages ON messages.ticket_seq = tickets.seq`;

/** Each ticket has its own message; `Question 5` of the first reading, `Question! 5` of what stands there afterwards. */
function expectRight(inTarget: readonly InTarget[]): void {
  for (const { subject, content } of inTarget) {
    const [, number] = /^Question!? (\d+)!?$/.exec(subject) ?? [];
    expect([null, 'Hello', `Of ${number}`]).toContain(content);
  }
  expect(new Set(inTarget.map(({ subject }) => subject.replace('!', '')).toSorted())).toHaveLength(
    inTarget.length,
  );
}

describe('an export that changes while a run reads it', () => {
  const join: Files = { 'tickets.csv': csvTickets(), 'messages.csv': csvMessages() };
  it.each<[string, Files, Change]>([
    [
      'JSONL, rewritten in place',
      { 'tickets.jsonl': jsonl() },
      (path) => writeFileSync(path('tickets.jsonl'), jsonl('!')),
    ],
    ['a join, its tickets rewritten', join, (path) => writeFileSync(path('tickets.csv'), csvTickets('!'))],
    [
      'a join, its messages rewritten byte for byte as long, and with the time they had',
      join,
      (path) => {
        writeFileSync(path('messages.csv'), csvMessages(1));
        utimesSync(path('messages.csv'), 0, 0);
      },
    ],
    ['truncated', join, (path) => truncateSync(path('messages.csv'), 5_000)],
    [
      'emptied and begun anew',
      { 'tickets.jsonl': jsonl() },
      (path) => writeFileSync(path('tickets.jsonl'), ''),
    ],
    [
      'appended to',
      { 'tickets.jsonl': jsonl() },
      (path) => appendFileSync(path('tickets.jsonl'), tickets(1).replace('T0', 'T-new')),
    ],
    [
      'replaced by another file of its name',
      { 'tickets.jsonl': jsonl() },
      (path) => {
        writeFileSync(path('new'), jsonl('!'));
        renameSync(path('new'), path('tickets.jsonl'));
      },
    ],
    [
      'compressed, and packed anew',
      { 'tickets.jsonl.gz': gzipSync(jsonl()) },
      (path) => writeFileSync(path('tickets.jsonl.gz'), gzipSync(jsonl('!'))),
    ],
  ])('%s: what was read first is sent, all of it and nothing else', async (_name, files, change) => {
    for (const after of ['survey', 5] as const) {
      const { result, inTarget } = await changing(files, change, after);
      expect(result.summary).toMatchObject({ exitCode: 0, tickets: { done: COUNT } });
      expectRight(inTarget());
    }
  });
});
