/** The question before an import: whatever is no yes is a no, and then nothing is sent. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { StopSignal } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/system-clock.ts';
import { answeredTickets, type Desk, LENIENT, openDesk } from '../support/desk.ts';
import { tickets } from '../support/tickets.ts';
import { contextFor } from './in-process.ts';

type Answer = (keys: PassThrough, signal: (name: StopSignal) => void) => void;

/** Types it in a terminal, and answers its question. */
async function asked({ where, env }: Desk, line: string, answer: Answer) {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
  const [stdin, stderr, stdout] = [terminal(), terminal(), new PassThrough()];
  const listeners = new Set<(signal: StopSignal) => void>();
  let shown = '';
  let isAnswered = false;
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (isAnswered || !shown.includes('[y/N]')) return;
    isAnswered = true;
    setImmediate(() =>
      answer(stdin, (signal) => {
        for (const listener of listeners) listener(signal);
      }),
    );
  });
  const { context } = contextFor('run', [], {}, { ...where, env });
  const onSignal: typeof context.onSignal = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const streams = { stdin, stdout, stderr };
  const code = await runCli(line.split(' '), { ...context, ...streams, clock: systemClock, onSignal });
  return { code, shown, stdout: String(stdout.read()) };
}

it.each<[what: string, does: Answer, code: number, count: number]>([
  ['y', (keys) => keys.write('y\n'), 0, 3],
  ['n', (keys) => keys.write('n\n'), 2, 0],
  ['nothing', (keys) => keys.write('\n'), 2, 0],
  ['Ctrl-C', (keys) => keys.write('\u0003'), 2, 0],
  ['Ctrl-D', (keys) => keys.end(), 2, 0],
  ['a terminal that is gone', (keys) => keys.destroy(new Error('EIO')), 2, 0],
  ['SIGINT', (_, signal) => signal('SIGINT'), 130, 0],
  ['SIGTERM', (_, signal) => signal('SIGTERM'), 143, 0],
  ['SIGHUP', (_, signal) => signal('SIGHUP'), 143, 0],
])(
  'The question before an import, answered by %s, decides whether anything is sent',
  async (_, does, code, count) => {
    const desk = await openDesk(LENIENT);
    const file = desk.folder.join('export.jsonl');
    desk.write('export.jsonl', tickets(3));
    const line = `run ${file} --json --checkpoint ${desk.checkpoint} --set run.rejects=${file}.rejects`;
    const { shown, stdout, ...ended } = await asked(desk, line, does);
    expect([ended.code, desk.count('tickets')]).toEqual([code, count]);
    const json = JSON.parse(stdout) as Record<string, unknown>;
    expect(json).toMatchObject({ version: 2, mode: 'run', exitCode: code });
    expect('error' in json).toBe(code !== 0);
    // After a yes the bar is drawn and redrawn.
    const drawn =
      shown.slice(shown.indexOf('[y/N]')).match(/\r[^\n]*(tickets|Sending|Reading|Importing)/g) ?? [];
    expect(drawn.length > 0).toBe(code === 0);
  },
);

it('Undo asks in spite of any variable: only the command line confirms what destroys', async () => {
  const desk = await openDesk(LENIENT);
  desk.write('export.jsonl', answeredTickets(2));
  await desk.type('run', 'export.jsonl');
  const states = () => desk.rows('SELECT body FROM tickets');
  const before = states();
  const env = { ...desk.env, NO_COLOR: '1', ASSUME_YES: 'true' };
  const line = `undo --last --checkpoint ${desk.checkpoint}`;
  const { shown, code } = await asked({ ...desk, env }, line, (keys) => keys.write('n\n'));
  expect(shown).toContain('Close and empty all 2 tickets');
  expect([code, states()]).toEqual([2, before]);
});
