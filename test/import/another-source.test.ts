/** The external id alone says little: every helpdesk has a ticket 1. */
import { describe, expect, it } from 'vitest';
import { type EngineOptions, importDesk } from '../support/engine.ts';

const COUNT = 12;

function exportOf(requester: (n: number) => string, at = 0, count = COUNT): string {
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      id: n + 1,
      subject: `Question ${n}`,
      contact: { email: requester(n) },
      createdAt: new Date(Date.UTC(2024, 0, 1, 8, n) + at).toISOString(),
      messages: [],
    }),
  );
  return `${lines.join('\n')}\n`;
}
const ofA = (n: number) => `c${n}@brand-a.example`;
const ofB = (n: number) => `c${n}@brand-b.example`;

describe('a checkpoint and an export with the same ids', () => {
  it.each<[string, string, Partial<EngineOptions>, number]>([
    ['a second brand', exportOf(ofB, 86_400_000, 40), {}, 2],
    ['a second brand with the same times', exportOf(ofB), {}, 2],
    ['one ticket of a second brand', exportOf(ofB, 1000), { only: ['3'] }, 2],
    ['a dry run of a second brand', exportOf(ofB, 1000), { mode: 'dry-run' }, 2],
    ['the same export with three addresses corrected', exportOf((n) => (n < 3 ? ofB(n) : ofA(n))), {}, 0],
    ['one corrected ticket', exportOf((n) => (n === 2 ? ofB(n) : ofA(n))), { only: ['3'] }, 0],
    ['the same export, grown', exportOf(ofA, 0, 100), {}, 0],
  ])('%s: exit %4$s', async (_name, second, options, exitCode) => {
    const { run, write, subjects } = await importDesk({ 'tickets.jsonl': exportOf(ofA) });
    expect((await run()).facts).toMatchObject({ exitCode: 0, tickets: { done: COUNT } });
    write('tickets.jsonl', second);
    if (exitCode === 0) {
      expect((await run(options)).facts.exitCode).toBe(0);
      return;
    }
    await expect(run(options)).rejects.toMatchObject({
      code: 'checkpoint',
      message: expect.stringContaining('another source'),
      hint: expect.stringMatching(
        /its own checkpoint with --checkpoint and its own name with --set source\.name/,
      ),
    });
    expect(subjects()).toHaveLength(COUNT);
  });
});
