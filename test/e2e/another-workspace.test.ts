/** Another workspace behind the address of a checkpoint: nothing is sent into it, and its tickets are not taken for ours. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { startUnfairTarget } from '../support/unfair-target.ts';
import { exportTickets } from './unfair/unfair-run.ts';

async function scene() {
  const folder = temporaryFolder();
  const target = await startUnfairTarget();
  const write = (count: number, late = '') =>
    writeFileSync(
      folder.join('export.jsonl'),
      exportTickets(count)
        .map((ticket) => {
          const { messages } = ticket;
          const more = { actorType: 'system', content: late, occurredAt: '2024-03-09T00:00:00Z' };
          return `${JSON.stringify(late === '' ? ticket : { ...ticket, messages: [...messages, more] })}\n`;
        })
        .join(''),
    );
  return {
    target,
    write,
    run: (...flags: string[]) =>
      commandLine(['run', 'export.jsonl', '--rate', '10000/1', ...flags], {
        cwd: folder.path,
        env: target.env,
      }),
    writes: () => target.seen.filter(({ method }) => method !== 'GET').length,
    async [Symbol.asyncDispose]() {
      await target.close();
      folder[Symbol.dispose]();
    },
  };
}

it.each([
  ['run', []],
  ['run --delta', ['--delta']],
])('%s is refused where tickets under our ids report no tags', async (_, flags) => {
  await using desk = await scene();
  desk.write(3);
  expect((await desk.run()).code).toBe(0);
  const theirs = desk.target.backup();
  theirs.tickets = new Map(
    [...theirs.tickets].map(([id, ticket]) => {
      const kept = { subject: 'Somebody else', createdAt: '2020-01-01T00:00:00Z' };
      return [id, { ...ticket, kept, messages: [], events: [] }];
    }),
  );
  desk.target.replaceWorkspace(theirs);
  const before = desk.writes();
  desk.write(3, 'One more');
  const refused = await desk.run(...flags);
  expect(refused.code, refused.stdout).toBe(2);
  expect(refused.stderr).toMatch(/is\s+not\s+the\s+one\s+that\s+the\s+checkpoint/);
  for (const way of [/token/, /--checkpoint/, /target\.identityTag/]) expect(refused.stderr).toMatch(way);
  expect(desk.writes()).toBe(before);
});

it('a copy of the workspace under another organization is refused', async () => {
  await using desk = await scene();
  desk.write(3);
  expect((await desk.run()).code).toBe(0);
  desk.target.replaceWorkspace({
    ...desk.target.backup(),
    organization: { id: 'org-2', name: 'Somebody else' },
  });
  const before = desk.writes();
  desk.write(4);
  const refused = await desk.run();
  expect(refused.code, refused.stdout).toBe(2);
  expect(refused.stderr).toMatch(/names\s+another\s+organization/);
  expect(desk.writes()).toBe(before);
});

it('tickets that are gone are a warning with their number, and "all done" is not said of them', async () => {
  await using desk = await scene();
  desk.write(6);
  expect((await desk.run()).code).toBe(0);
  for (const id of ['tkt-2', 'tkt-3']) desk.target.workspace.tickets.delete(id);
  const again = await desk.run();
  expect(again.code, again.stderr).toBe(0);
  expect(again.stdout).toMatch(/no\s+longer\s+has\s+all\s+of\s+the\s+imported\s+tickets/);
  expect(again.stdout).not.toMatch(/are in the helpdesk|nothing to send/);
  expect(again.stdout).toMatch(/4 tickets[\s\S]*6 were\s+imported|missing-in-target|does\s+not\s+have/);
});
