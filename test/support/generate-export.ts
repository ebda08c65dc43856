/** Native exports of any size, streamed: the same bytes for the same options, a ticket from its number. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { MessagePayload } from '../../src/domain/payload.ts';
import { csvRow } from './csv-text.ts';
import {
  generatedEvents,
  generatedMessage,
  generatedMessages,
  generatedTicket,
  messageCount,
  permutation,
} from './generated-ticket.ts';

export interface GenerateOptions {
  readonly dir: string;
  readonly tickets: number;
  /** Messages per ticket on average. Some tickets have few, one in ten has more than three times as many. Default 5. */
  readonly messages?: number;
  readonly seed?: number;
  readonly format?: 'jsonl' | 'csv';
  /** Distinct requesters. Default: one for three tickets. */
  readonly contacts?: number;
  readonly events?: boolean;
  /** CSV: rows of messages and events stand far from each other, later ones often before earlier ones. */
  readonly shuffle?: boolean;
  /** Characters of a message's text, about. Default 160. */
  readonly bodyLength?: number;
}

export interface GeneratedExport {
  readonly files: readonly string[];
  readonly tickets: number;
  readonly messages: number;
  readonly events: number;
  readonly bytes: number;
  /** External ids are these: `externalId(0)` to `externalId(tickets - 1)`. */
  readonly externalId: (index: number) => string;
}

type Row = Readonly<Record<string, unknown>>;

const TICKET_COLUMNS = 'id subject contact.email contact.name status priority tags createdAt closedAt'.split(
  ' ',
);
const MESSAGE_COLUMNS =
  'ticketId actorType contact.email agentId content contentType occurredAt isInternal attachments'.split(' ');
const EVENT_COLUMNS = 'ticketId type oldValue.status newValue.status actorType agentId occurredAt'.split(' ');

export async function generateExport(options: GenerateOptions): Promise<GeneratedExport> {
  await mkdir(options.dir, { recursive: true });
  return options.format === 'csv' ? generateCsv(options) : generateJsonl(options);
}

async function generateJsonl(options: GenerateOptions): Promise<GeneratedExport> {
  const file = join(options.dir, 'tickets.jsonl');
  const out = writer(file);
  const counts = { messages: 0, events: 0 };
  for (let index = 0; index < options.tickets; index++) {
    const messages = generatedMessages(options, index);
    const events = options.events === false ? [] : generatedEvents(options, index);
    counts.messages += messages.length;
    counts.events += events.length;
    const record = { ...generatedTicket(options, index), messages, ...(events.length > 0 ? { events } : {}) };
    await out.write(`${JSON.stringify(record)}\n`);
  }
  const bytes = await out.end();
  return { files: [file], tickets: options.tickets, ...counts, bytes, externalId };
}

async function generateCsv(options: GenerateOptions): Promise<GeneratedExport> {
  const names = ['tickets.csv', 'messages.csv', ...(options.events === false ? [] : ['events.csv'])];
  const files = names.map((name) => join(options.dir, name));
  const counts = { messages: 0, events: 0 };

  const tickets = writer(files[0] as string);
  await tickets.write(csvRow(TICKET_COLUMNS));
  for (let index = 0; index < options.tickets; index++) {
    await tickets.write(rowOf(TICKET_COLUMNS, generatedTicket(options, index)));
  }

  const messages = writer(files[1] as string);
  await messages.write(csvRow(MESSAGE_COLUMNS));
  const writeMessage = async (index: number, message: MessagePayload) => {
    counts.messages++;
    await messages.write(rowOf(MESSAGE_COLUMNS, { ticketId: externalId(index), ...message }));
  };
  if (options.shuffle === true) {
    // Round by round, the last message of each ticket first, the tickets of every round in another order.
    let longest = 0;
    for (let index = 0; index < options.tickets; index++)
      longest = Math.max(longest, messageCount(options, index));
    for (let round = longest - 1; round >= 0; round--) {
      const indexAt = permutation(options.tickets, (options.seed ?? 1) + round);
      for (let place = 0; place < options.tickets; place++) {
        const index = indexAt(place);
        if (messageCount(options, index) > round)
          await writeMessage(index, generatedMessage(options, index, round));
      }
    }
  } else {
    for (let index = 0; index < options.tickets; index++) {
      for (const message of generatedMessages(options, index)) await writeMessage(index, message);
    }
  }
  let bytes = (await tickets.end()) + (await messages.end());

  if (files[2] !== undefined) {
    const events = writer(files[2]);
    await events.write(csvRow(EVENT_COLUMNS));
    const indexAt =
      options.shuffle === true ? permutation(options.tickets, (options.seed ?? 1) + 7_919) : Number;
    for (let place = 0; place < options.tickets; place++) {
      const index = indexAt(place);
      for (const event of generatedEvents(options, index)) {
        counts.events++;
        await events.write(rowOf(EVENT_COLUMNS, { ticketId: externalId(index), ...event }));
      }
    }
    bytes += await events.end();
  }
  return { files, tickets: options.tickets, ...counts, bytes, externalId };
}

/** A column is a path of names; a list of words has semicolons, and any other is JSON. */
function rowOf(columns: readonly string[], from: object): string {
  const cells = columns.map((column) => {
    const value: unknown = column
      .split('.')
      .reduce((at: unknown, name) => (at as Row | undefined)?.[name], from);
    if (!Array.isArray(value)) return String(value ?? '');
    return value.every((one) => typeof one === 'string') ? value.join(';') : JSON.stringify(value);
  });
  return csvRow(cells);
}

function externalId(index: number): string {
  return `T-${String(index + 1).padStart(7, '0')}`;
}

/** Collects rows into blocks of 256 KB and waits while the disk is behind. */
function writer(file: string) {
  const stream = createWriteStream(file);
  const done = finished(stream);
  // end() or the pending write reports a disk that fails; it must not end the process in between.
  done.catch(() => {});
  let rows: string[] = [];
  let size = 0;
  const flush = async () => {
    const block = rows.join('');
    rows = [];
    size = 0;
    if (!stream.write(block)) await Promise.race([once(stream, 'drain'), done]);
  };
  return {
    async write(row: string): Promise<void> {
      rows.push(row);
      size += row.length;
      if (size >= 262_144) await flush();
    },
    async end(): Promise<number> {
      await flush();
      stream.end();
      await done;
      return stream.bytesWritten;
    },
  };
}
