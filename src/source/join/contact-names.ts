/**
 * The addresses of the export and the newest name of each. They may be millions, so they stand in a temporary database;
 * the ones used last are kept in memory, and what changed is written in batches. All names are kept only of addresses that
 * have more than one.
 */
import type { ContactNames } from '../../domain/join-plan.ts';
import { guarded } from '../problems.ts';
import { openTempDatabase } from '../stage.ts';

/** Each is some 200 bytes of the old generation, and as much garbage when its turn comes. */
const CACHED = 4_000;

interface Entry {
  name: string | undefined;
  at: number;
  dirty: boolean;
}

interface NameRow {
  readonly name: string | null;
  readonly at: number;
}

export function createContactNames(): ContactNames & Disposable {
  const database = openTempDatabase();
  database.exec(
    `CREATE TABLE contacts (email TEXT PRIMARY KEY, name TEXT, at REAL) WITHOUT ROWID;
     CREATE TABLE names (email TEXT, name TEXT, PRIMARY KEY (email, name)) WITHOUT ROWID`,
  );
  const find = database.prepare<[string], NameRow>('SELECT name, at FROM contacts WHERE email = ?');
  const save = database.prepare('INSERT OR REPLACE INTO contacts VALUES (?, ?, ?)');
  const addName = database.prepare('INSERT OR IGNORE INTO names VALUES (?, ?)');
  const page = database.prepare<[string], { email: string; names: number }>(
    'SELECT email, count(*) AS names FROM names WHERE email > ? GROUP BY email ORDER BY email LIMIT 500',
  );
  const cache = new Map<string, Entry>();
  let distinct = 0;

  const flush = () => {
    guarded(() => {
      for (const [email, entry] of cache) {
        if (!entry.dirty) continue;
        save.run(email, entry.name ?? null, entry.at);
        entry.dirty = false;
      }
    });
  };
  /** The entry of an address, now the most recently used one. */
  const entryOf = (email: string): Entry | undefined => {
    const cached = cache.get(email);
    if (cached !== undefined) return cached;
    const row = guarded(() => find.get(email));
    return row === undefined
      ? undefined
      : remember(email, { name: row.name ?? undefined, at: row.at, dirty: false });
  };
  const remember = (email: string, entry: Entry): Entry => {
    if (cache.size >= CACHED) {
      flush();
      cache.clear();
    }
    cache.set(email, entry);
    return entry;
  };

  return {
    offer: (address, given, time) => {
      const at = Number.isNaN(time) ? -Number.MAX_VALUE : time;
      // Most addresses come normalized already, and are found as they are.
      const email = cache.has(address) ? address : address.trim().toLowerCase();
      const name = given?.trim() || undefined;
      let entry = entryOf(email);
      if (entry === undefined) {
        distinct++;
        entry = remember(email, { name: undefined, at: -Number.MAX_VALUE, dirty: true });
      }
      if (name === undefined) return;
      const known = entry.name;
      if (known !== undefined && known !== name) {
        guarded(() => {
          addName.run(email, known);
          addName.run(email, name);
        });
      }
      if (at < entry.at) return;
      if (entry.name === name && entry.at === at) return;
      entry.name = name;
      entry.at = at;
      entry.dirty = true;
    },
    nameOf: (address) => entryOf(address.trim().toLowerCase())?.name,
    distinct: () => distinct,
    *merged() {
      for (let last = ''; ; ) {
        const found = guarded(() => page.all(last));
        if (found.length === 0) return;
        for (const { email, names } of found) yield { email, name: entryOf(email)?.name ?? '', names };
        last = found.at(-1)?.email ?? last;
      }
    },
    [Symbol.dispose]: () => {
      database.close();
    },
  };
}
