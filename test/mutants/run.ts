/** `npm run test:mutants -- [part of a path…] [sample=<n>] [seed=<n>]`: ends with 1 if one is not noticed. */
import { CopiedCode, mutantsOf, rooms, sampleOf } from './mutants.ts';

async function main(args: readonly string[]): Promise<number> {
  const number = (name: string) => {
    const found = args.find((arg) => arg.startsWith(`${name}=`));
    return found === undefined ? undefined : Number(found.slice(name.length + 1));
  };
  const words = args.filter((arg) => !arg.includes('='));
  const [sample = Number.POSITIVE_INFINITY, seed = 1] = [number('sample'), number('seed')];
  using copy = new CopiedCode();
  let [count, survivors] = [0, 0];
  for (const room of rooms()) {
    const mutants = mutantsOf(room).filter(
      ({ file }) => words.length === 0 || words.some((word) => file.includes(word)),
    );
    for (const mutant of sampleOf(mutants, sample, seed)) {
      const noticed = await copy.noticing(mutant);
      count += 1;
      if (noticed !== undefined) continue;
      survivors += 1;
      process.stdout.write(`SURVIVES ${mutant.file}:${mutant.line} ${mutant.text.trim()}\n`);
    }
    if (mutants.length > 0) process.stdout.write(`${room}: ${survivors} of ${count} survived so far\n`);
  }
  process.stdout.write(`${count - survivors} of ${count} are noticed.\n`);
  return survivors === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
