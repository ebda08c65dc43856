/** What no rule uses and a person would read is kept in a note at the end, or nowhere, and stays out of the way of everything else. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { reported, type Service, withService } from './service-run.ts';

const run = ['run', '.', '--rate', '100000/1'];
const HEADER = 'id,subject,contact.email,status,createdAt,Organization,Cost Centre,api_key,"Ticket <Type>"';
const MESSAGES = 'ticketId,actorType,content,occurredAt,contact.email,Via';

function writeExport(folder: { join(name: string): string }, more: readonly string[] = []): void {
  writeFileSync(folder.join('note.yaml'), 'unmapped: note\n');
  writeFileSync(
    folder.join('tickets.csv'),
    `${HEADER}\n1,Broken,ann@example.com,open,2024-03-01T08:00:00Z,"Acme & Sons, Ltd",4711,sk_live_abc,Problem\n2,Plain,ann@example.com,closed,2024-03-01T09:00:00Z,,,,\n`,
  );
  const lines = [
    '1,customer,Hello,2024-03-01T08:00:00Z,ann@example.com,web',
    '2,customer,Hi,2024-03-01T09:00:00Z,ann@example.com,',
    ...more,
  ];
  writeFileSync(folder.join('messages.csv'), `${MESSAGES}\n${lines.join('\n')}\n`);
}

async function read(service: Service, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${service.url}/api/core/v1${path}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  return (await answer.json()) as Record<string, unknown>;
}

async function ticketOf(service: Service, subject: string) {
  const { tickets } = await read(service, `/tickets?search=${subject}`);
  const [found] = tickets as Record<string, unknown>[];
  const { messages } = await read(service, `/tickets/${found?.['id']}/messages`);
  return {
    id: String(found?.['id']),
    tags: found?.['tags'] as string[],
    messages: messages as Record<string, unknown>[],
  };
}

describe('columns that no rule uses', () => {
  it('are left out unless the settings say otherwise', async () => {
    using folder = temporaryFolder();
    await withService({}, async (service) => {
      writeExport(folder);
      expect(await reported(run, folder.path, service.env)).toMatchObject({ notes: 0, exitCode: 0 });
      expect((await ticketOf(service, 'Broken')).messages).toHaveLength(1);
    });
  });

  it('are kept in one internal note at the end of the thread, as a table with their own names, and no secret with them', async () => {
    using folder = temporaryFolder();
    await withService({}, async (service) => {
      writeExport(folder);
      const summary = await reported([...run, '-c', 'note.yaml'], folder.path, service.env);
      expect(summary).toMatchObject({
        messages: { read: 2, sent: 2 },
        notes: 1,
      });
      const { messages } = await ticketOf(service, 'Broken');
      expect(messages.map(({ actorType, isInternal }) => [actorType, isInternal])).toEqual([
        ['customer', false],
        ['system', true],
      ]);
      const note = messages.at(-1);
      expect(note?.['content']).toContain('<td>Organization</td><td>Acme &amp; Sons, Ltd</td>');
      expect(note?.['content']).toContain('<td>Ticket &lt;Type&gt;</td><td>Problem</td>');
      expect(note?.['content']).toContain('<td>Via</td><td>web</td>');
      expect(note?.['content']).not.toContain('sk_live_abc');
      expect(String(note?.['occurredAt']) > '2024-03-01T08:00:00').toBe(true);
      expect((await ticketOf(service, 'Plain')).messages).toHaveLength(1);
    });
  });

  it('change no ticket for a later run, stay through a delta, and are no difference to verify', async () => {
    using folder = temporaryFolder();
    await withService({ strict: false }, async (service) => {
      writeExport(folder);
      await reported(run, folder.path, service.env);
      expect(
        (await reported([...run, '-c', 'note.yaml'], folder.path, service.env)).problems.map(
          ({ code }) => code,
        ),
      ).not.toContain('changed-since-import');
    });
    await withService({ strict: false }, async (service) => {
      const args = [...run, '-c', 'note.yaml', '--checkpoint', 'second.sqlite'];
      await reported(args, folder.path, service.env);
      const before = await ticketOf(service, 'Broken');
      writeExport(folder, ['1,customer,Still broken,2024-03-05T08:00:00Z,ann@example.com,mail']);
      const delta = await reported([...args, '--delta'], folder.path, service.env);
      expect(delta.problems.map(({ code }) => code)).not.toContain('messages-kept');
      const { messages } = await ticketOf(service, 'Broken');
      const note = before.messages.at(-1);
      expect(messages.map(({ content }) => content).toSorted()).toEqual(
        ['Hello', 'Still broken', String(note?.['content'])].toSorted(),
      );
      expect(messages.find(({ content }) => content === note?.['content'])?.['id']).toBe(note?.['id']);
      const verified = await reported(
        ['verify', '.', '--checkpoint', 'second.sqlite'],
        folder.path,
        service.env,
      );
      expect(verified.exitCode).toBe(0);
    });
  });
});
