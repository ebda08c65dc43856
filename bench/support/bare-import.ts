/** Tickets through undici into a bare server of node, which keeps each request in SQLite, committed once a turn. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import { plannedTickets } from './tickets.ts';
import { bareLoop } from './ways-of-sending.ts';

const database = new Database(process.argv[3] ?? '');
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');
database.exec('CREATE TABLE request (id INTEGER PRIMARY KEY, path TEXT, body TEXT)');
const insert = database.prepare('INSERT INTO request (path, body) VALUES (?, ?)');
let waiting: (() => void)[] = [];

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  if (waiting.length === 0) {
    database.exec('BEGIN');
    setImmediate(() => {
      database.exec('COMMIT');
      const committed = waiting;
      waiting = [];
      for (const answer of committed) answer();
    });
  }
  const body: unknown = JSON.parse(Buffer.concat(parts).toString());
  const { lastInsertRowid: id } = insert.run(request.url, JSON.stringify(body));
  waiting.push(() => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ticket: { id: `t${id}` } }));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const tickets = plannedTickets(Number(process.argv[2]));
const before = process.cpuUsage();
await bareLoop(`http://127.0.0.1:${port}`, tickets, 8);
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${(user + system) / 1000 / (3 * tickets.length)}\n`);
server.close();
server.closeAllConnections();
