/** Every record of CSV files through SQLite: inserted with an index, read back in its order, parsed. Nothing more. */
import { createReadStream } from 'node:fs';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';

const database = new Database('');
database.exec(
  'PRAGMA synchronous = OFF; CREATE TABLE row (id INTEGER PRIMARY KEY, key TEXT, text TEXT); BEGIN',
);
const insert = database.prepare('INSERT INTO row (key, text) VALUES (?, ?)');
for (const file of process.argv.slice(2))
  for await (const cells of createReadStream(file).pipe(parse()))
    if (Array.isArray(cells)) insert.run(cells[0], JSON.stringify(cells));
database.exec('CREATE INDEX row_key ON row (key)');
let cells = 0;
for (const text of database.prepare<[], string>('SELECT text FROM row ORDER BY key').pluck().iterate())
  cells += (JSON.parse(text) as string[]).length;
process.stdout.write(`${cells}\n`);
