/** Addresses of the export and the newest name of each, in a temporary database: there may be millions. */
import { sharedAddress } from '../domain/decisions.ts';
import type { ContactNames } from '../domain/source-file.ts';
import { guarded } from './problems.ts';
import { openTempDatabase } from './stage.ts';

/** `turn`: of names of one age the later counts. An address without a name has an empty one. */
const SCHEMA = `CREATE TABLE name (email TEXT, name TEXT, at REAL, turn INTEGER, PRIMARY KEY (email, name)) WITHOUT ROWID`;

export function createContactNames(): ContactNames & Disposable {
  const database = openTempDatabase();
  database.exec(SCHEMA);
  const save = database.prepare(
    `INSERT INTO name VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at, turn = excluded.turn WHERE excluded.at >= at`,
  );
  const newest = database
    .prepare<[string], string>(
      "SELECT name FROM name WHERE email = ? AND name <> '' ORDER BY at DESC, turn DESC",
    )
    .pluck();
  const madeUp = database.prepare<[string], { email: string; name: string; isNamesake: number }>(
    `WITH made AS (SELECT email, max(name) AS name FROM name WHERE email LIKE ? GROUP BY email)
     SELECT email, name, name <> '' AND EXISTS (
       SELECT 1 FROM name other WHERE other.name = made.name COLLATE NOCASE AND other.email NOT IN (SELECT email FROM made)
     ) AS isNamesake FROM made`,
  );
  const counts = database.prepare<[], { distinct: number; merged: number }>(
    `SELECT count(*) AS "distinct", count(CASE WHEN names > 1 THEN 1 END) AS merged
     FROM (SELECT sum(name <> '') AS names FROM name GROUP BY email)`,
  );
  let turn = 0;
  const nameOf = (address: string) => guarded(() => newest.get(address.trim().toLowerCase()));
  return {
    offer: (address, name, time) => {
      const at = Number.isNaN(time) ? -Number.MAX_VALUE : time;
      guarded(() => save.run(address.trim().toLowerCase(), name?.trim() ?? '', at, turn++));
    },
    nameOf,
    madeUp: (domain, ofName) => {
      const found = { made: 0, byName: 0, namesakes: 0 };
      for (const { email, name, isNamesake } of madeUp.iterate(
        sharedAddress(domain) ?? `customer-%@${domain.replace(/^@/, '').toLowerCase()}`,
      )) {
        found.made += 1;
        found.namesakes += isNamesake;
        if (name !== '' && ofName(name)?.toLowerCase() === email) found.byName += 1;
      }
      return found;
    },
    counts: () => guarded(() => counts.get()) ?? { distinct: 0, merged: 0 },
    [Symbol.dispose]: () => {
      database.close();
    },
  };
}
