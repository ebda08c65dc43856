/** What holds at the end of every run: a 0 leaves nothing pending, what was sent is what was checked, and no cell is dropped without a word. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/system-clock.ts';
import { openScene, type Scene } from '../cli/scene.ts';
import { type CliResult, cli } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { tickets } from '../support/tickets.ts';

const COUNT = 12;

const inTarget = ({ sandbox }: Scene) =>
  sandbox.store.database.prepare('SELECT count(*), count(DISTINCT subject) FROM tickets').raw().get();

function runWith(scene: Scene, transform: string, run = commandLine): Promise<CliResult> {
  const { folder, env } = scene;
  writeFileSync(folder.join('export.jsonl'), tickets(COUNT));
  writeFileSync(folder.join('change.mjs'), `let calls = 0;\nexport const transform = ${transform};\n`);
  writeFileSync(
    folder.join('settings.yaml'),
    'source:\n  files: [export.jsonl]\nmapping:\n  extends: native\n  transform: ./change.mjs\n',
  );
  return run(['run', '-c', 'settings.yaml'], { cwd: folder.path, env });
}

it('a transform that ends the process is no success', async () => {
  await using scene = await openScene({ clock: systemClock });
  const { code, stderr } = await runWith(
    scene,
    '(ticket) => { if (++calls > 5) process.exit(0); return ticket; }',
    cli,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(/process\.exit\(\).*transform/);
  writeFileSync(scene.folder.join('change.mjs'), 'export const transform = (ticket) => ticket;\n');
  const again = await cli(['run', '-c', 'settings.yaml'], { cwd: scene.folder.path, env: scene.env });
  expect(again.code).toBe(0);
  expect(inTarget(scene)).toEqual([COUNT, COUNT]);
});

it('a transform is called once for each ticket, so the checked ticket is sent', async () => {
  await using scene = await openScene();
  const { code } = await runWith(scene, `(ticket) => (++calls > ${COUNT} ? 'left out' : ticket)`);
  expect(code).toBe(0);
  expect(inTarget(scene)).toEqual([COUNT, COUNT]);
});

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
