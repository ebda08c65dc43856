/** `npm run bench [name…]`: every benchmark, or those that are named. Figures of one run are comparable with each other only. */
import { cpus, totalmem } from 'node:os';
import { mib } from './support/table.ts';

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  goals: async () => (await import('./goals.ts')).goals(),
  memory: async () => (await import('./memory.ts')).memory(),
  budget: async () => (await import('./budget.ts')).budget(),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}.`,
  );
  process.exitCode = 2;
} else {
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${mib(totalmem())}, Node ${process.version}, ${process.platform}`,
  );
  for (const [name, bench] of Object.entries(BENCHES))
    if (wanted.length === 0 || wanted.includes(name)) await bench();
}
