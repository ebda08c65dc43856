/** People work in the target between one delta and the next: what they wrote, edited, redacted and deleted is kept. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { type RunSummary, reported, type Service, withService } from './service-run.ts';

type Message = Record<string, unknown>;

const run = ['run', 'export.jsonl', '--rate', '100000/1'];
const at = (day: number) => `2024-03-${String(day).padStart(2, '0')}T09:00:00Z`;
const contact = { email: 'ann@example.com' };
const from = (content: string, day: number) => ({
  actorType: 'customer',
  contact,
  content,
  occurredAt: at(day),
});
const FIRST = ['My card is 4111 1111', 'It is broken', 'Please delete this', 'Thanks'];
const ticket = (messages: readonly unknown[]) => ({
  id: 'A',
  subject: 'Ticket A',
  contact,
  createdAt: at(1),
  messages,
});

async function call(service: Service, method: string, path: string, body?: unknown): Promise<Message[]> {
  const answer = await fetch(`${service.url}/api/core/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBeLessThan(300);
  const value = (await answer.json()) as Record<string, Message[]>;
  return value['tickets'] ?? value['messages'] ?? [];
}

/** As a person's client does: the whole thread with its ids, changed. */
async function work(service: Service, id: string, change: (thread: Message[]) => Message[]): Promise<void> {
  const path = `/tickets/${id}/messages`;
  const thread = (await call(service, 'GET', path)).map(
    ({ id: own, actorType, content, occurredAt, contactId, agentId, messageId }) => ({
      id: own,
      actorType,
      content,
      occurredAt,
      ...(contactId === null ? {} : { contactId }),
      ...(agentId === null ? {} : { agentId }),
      ...(messageId === null ? {} : { messageId }),
    }),
  );
  await call(service, 'PUT', path, change(thread));
}

const codes = ({ problems }: RunSummary) => problems.map(({ code }) => code).sort();

describe('people who work in the target between deltas', () => {
  it.each(['on', 'off'])(
    'keep what they wrote, edited, redacted and deleted (ids of messages: %s)',
    async (ids) => {
      using folder = temporaryFolder();
      // People edit messages by their ids, which the specification does not name.
      await withService({ strict: false }, async (service) => {
        const { env } = service;
        const write = (messages: readonly unknown[]) =>
          writeFileSync(folder.join('export.jsonl'), `${JSON.stringify(ticket(messages))}\n`);
        writeFileSync(folder.join('helpdesk-import.yaml'), `target: { messageIds: ${ids} }\n`);
        const messages = FIRST.map((content, index) => from(content, index + 2));
        write(messages);
        expect((await reported(run, folder.path, env)).tickets).toMatchObject({ done: 1 });
        const [found] = await call(service, 'GET', '/tickets?search=Ticket');
        const id = String(found?.['id']);
        const thread = async () =>
          (await call(service, 'GET', `/tickets/${id}/messages`)).map(({ content }) => content);

        await work(service, id, (all) =>
          all
            .filter(({ content }) => content !== 'Please delete this')
            .map((each) => (each['content'] === FIRST[0] ? { ...each, content: '[redacted]' } : each)),
        );
        write([...messages, from('Still broken', 10)]);
        const first = await reported([...run, '--delta'], folder.path, env);
        expect(codes(first)).toEqual(['deleted-in-target', 'edited-in-target']);
        expect(await thread()).toEqual(['[redacted]', 'It is broken', 'Thanks', 'Still broken']);

        await work(service, id, (all) => [
          ...all.map((each) => (each['content'] === 'Thanks' ? { ...each, content: 'Thanks a lot' } : each)),
          { actorType: 'agent', agentId: 'agt_9', content: 'We are on it.', occurredAt: at(11) },
        ]);
        // The export corrects one text that people left alone, and one that they edited.
        const corrected = messages.map((each) =>
          each.content === 'It is broken'
            ? { ...each, content: 'It is quite broken' }
            : each.content === 'Thanks'
              ? { ...each, content: 'Thanks!' }
              : each,
        );
        write([...corrected, from('Still broken', 10), from('Any news?', 12)]);
        const second = await reported([...run, '--delta'], folder.path, env);
        expect(codes(second)).toEqual(['deleted-in-target', 'edited-in-target', 'messages-kept']);
        const expected = [
          '[redacted]',
          'It is quite broken',
          'Thanks a lot',
          'Still broken',
          'We are on it.',
          'Any news?',
        ];
        expect(await thread()).toEqual(expected);

        // The same export again has nothing to send.
        const third = await reported([...run, '--delta'], folder.path, env);
        expect(third.exitCode).toBe(0);
        expect(await thread()).toEqual(expected);
      });
    },
  );
});
