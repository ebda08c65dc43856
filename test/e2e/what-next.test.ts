/** Rejects in another encoding, rejects that cannot be written, and an older export: what the end of a run says, and what its command does. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openDesk, ticket } from '../support/desk.ts';

const RUN = ['run', 'export.jsonl', '--set', 'run.rate=100000/1'];

/** As a shell takes it, for commands without quotes. */
const words = (command = '') => command.split(' ').slice(1);

describe('a folder of rejects', () => {
  const rows = Array.from(
    { length: 8 },
    (_, n) =>
      `${1041 + n},Bestellung ${n},open,${n === 3 ? 'niemand' : `ann${n}@example.org`},2024-05-0${n + 1}T08:00:00Z,Prüfung ${n} fehlt noch.\r\n`,
  );
  const text = `id,subject,status,requester_email,created_at,description\r\n${rows.join('')}`;

  it("is imported without findings about its few rows, and as UTF-8 in spite of the export's encoding", async () => {
    const desk = await openDesk();
    desk.write('export.csv', Buffer.from(text, 'latin1'));
    await desk.type('init', 'export.csv', '--yes', '--set', 'source.encoding=windows-1252');
    const settings = readFileSync(desk.folder.join('helpdesk-import.yaml'), 'utf8');
    expect(settings).toContain('windows-1252');
    const summary = await desk.run('run', '--set', 'source.encoding=windows-1252');
    expect(summary.tickets).toMatchObject({ done: 7, rejected: 1 });

    const rejects = desk.folder.join(summary.rejects ?? '');
    const file = `${rejects}/export.csv`;
    const rejected = readFileSync(file, 'utf8');
    expect(rejected.startsWith('\ufeff')).toBe(true);
    expect(rejected).toContain('Prüfung 3');

    const [step] = summary.next;
    expect(step?.command).not.toContain('source.encoding');
    writeFileSync(file, rejected.replace('niemand', 'ann3@example.org'));
    const corrected = await desk.type(...words(step?.command));
    expect(corrected.code, corrected.stderr + corrected.stdout).toBe(0);
    expect(desk.count("messages WHERE content = 'Prüfung 3 fehlt noch.'")).toBe(1);
  });
});

describe('rejects that cannot be written', () => {
  it('leave the summary, the count of imported tickets and the end of the run in the checkpoint', async () => {
    const desk = await openDesk();
    desk.write('export.jsonl', [ticket('A'), ticket('B', { contact: { email: 'nobody' } })]);
    desk.write('taken', '');
    const summary = await desk.run(...RUN, '--set', 'run.rejects=taken/rejects');
    expect(summary).toMatchObject({ exitCode: 6, tickets: { done: 1, rejected: 1 } });
    expect(desk.count('tickets')).toBe(1);
    const shown = await desk.type(...RUN, '--set', 'run.rejects=taken/rejects');
    expect(shown.stdout).toMatch(/The rejects in \S+ cannot be written/);
    const status = await desk.type('status');
    expect(status.stdout).not.toMatch(/cut off/);
  });
});

describe('an older export', () => {
  it('sets no ticket back in a delta: it is listed, and the exit code and the screen say so', async () => {
    const desk = await openDesk();
    const [first] = ticket('A').messages;
    const day = (n: number) => `2024-03-0${n}T12:00:00Z`;
    const texts = () => desk.rows('SELECT content FROM messages').map(({ content }) => content);
    const grown = (n: number) => ({
      updated_at: day(n),
      messages: [
        first,
        ...[3, 4]
          .filter((on) => on <= n)
          .map((on) => ({ ...first, content: `still broken ${on}`, occurredAt: day(on) })),
      ],
    });
    const export1 = [ticket('A', { updated_at: day(1) }), ticket('B', { updated_at: day(1) })];
    desk.write('export.jsonl', export1);
    await desk.type(...RUN);
    desk.write('export.jsonl', [ticket('A', grown(3)), ticket('B', { updated_at: day(3) })]);
    expect((await desk.run(...RUN, '--delta')).exitCode).toBe(0);
    const after = texts();
    expect(after).toContain('still broken 3');

    desk.write('export.jsonl', export1);
    const older = await desk.run(...RUN, '--delta');
    expect(older.exitCode).toBe(3);
    const listed = older.problems.filter(({ code }) => code === 'older-than-imported');
    expect(listed.map(({ ticket: id }) => id)).toEqual(['A']);
    expect(older.requests['changing']).toBe(0);
    const shown = await desk.type(...RUN, '--delta');
    expect(shown.code).toBe(3);
    expect(shown.stdout).toMatch(/This export has an older version of 1 ticket/);
    const dry = await desk.type(...RUN, '--delta', '--dry-run');
    expect(dry.code).toBe(3);
    expect(texts()).toEqual(after);

    desk.write('export.jsonl', [ticket('A', grown(4)), ticket('B', { updated_at: day(3) })]);
    const newer = await desk.run(...RUN, '--delta');
    expect(newer.exitCode, JSON.stringify(newer.problems)).toBe(0);
    expect(texts()).toContain('still broken 4');
  });
});
