/** Writes the tables of docs/real-data.md and docs/platforms/README.md anew: `node test/real-data/write-docs.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { DOCUMENTS, withTables } from './real-data-tables.ts';

for (const file of DOCUMENTS) writeFileSync(file, withTables(readFileSync(file, 'utf8')));
