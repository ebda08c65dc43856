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
    const { contact, tags, id, subject, status, priority, createdAt, closedAt } = generatedTicket(
      options,
      index,
    );
    const row: Record<string, string | undefined> = {
      id,
      subject,
      status,
      priority,
      createdAt,
      closedAt,
      'contact.email': contact.email,
      'contact.name': contact.name,
      tags: tags.join(';'),
    };
    await tickets.write(csvRow(TICKET_COLUMNS.map((column) => row[column] ?? '')));
  }

  const messages = writer(files[1] as string);
  await messages.write(csvRow(MESSAGE_COLUMNS));
  const writeMessage = async (index: number, message: MessagePayload) => {
    counts.messages++;
    const row: Record<string, string | undefined> = {
      ticketId: externalId(index),
      actorType: message.actorType,
      'contact.email': message.contact?.email,
      agentId: message.agentId,
      content: message.content,
      contentType: message.contentType,
      occurredAt: message.occurredAt,
      isInternal: message.isInternal === undefined ? '' : String(message.isInternal),
      attachments: message.attachments === undefined ? '' : JSON.stringify(message.attachments),
    };
    await messages.write(csvRow(MESSAGE_COLUMNS.map((column) => row[column] ?? '')));
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
        const row: Record<string, string | undefined> = {
          ticketId: externalId(index),
          type: event.type,
          'oldValue.status': event.oldValue.status,
          'newValue.status': event.newValue.status,
          actorType: event.actorType,
          agentId: event.agentId,
          occurredAt: event.occurredAt,
        };
        await events.write(csvRow(EVENT_COLUMNS.map((column) => row[column] ?? '')));
      }
    }
    bytes += await events.end();
  }
  return { files, tickets: options.tickets, ...counts, bytes, externalId };
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
