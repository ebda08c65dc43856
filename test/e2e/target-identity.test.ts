/** The helpdesk is the one of the checkpoint, whole, and the checkpoint is the one of its import: otherwise nothing is written. */
import { copyFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emptyWorkspace, type HeldTicket, type Workspace } from '../support/unfair-target.ts';
import { expectHonest, exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const oneLine = ({ stderr }: { stderr: string }) => stderr.replace(/\s+/g, ' ');

/** Imports some tickets, makes a backup, imports the others, and puts the backup back. */
async function restore(run: UnfairRun, kept: number, all: number): Promise<void> {
  await run.imports(exportTickets(kept));
  const backup = run.target.backup();
  await run.imports(exportTickets(all));
  run.target.replaceWorkspace(backup);
}

function withStrangers(workspace: Workspace, ids: readonly string[]): Workspace {
  const kept = { subject: 'Somebody else', createdAt: '2020-01-01T00:00:00Z' };
  const stranger = (id: string): HeldTicket => ({
    ...{ id, sent: kept, kept, messages: [], events: [], madeAt: 0 },
  });
  return { ...workspace, tickets: new Map(ids.map((id) => [id, stranger(id)])) };
}

const IDS = Array.from({ length: 6 }, (_, at) => `tkt-${at + 1}`);

describe('another workspace behind the same address is refused before anything is written', () => {
  it.each<[what: string, other: (ours: Workspace) => Workspace, says: RegExp]>([
    ['an empty one', () => emptyWorkspace('org-1'), /another workspace/],
    [
      'one with tickets under other ids',
      () => withStrangers(emptyWorkspace('org-1'), ['x', 'y', 'z']),
      /another workspace/,
    ],
    [
      'one with other tickets under our ids',
      (ours) => withStrangers(ours, IDS),
      /is not the helpdesk of checkpoint .*token.*--checkpoint/,
    ],
    [
      'a copy under another organization',
      (ours) => ({ ...ours, organization: { id: 'org-2', name: 'Somebody else' } }),
      /opens organization .* belongs to/,
    ],
  ])('%s', async (_, other, says) => {
    const run = await unfairly();
    await run.imports(exportTickets(6));
    run.target.replaceWorkspace(other(run.target.backup()));
    const before = run.writes().length;
    run.write(exportTickets(7));
    for (const flags of [[], ['--delta']]) {
      const refused = await run.run(flags);
      expect(refused.code, refused.stderr).toBe(2);
      expect(oneLine(refused)).toMatch(says);
    }
    expect(run.writes()).toHaveLength(before);
  });
});

describe('a helpdesk that was restored from a backup', () => {
  const advised = (refused: { stderr: string }) =>
    /"helpdesk-import ([^"]+)"/.exec(oneLine(refused))?.[1] ?? '';

  it.each([
    [3, 12],
    [1, 6],
  ])('with %i of %i tickets is refused by every command before anything is written', async (kept, all) => {
    const run = await unfairly();
    await restore(run, kept, all);
    const before = run.writes().length;
    // One more, so that there is something to send.
    run.write(exportTickets(all + 1));
    for (const flags of [[], ['--delta'], ['--trial'], ['--limit', '1']]) {
      const refused = await run.run(flags);
      expect(refused.code, `${flags}: ${refused.stderr}`).toBe(2);
      expect(oneLine(refused)).toMatch(/has older tickets of checkpoint .* and none of the newest/);
      expect(advised(refused)).toMatch(/^checkpoint rebuild .*--checkpoint <new file>$/);
    }
    expect([run.writes().length, run.held().length]).toEqual([before, kept]);
  });

  it('gets its tickets back by the advice: rebuild the checkpoint, then run', async () => {
    const run = await unfairly();
    await restore(run, 3, 12);
    const tickets = exportTickets(13);
    run.write(tickets);
    const made = run.join('new.sqlite');
    const command = advised(await run.run()).replace('<new file>', made);
    const rebuilt = await run.run(command.split(' '));
    expect(rebuilt.code, rebuilt.stderr).toBe(0);
    const before = run.writes().length;
    const again = await run.run(['--checkpoint', made]);
    expect(again, again.stderr).toMatchObject({ code: 0, tickets: { read: 13, done: 13 } });
    expectHonest(run.target, tickets, again);
    // Ten creates with their messages; nothing to those that were there.
    expect([run.writes().length - before, run.held().length]).toEqual([20, 13]);
  });

  it('without its last tickets names them, by creation, in spite of later deltas', async () => {
    const run = await unfairly({ total: false });
    await restore(run, 8, 10);
    const again = await run.run();
    expect(again.problems).toMatchObject([{ code: 'missing-in-target' }]);
    for (const lost of ['1009 (tkt-9)', '1010 (tkt-10)']) expect(again.problems[0]?.message).toContain(lost);
    expect(run.held()).toHaveLength(8);
  });
});

describe('a checkpoint that does not know all', () => {
  it('a new one creates nothing in a helpdesk with tickets of its source, and says what to do', async () => {
    const run = await unfairly();
    await run.imports(exportTickets(2));
    const refused = await run.run(['--checkpoint', run.join('new.sqlite')]);
    expect(refused.code).toBe(2);
    expect(oneLine(refused)).toMatch(/checkpoint rebuild.*--set source\.name/);
    expect(run.held()).toHaveLength(2);
  });

  it('a new one without the name of the source is refused; a name that is given is meant', async () => {
    const run = await unfairly();
    const named = (name: string) => ['--set', `source.name=${name}`, '--checkpoint', run.join(name)];
    await run.imports(exportTickets(3), ...named('brand'));
    const refused = await run.run();
    expect(refused.code).toBe(2);
    expect(oneLine(refused)).toMatch(/has ticket 1001 of this export.*source name "brand"/);
    await run.imports(exportTickets(4), ...named('brand'));
    expect(run.held()).toHaveLength(4);
    await run.imports(exportTickets(4), ...named('again'));
    expect(run.held()).toHaveLength(8);
  });

  it('an old copy creates no ticket twice, although as many were deleted as it does not know', async () => {
    const run = await unfairly();
    const file = run.join('c.sqlite');
    // Tickets 2 to 4 are none of those that a run asks for: the first, the middle one and the newest.
    await run.imports(exportTickets(5));
    await run.imports(exportTickets(8));
    copyFileSync(file, `${file}.older`);
    await run.imports(exportTickets(11));
    for (const end of ['-wal', '-shm', '.lock']) rmSync(`${file}${end}`, { force: true });
    copyFileSync(`${file}.older`, file);
    for (const [subject, [held]] of run.target.bySubject())
      if (/no\. [234]$/.test(subject)) run.target.workspace.tickets.delete(held?.id ?? '');
    const ended = await run.sends(exportTickets(12));
    expect(ended.stderr).toMatch(/tickets of the source "\S+" that the checkpoint does not know/);
    for (const held of run.target.bySubject().values()) expect(held).toHaveLength(1);
    expect(run.held()).toHaveLength(9);
  });
});
