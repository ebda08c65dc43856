/** What one run has seen of a helpdesk is known to the next: whether tags and ids of mails are kept. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/unfair-target.ts';
import { exportTickets, unfairly } from './unfair/unfair-run.ts';

const tags = (change: (tags: string[]) => string[]) => (body: Json) => ({
  ...body,
  tags: change((body['tags'] ?? []) as string[]),
});

describe('a helpdesk', () => {
  it.each<[what: string, change: (all: string[]) => string[]]>([
    ['drops tags', () => []],
    ['cuts tags', (all) => all.map((tag) => tag.slice(0, 9))],
  ])('that %s stops each run after the first ticket', async (_, change) => {
    const run = await unfairly({ keep: tags(change), total: false });
    run.write(exportTickets(4));
    for (const ended of [await run.run(), await run.run()]) {
      expect(ended.code, ended.stderr).toBe(2);
      expect(ended.stderr + ended.stdout).toContain('Allow tags in the helpdesk');
      expect(run.held()).toHaveLength(1);
    }
  });

  it('[tagsback] that keeps tags again after it dropped them finishes the import, each ticket once', async () => {
    const run = await unfairly({ keep: tags(() => []) });
    expect((await run.sends(exportTickets(4))).code).toBe(2);
    run.target.ways.keep = undefined;
    const ended = await run.run();
    expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: { done: 4 } });
    expect(run.held()).toHaveLength(4);
    for (const { kept } of run.target.workspace.tickets.values())
      expect(kept['tags']).toEqual(expect.arrayContaining([expect.stringMatching(/^from-/)]));
  });

  it.each<[which: string, change: (all: string[]) => string[], ends: object]>([
    ['first', (all) => all.slice(0, 20), { code: 0, tickets: { done: 8 } }],
    ['last', (all) => all.slice(-20), { code: 3, tickets: { done: 7, failed: 1 } }],
  ])('[manytags] that keeps the %s 20 tags takes all tickets with fewer', async (_, change, ends) => {
    const run = await unfairly({ keep: tags(change) });
    const many = Array.from({ length: 40 }, (_each, nth) => `tag-${nth}`);
    expect(
      await run.sends(
        exportTickets(8).map((ticket, nth) => (nth === 6 ? { ...ticket, tags: many } : ticket)),
      ),
    ).toMatchObject(ends);
    expect(await run.run()).toMatchObject(ends);
    expect(run.held()).toHaveLength(8);
  });

  it('that folds the case of tags and sorts them takes runs and deltas on, each ticket once', async () => {
    const keep = tags((all) => all.map((tag) => tag.toUpperCase()).sort());
    const run = await unfairly({ keep, total: false });
    await run.imports(exportTickets(4));
    run.write(exportTickets(6));
    for (const flags of [[], ['--delta']])
      expect(await run.run(flags)).toMatchObject({ code: 0, tickets: { done: 6 } });
    expect(run.held()).toHaveLength(6);
  });

  it('that drops tags and answers a create with an ID alone is found out by one look at the first ticket', async () => {
    const create = (nth: number) =>
      ({ reported: { status: 201, body: { id: `tkt-${nth}` } }, effect: 'now' }) as const;
    const { target, sends } = await unfairly({ keep: tags(() => []), create });
    expect((await sends(exportTickets(4))).code).toBe(2);
    expect(target.workspace.tickets.size).toBe(1);
    const looks = target.seen.filter(
      ({ method, path }) => method === 'GET' && /^\/tickets\/tkt-\d+$/.test(path),
    );
    expect(looks).toHaveLength(1);
  });

  it('that can be read gets the IDs of mails, and the next process need not ask', async () => {
    const { target, imports } = await unfairly();
    await imports(exportTickets(3));
    target.seen.length = 0;
    await imports(exportTickets(4));
    const threads = target.seen.filter(({ path }) => path.endsWith('messages'));
    expect(threads.map(({ method, body }) => [method, (body as Json[])[0]?.['messageId']])).toEqual([
      ['PUT', expect.any(String)],
    ]);
  });
});
