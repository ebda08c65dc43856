/** What a person reads of an import that was stopped: what happened, and what became of its work. */
import { expect, it } from 'vitest';
import { listenForStop, READ_ONLY, type StopSignal } from '../../src/cli/context.ts';
import type { AppError } from '../../src/domain/errors.ts';

function listening(work?: typeof READ_ONLY) {
  const said: string[] = [];
  let send: (signal: StopSignal) => void = () => undefined;
  const stop = listenForStop(
    {
      onSignal: (listener) => {
        send = listener;
        return () => undefined;
      },
    },
    (message) => said.push(message),
    work,
  );
  return { said, send: (signal: StopSignal) => send(signal), stop };
}

it.each([
  ['SIGINT', 'Stopped; ', 130, 'Stopping: finishing requests under way. Press Ctrl-C again to stop at once.'],
  ['SIGTERM', 'Stopped by another program (SIGTERM); ', 143, 'Stopping: finishing requests under way.'],
  ['SIGHUP', 'The terminal was closed (SIGHUP); ', 143, 'Stopping: finishing requests under way.'],
] as const)('%s has its own message', (signal, message, exitCode, reported) => {
  const { said, send, stop } = listening();
  send(signal);
  expect(said).toEqual([reported]);
  expect(stop.soft.reason).toMatchObject({ exitCode });
  expect((stop.soft.reason as AppError).message).toBe(`${message}finished requests are recorded.`);
  expect(stop.hard.aborted).toBe(false);
});

it('a second Ctrl-C ends at once, and a third one changes nothing', () => {
  const { said, send, stop } = listening();
  for (let times = 0; times < 3; times++) send('SIGINT');
  expect(said.slice(1)).toEqual([
    'Stopping at once: a ticket whose create was not answered yet is now in doubt.',
  ]);
  expect((stop.hard.reason as AppError).message).toBe('Stopped; unfinished ones are in doubt.');
});

it('a Ctrl-C after a SIGTERM ends at once; a terminal that closes after it does not', () => {
  const { send, stop } = listening();
  send('SIGTERM');
  send('SIGHUP');
  expect(stop.hard.aborted).toBe(false);
  send('SIGINT');
  expect(stop.hard.aborted).toBe(true);
});

it('a command that only reads says that nothing was changed, and of no ticket that it is in doubt', () => {
  const { said, send, stop } = listening(READ_ONLY);
  send('SIGINT');
  send('SIGINT');
  expect(said).toEqual(['Stopping. Press Ctrl-C again to stop at once.', 'Stopping at once.']);
  for (const { reason } of [stop.soft, stop.hard])
    expect(reason).toMatchObject({
      exitCode: 130,
      message: 'Stopped; nothing was changed.',
      hint: undefined,
    });
});
