/**
 * Stages an export of the given number of tickets with three messages each, in an order that shares no place with the
 * tickets, and prints the peak of its memory in KiB. Run as a process of its own.
 */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createContactNames } from '../../../src/source/join/contact-names.ts';
import { joinExport } from '../../../src/source/join/join-export.ts';
import { openExport } from '../../../src/source/open-export.ts';

const tickets = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'peak-'));
const { signal } = new AbortController();

function* rows(header: string, count: number, row: (index: number) => string): Generator<string> {
  yield header;
  for (let index = 0; index < count; ) {
    let text = '';
    for (; index < count && text.length < 65_536; index++) text += row(index);
    yield text;
  }
}

async function write(name: string, content: Iterable<string>): Promise<string> {
  const path = join(folder, name);
  await pipeline(Readable.from(content), createWriteStream(path));
  return path;
}

try {
  const body = 'I would like to know when my order arrives. '.repeat(2);
  const files = await openExport(
    [
      await write(
        'tickets.csv',
        rows('id,subject,email\n', tickets, (i) => `T${i},Subject ${i},u${i}@example.com\n`),
      ),
      await write(
        'messages.csv',
        rows('ticketId,content\n', tickets * 3, (i) => `T${(i * 7919) % tickets},"${body}"\n`),
      ),
    ],
    { signal },
  );
  const joined = await joinExport(
    files,
    {
      tables: [
        { name: 'tickets', role: 'root', key: ['id'], inputs: [{ file: 0 }], lookups: [['email']] },
        { name: 'messages', role: 'child', key: ['ticketId'], inputs: [{ file: 1 }] },
      ],
    },
    { signal },
  );
  const names = createContactNames();
  let found = 0;
  for await (const items of joined.tickets(signal)) {
    for (const item of items) {
      if (item.kind !== 'ticket' || item.children.get('messages')?.length !== 3)
        throw new Error('wrong join');
      names.offer(item.row.cells?.[2] ?? '', item.row.cells?.[1], 1);
      joined.lookup('tickets', ['email'], [item.row.cells?.[2] ?? '']);
      found++;
    }
  }
  if (found !== tickets || names.distinct() !== tickets) throw new Error(`${found} tickets`);
  process.stdout.write(`${process.resourceUsage().maxRSS}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
