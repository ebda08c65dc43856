/** Rows that belong to no ticket and unreadable lines are in the rejects. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { runImport } from '../../src/index.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';

async function rejectsOf(files: Record<string, string>) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const service = await running();
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.join(name), text);
  const { summary } = await runImport({
    files: Object.keys(files).map((name) => folder.join(name)),
    checkpoint: folder.join('checkpoint.sqlite'),
    rejects: folder.join('rejects'),
    settings: { run: { rate: ['100000/1'] } },
    target: { baseUrl: service.url, credentials: { token: service.token } },
  });
  const rejects = folder.join('rejects');
  const texts = existsSync(rejects)
    ? readdirSync(rejects, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('.') && !name.startsWith('.'))
        .map((name) => readFileSync(folder.join('rejects', name), 'utf8'))
    : [];
  return { summary, text: texts.join('\n') };
}

const TICKETS =
  'id,subject,status,contact.email,createdAt\n1,One,open,c1@example.com,2024-05-01T10:00:00Z\n2,Two,open,c2@example.com,2024-05-01T10:00:00Z\n';
const HEAD = 'ticketId,actorType,content,occurredAt,contact.email\n';
const message = (ticket: number, text: string) =>
  `${ticket},customer,${text},2024-05-01T10:00:00Z,c@example.com\n`;

it('a message whose ticket is not in the export', async () => {
  const { summary, text } = await rejectsOf({
    'tickets.csv': TICKETS,
    'messages.csv': HEAD + message(1, 'Hello') + message(9, 'Nobody has me'),
  });
  expect(summary.tickets.done).toBe(2);
  expect(text).toContain('Nobody has me');
  expect(text).not.toContain('Hello');
});

it('a line that is no JSON', async () => {
  const ticket = (id: number) =>
    `${JSON.stringify({ id, subject: `T${id}`, contact: { email: 'c@example.com' }, createdAt: '2024-05-01T10:00:00Z', messages: [] })}\n`;
  const { summary, text } = await rejectsOf({
    'export.jsonl': `${ticket(1)}{"id": 2, "subject": "cut off in the\n${ticket(3)}`,
  });
  expect(summary).toMatchObject({ exitCode: 3, tickets: { done: 2, rejected: 1 } });
  expect(text).toContain('cut off in the');
});
