/** Small exports that once came in wrong, where `../shared/cases` exists; made-up ones are in the rooms. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { inProcess } from '../cli/in-process.ts';
import { root, temporaryFolder } from '../support/cli.ts';

const CASES = resolve(root, '../shared/cases/reading');

interface Right {
  readonly case: string;
  readonly export?: string;
  readonly settings?: string;
  readonly messages?: string;
  readonly tickets?: number;
  /** How many people ask. */
  readonly requesters?: number;
  /** Addresses that must be among the authors. */
  readonly authors?: readonly string[];
  readonly codes?: readonly string[];
  readonly says?: string;
  readonly stops?: string;
}

interface Dry {
  readonly problems?: readonly { readonly code: string; readonly message: string }[];
  readonly lost?: readonly { readonly code: string }[];
}

interface Planned {
  readonly actor: string;
  readonly author: string | null;
  readonly is_internal: number;
}

const RIGHT = parse(readFileSync(join(import.meta.dirname, 'cases.yaml'), 'utf8')) as readonly Right[];

it.skipIf(!existsSync(CASES)).each(RIGHT)('$case comes in right', async (right) => {
  using folder = temporaryFolder();
  const plan = folder.join('x.plan');
  const config = join(CASES, right.settings ?? 'settings.yaml');
  const flags = { dryRun: true, json: true, plan, config };
  const { stdout, stderr } = await inProcess('run', [join(CASES, right.export ?? right.case)], flags, {
    cwd: folder.path,
  });
  if (right.stops !== undefined) return expect(stderr).toContain(right.stops);
  const { problems = [], lost = [] } = JSON.parse(stdout) as Dry;
  const db = new Database(plan, { readonly: true });
  const messages = db.prepare<[], Planned>('SELECT * FROM message ORDER BY ticket, nr').all();
  const tickets = db.prepare(`SELECT requester FROM ticket WHERE verdict = 'valid'`).pluck().all();
  db.close();
  const found = messages.map(({ actor, is_internal }) => `${is_internal === 1 ? '-' : '+'}${actor[0]}`);
  if (right.messages !== undefined) expect(found.join(' ')).toBe(right.messages);
  if (right.tickets !== undefined) expect(tickets).toHaveLength(right.tickets);
  if (right.requesters !== undefined) expect(new Set(tickets)).toHaveProperty('size', right.requesters);
  expect(messages.map(({ author }) => author)).toEqual(expect.arrayContaining([...(right.authors ?? [])]));
  const codes = [...problems, ...lost].map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining([...(right.codes ?? [])]));
  expect(problems.map(({ message }) => message).join('\n')).toContain(right.says ?? '');
});
