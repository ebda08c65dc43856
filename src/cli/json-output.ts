/** The one JSON object on standard output that `--json` promises: the result, or why there is none. */
import type { OutputStream } from './context.ts';

const told = new WeakSet<OutputStream>();

export function writeJson(stdout: OutputStream, value: unknown): void {
  told.add(stdout);
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Whether it has been written: an error that comes later must not follow it with a second one. */
export function hasJson(stdout: OutputStream): boolean {
  return told.has(stdout);
}
