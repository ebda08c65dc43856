import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TargetOptions, TargetReport } from './fast-target.ts';

export interface RunningTarget extends AsyncDisposable {
  readonly url: string;
  report(): Promise<TargetReport>;
}

/** A service in a process of its own (fast-target.ts), on a port of its own. */
export async function startTarget(options: TargetOptions): Promise<RunningTarget> {
  const child = fork(join(import.meta.dirname, 'fast-target.ts'), [JSON.stringify(options)]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    report: async () => {
      child.send('report');
      const [report] = (await once(child, 'message')) as [TargetReport];
      return report;
    },
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
