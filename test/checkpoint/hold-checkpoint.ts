/** A process that opens the checkpoint named by its argument, says so, writes, and stays until it is killed; a line on its input makes it go on. */
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { created, intend } from '../support/ledger-steps.ts';

const path = process.argv[2] ?? '';
const target = process.argv[3] ?? '';
const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => Promise.reject() };

try {
  const checkpoint = openCheckpoint(path, { target, clock, programVersion: 'child' });
  await intend(checkpoint, 'from-child');
  checkpoint.aboutToSend();
  await checkpoint.flush();
  process.stdout.write('open\n');
  setInterval(() => undefined, 1_000);
  process.stdin.once('data', async () => {
    const tried = [
      await created(checkpoint, 'from-child', 'T1').catch((error: Error) => error.message),
      await Promise.resolve()
        .then(() => checkpoint.aboutToSend())
        .catch((error: Error) => error.message),
    ];
    await checkpoint.close().catch((error: Error) => tried.push(error.message));
    process.stdout.write(`${JSON.stringify(tried)}\n`);
    process.exit();
  });
} catch (error) {
  process.stdout.write(`refused: ${error instanceof Error ? error.message : String(error)}\n`);
}
