/** A small platform of its own, its recipe, and `export` in a folder of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { hurried } from '../support/hurried-clock.ts';
import { type Fake, type Json, serve } from '../support/platform-fakes.ts';

export const SIZE = 2;
export const RECIPE = `
name: acme
title: Acme Desk
address: { from: ACME_URL, example: https://acme.example, regions: [https://eu.acme.example] }
auth: { headers: { authorization: "Bearer {ACME_TOKEN}" } }
limit: { requests: 1000, seconds: 1 }
resources:
  tickets:
    get: /tickets
    query: { since: "{since}" }
    rows: tickets
    total: count
    since: { column: updated_at, start: 2000-01-01T00:00:00Z }
    page: { number: page, size: ${SIZE} }
    noun: ticket
    scope: the scope tickets:read
  comments:
    of: tickets
    get: /tickets/{id}/comments
    rows: comments
    adds: { ticket_id: "{id}" }
    page: { next: next }
    declares: comment_count
    noun: message
  notes: { of: tickets, get: "/tickets/{id}/notes", rows: notes, optional: true }
`;

/** Tickets 1 to `count`; a page is cut out of what there is at the moment, which is where rows get lost. */
export function acme(count: number, { size = SIZE, mostPages = 1e9, comment = 1 } = {}) {
  const tickets = Array.from({ length: count }, (_, at): Json => {
    const updated_at = new Date(Date.UTC(2024, 0, 1, 0, 0, at)).toISOString();
    return { id: at + 1, updated_at, comment_count: comment };
  });
  const comments = new Map(tickets.map(({ id }) => [String(id), [{ id: Number(id) * 10 }] as Json[]]));
  const fake: Fake = {
    tickets,
    env: { ACME_TOKEN: 'acme-token-77' },
    header: ['authorization', 'Bearer acme-token-77'],
    holds: () => ({ tickets }),
    routes: [
      [
        /^\/tickets$/,
        ({ url }) => {
          const page = Number(url.searchParams.get('page'));
          if (page > mostPages) return { status: 400 };
          const since = String(url.searchParams.get('since'));
          const rows = tickets.filter(({ updated_at }) => String(updated_at) >= since);
          return { tickets: rows.slice(size * (page - 1), size * page), count: rows.length };
        },
      ],
      [
        /^\/tickets\/(\d+)\/comments$/,
        ({ match: [, id = ''] }) =>
          comments.has(id) ? { comments: comments.get(id), next: null } : { status: 404 },
      ],
    ],
  };
  return { ...fake, comments };
}

/** A folder, a platform in it, and `export acme` into `out`. */
export async function desk(fake: Fake, recipe = RECIPE) {
  const folder = temporaryFolder();
  const served = await serve('acme', fake);
  writeFileSync(folder.join('acme.yaml'), recipe);
  const typed = ['export', 'acme', 'out', '--recipe', 'acme.yaml', '--json'];
  const options = { cwd: folder.path, env: served.env, clock: hurried(100) };
  const rowsOf = (name: string): Json[] =>
    readFileSync(folder.join(`out/${name}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return {
    ...{ folder, served, typed, options, rowsOf },
    run: async (more: Partial<typeof options> = {}) => {
      const ended = await commandLine(typed, { ...options, ...more });
      const json: Json = ended.stdout === '' ? {} : JSON.parse(ended.stdout);
      return { ...ended, json, said: ended.stderr.replaceAll(/\s+/g, ' ') };
    },
    idsOf: (name: string) =>
      rowsOf(name)
        .map(({ id }) => id)
        .toSorted((a, b) => Number(a) - Number(b)),
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
export const upTo = (count: number, by = 1) => Array.from({ length: count }, (_, at) => by * (at + 1));
