/** What one run has seen of a target is known to the next: whether tags and ids of mails are kept, and which tickets came last. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { type Json, startUnfairTarget, type UnfairWays } from '../support/unfair-target.ts';
import { exportTickets } from './unfair/unfair-run.ts';

async function scene(ways: UnfairWays) {
  const folder = temporaryFolder();
  const target = await startUnfairTarget(ways);
  return {
    target,
    settings: (text: string) => writeFileSync(folder.join('settings.yaml'), text),
    async run(count: number, ...flags: string[]) {
      const lines = exportTickets(count).map((ticket) => `${JSON.stringify(ticket)}\n`);
      writeFileSync(folder.join('export.jsonl'), lines.join(''));
      const args = ['run', 'export.jsonl', '--rate', '10000/1', '--json', ...flags];
      const { code, stdout, stderr } = await commandLine(args, { cwd: folder.path, env: target.env });
      const reported = JSON.parse(stdout) as {
        tickets: Record<string, number>;
        problems?: { code: string; message: string }[];
        error?: Json;
      };
      return { code, stderr, reported, problems: reported.problems ?? [] };
    },
    async [Symbol.asyncDispose]() {
      await target.close();
      folder[Symbol.dispose]();
    },
  };
}

const tags = (change: (tags: string[]) => string[]) => (body: Json) => ({
  ...body,
  tags: change((body['tags'] ?? []) as string[]),
});

describe('a target', () => {
  it.each<[what: string, change: (all: string[]) => string[]]>([
    ['drops tags', () => []],
    ['cuts tags', (all) => all.map((tag) => tag.slice(0, 9))],
  ])(
    'that %s stops the first run after one ticket, and identityTag: off goes on with it',
    async (_, change) => {
      await using desk = await scene({ keep: tags(change), total: false });
      for (const run of [await desk.run(4), await desk.run(4)]) {
        expect(run.code, run.stderr).toBe(2);
        expect(run.stderr + JSON.stringify(run.reported)).toContain('target.identityTag: off');
        expect(desk.target.workspace.tickets.size).toBe(1);
      }
      desk.settings('target: { identityTag: off }\n');
      const goesOn = await desk.run(6, '-c', 'settings.yaml');
      expect(goesOn.code, goesOn.stderr).toBe(0);
      expect(goesOn.reported.tickets).toMatchObject({ done: 6 });
      expect(desk.target.workspace.tickets.size).toBe(6);
    },
  );

  it('that folds the case of tags and sorts them takes runs and deltas on, each ticket once', async () => {
    const keep = tags((all) => all.map((tag) => tag.toUpperCase()).sort());
    await using desk = await scene({ keep, total: false });
    expect((await desk.run(4)).code).toBe(0);
    for (const [count, ...flags] of [[6], [6, '--delta']] as const) {
      const again = await desk.run(count, ...flags);
      expect(again.code, again.stderr).toBe(0);
      expect(again.reported.tickets).toMatchObject({ done: 6 });
    }
    expect(desk.target.workspace.tickets.size).toBe(6);
  });

  it('that drops tags and answers a create with an id alone is found out by one look at the first ticket', async () => {
    await using desk = await scene({
      keep: tags(() => []),
      create: (nth) => ({ reported: { status: 201, body: { id: `tkt-${nth}` } }, effect: 'now' }),
    });
    expect((await desk.run(4)).code).toBe(2);
    expect(desk.target.workspace.tickets.size).toBe(1);
    const singly = desk.target.seen.filter(
      ({ method, path }) => method === 'GET' && /^\/tickets\/tkt-\d+$/.test(path),
    );
    expect(singly).toHaveLength(1);
  });

  it('that can be read gets the ids of mails, and the next process need not ask', async () => {
    await using desk = await scene({});
    await desk.run(3);
    desk.target.seen.length = 0;
    expect((await desk.run(4)).code).toBe(0);
    const sent = desk.target.seen.filter(({ method, path }) => method === 'PUT' && path.endsWith('messages'));
    expect(sent.map(({ body }) => (body as Json[])[0]?.['messageId'])).toEqual([expect.any(String)]);
    expect(desk.target.seen.some(({ method, path }) => method === 'GET' && path.endsWith('messages'))).toBe(
      false,
    );
  });

  it('that was restored from a backup without the last tickets: they are named, by creation, whatever a delta touched since', async () => {
    await using desk = await scene({ total: false });
    expect((await desk.run(8)).code).toBe(0);
    const backup = desk.target.backup();
    expect((await desk.run(10)).code).toBe(0);
    desk.target.replaceWorkspace(backup);
    const again = await desk.run(10);
    expect(again.problems).toMatchObject([{ code: 'missing-in-target' }]);
    expect(again.problems[0]?.message).toMatch(
      /1009 \(tkt-9\).*1010 \(tkt-10\)|1010 \(tkt-10\).*1009 \(tkt-9\)/,
    );
    expect(desk.target.workspace.tickets.size).toBe(8);
  });
});
