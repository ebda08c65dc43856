/** `npm run bench [name…]`: every benchmark, or those that are named. Figures of one run are comparable with each other only. */
import { cpus, totalmem } from 'node:os';
import { mib } from './support/table.ts';

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  startup: async () => (await import('./startup.ts')).startup(),
  stages: async () => (await import('./stages.ts')).stages(),
  reading: async () => (await import('./reading.ts')).reading(),
  memory: async () => (await import('./memory.ts')).memory(),
  'second-core': async () => (await import('./second-core.ts')).secondCore(),
  sending: async () => (await import('./sending.ts')).sending(),
  latency: async () => (await import('./latency.ts')).latency(),
  knee: async () => (await import('./knee.ts')).knee(),
  budget: async () => (await import('./budget.ts')).budget(),
  files: async () => (await import('./files.ts')).files(),
  proposals: async () => (await import('./proposals/proposals.ts')).proposals(),
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
