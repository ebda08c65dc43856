/** The thread of the watch (own-code-watch.ts): interrupts the main thread when one turn takes too much processor time. */
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';

const { turns, seconds } = workerData as { turns: Int32Array; seconds: number };
const LOOK_EVERY_MS = 250;
/** Where nothing is computed, as in a module that waits without an end. */
const WALL_TIMES = 6;

let seen = 0;
let since = performance.now();
let used = process.cpuUsage();

const timer = setInterval(() => {
  const turn = Atomics.load(turns, 0);
  if (turn !== seen || turn % 2 === 0) {
    seen = turn;
    since = performance.now();
    used = process.cpuUsage();
    return;
  }
  const { user, system } = process.cpuUsage(used);
  const spent = (user + system) / 1_000_000;
  const passed = (performance.now() - since) / 1000;
  if ((spent < seconds || passed < seconds) && passed < seconds * WALL_TIMES) return;
  clearInterval(timer);
  interruptMain();
}, LOOK_EVERY_MS);

function interruptMain(): void {
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.terminateExecution');
  // It answers when it has ended what it did, and not always.
  setTimeout(() => {
    session.disconnect();
    parentPort?.postMessage('interrupted');
  }, LOOK_EVERY_MS);
}
