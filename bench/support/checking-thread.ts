/** The reader's thread: posts checked tickets, at most a few chunks ahead of whoever takes them. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { checkedChunks } from './checked-chunks.ts';

const AHEAD = 4;
if (parentPort !== null) {
  const port = parentPort;
  // Loading the code is not what is measured.
  const begun = threadMs();
  let under = 0;
  port.on('message', () => under--);
  for await (const chunk of checkedChunks(workerData as readonly string[])) {
    while (under >= AHEAD) await once(port, 'message');
    under++;
    port.postMessage(chunk);
  }
  port.postMessage({ cpuMs: threadMs() - begun });
  port.close();
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
