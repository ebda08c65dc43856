/** Every line of JSONL files as an object, and nothing more. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

let records = 0;
for (const file of process.argv.slice(2)) {
  for await (const line of createInterface({ input: createReadStream(file) }))
    if (typeof JSON.parse(line) === 'object') records++;
}
process.stdout.write(`${records}\n`);
