/** No cell is dropped without a word. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openScene } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

it('a dry run and a run warn of text beyond the header, with line and content', async () => {
  await using scene = await openScene();
  const { folder, env } = scene;
  writeFileSync(
    folder.join('tickets.csv'),
    'id,subject,contact.email,createdAt\n1,Kettle,ana@example.com,2024-01-01T00:00:00Z\n',
  );
  writeFileSync(
    folder.join('messages.csv'),
    'ticketId,actorType,contact.email,occurredAt,content\n1,customer,ana@example.com,2024-01-01T00:00:00Z,Refund, please\n',
  );
  for (const mode of [['--dry-run'], []]) {
    const { stdout, code } = await commandLine(['run', 'tickets.csv', 'messages.csv', '--json', ...mode], {
      cwd: folder.path,
      env,
    });
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { problems: unknown[] }).problems).toContainEqual(
      expect.objectContaining({
        code: 'extra-cells',
        file: 'messages.csv',
        line: 2,
        message: expect.stringContaining('" please"'),
      }),
    );
  }
});
