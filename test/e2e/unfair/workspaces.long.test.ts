/** Another workspace behind the same address: a token of another account, a backup that was restored, data that were reset. */
import { describe, expect, it } from 'vitest';
import { emptyWorkspace, type UnfairTarget, type Workspace } from '../../support/unfair-target.ts';
import { type ExportTicket, exportTickets, type UnfairRun, unfairly } from './unfair-run.ts';

const written = ({ seen }: UnfairTarget) => seen.filter(({ method }) => method !== 'GET').length;

/** As many tickets of other customers under the same ids. */
function fillWithStrangers(workspace: Workspace, count: number): void {
  for (let n = 1; n <= count; n += 1) {
    const sent = { subject: `Another desk's ${n}`, createdAt: '2020-01-01T00:00:00Z', tags: ['their-own'] };
    const messages = [{ id: `theirs-${n}`, actorType: 'system', content: `Their message ${n}` }];
    workspace.tickets.set(`tkt-${n}`, { id: `tkt-${n}`, sent, kept: sent, messages, events: [], madeAt: 0 });
    workspace.next += 1;
  }
}

/** Five tickets are imported; then the export has three more, and one with a new message. */
async function afterAnImport(
  ways: { organization: boolean },
  work: (run: UnfairRun, tickets: readonly ExportTicket[]) => Promise<void>,
): Promise<void> {
  await unfairly(ways, async (run) => {
    run.write(exportTickets(5));
    expect(await run.run()).toMatchObject({ code: 0, tickets: { done: 5 } });
    const [first, ...others] = exportTickets(8);
    if (first === undefined) return;
    const late = { actorType: 'system', content: 'One more', occurredAt: '2024-03-09T00:00:00Z' };
    const tickets = [{ ...first, messages: [...first.messages, late] }, ...others];
    run.write(tickets);
    await work(run, tickets);
  });
}

describe.for([true, false])('a target that tells who it is: %s', (organization) => {
  it.each([[[]], [['--delta']]])(
    'another account’s token is refused before anything is written (%j)',
    async (args) => {
      await afterAnImport({ organization }, async (run) => {
        fillWithStrangers(run.target.addWorkspace('token-of-production'), 5);
        const before = written(run.target);
        const ended = await run.run(args, { HELPDESK_TOKEN: 'token-of-production' });
        expect(ended.code, ended.stderr).toBe(2);
        expect(written(run.target)).toBe(before);
      });
    },
  );

  it('an emptied workspace is refused before anything is written', async () => {
    await afterAnImport({ organization }, async (run) => {
      run.target.replaceWorkspace({ ...emptyWorkspace('org-1') });
      const before = written(run.target);
      const ended = await run.run(['--delta']);
      expect(ended.code, ended.stderr).toBe(2);
      expect(written(run.target)).toBe(before);
    });
  });

  it('a restored one too: tickets that it has lost are not taken for those that people deleted', async () => {
    await unfairly({ organization }, async (run) => {
      run.write(exportTickets(3));
      await run.run();
      const backup = run.target.backup();
      run.write(exportTickets(8));
      expect((await run.run()).code).toBe(0);
      run.target.replaceWorkspace(backup);
      run.write(exportTickets(9));
      const before = written(run.target);
      const ended = await run.run();
      expect(ended.code, ended.stderr).toBe(2);
      expect(written(run.target)).toBe(before);
    });
  });

  it('tickets that people deleted are left, and the others go on', async () => {
    await afterAnImport({ organization }, async (run, tickets) => {
      run.target.workspace.tickets.delete('tkt-2');
      run.target.workspace.tickets.delete('tkt-3');
      const ended = await run.run(['--delta']);
      const held = run.target.bySubject();
      for (const [at, { subject, messages }] of tickets.entries()) {
        const gone = at === 1 || at === 2;
        const contents = (held.get(subject) ?? []).map((one) => one.messages.map(({ content }) => content));
        expect(contents, ended.stderr).toEqual(gone ? [] : [messages.map(({ content }) => content)]);
      }
    });
  });
});
