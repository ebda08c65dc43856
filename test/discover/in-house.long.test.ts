/** Genuine shapes of in-house files: right after at most three changes; a `case` is of `../shared/cases`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { inProcess } from '../cli/in-process.ts';
import { root, temporaryFolder } from '../support/cli.ts';
import { init } from './support.ts';

interface Case {
  readonly case: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly encoding?: BufferEncoding;
  /** What only a person can know: a zone, a time, an agent, a domain. */
  readonly given?: readonly string[];
  readonly set: readonly string[];
  /** Lines that stop a run with what is given alone; without any the run is right. */
  readonly stops?: readonly string[];
  readonly holds: readonly string[];
  /** A later part of the export, and what comes in with it. */
  readonly next?: { readonly case: string; readonly holds: readonly string[] };
}

const SHARED = resolve(root, '../shared/cases/own-files-2');
const CASES: readonly Case[] = parse(readFileSync(join(import.meta.dirname, 'in-house.yaml'), 'utf8'));
const PRESENT = CASES.filter(({ files }) => files !== undefined || existsSync(SHARED));

/** One line a ticket: when, status, priority, length of the subject, customer, messages with their lengths and times, columns of the note. */
const HELD = `
  WITH said AS (SELECT m.*, m.body ->> 'actorType' AS role, m.content LIKE '%Kept by helpdesk-import%' AS is_note FROM messages m)
  SELECT t.body ->> 'createdAt' AS at, t.status, t.body ->> 'priority' AS priority, t.subject, c.email, c.name, t.body AS ticket,
    (SELECT json_group_array(json_object('role', role, 'isInternal', s.body -> 'isInternal', 'content', content, 'isNote', is_note,
      'at', s.body ->> 'occurredAt', 'agent', agent_id, 'by', p.email) ORDER BY position)
     FROM said s LEFT JOIN contacts p ON p.seq = s.contact_seq WHERE ticket_seq = t.seq) AS said
  FROM tickets t LEFT JOIN contacts c ON c.seq = t.contact_seq`;

interface Held {
  readonly at: string;
  readonly status: string;
  readonly priority: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly ticket: string;
  readonly said: string;
}

interface Said {
  readonly role: string;
  readonly isInternal: boolean;
  readonly content: string;
  readonly isNote: 0 | 1;
  readonly at: string;
  readonly agent: string | null;
  readonly by: string | null;
}

function lineOf({ at, status, priority, subject, email, name, ticket, said }: Held): string {
  const time = (text: string) => text.slice(0, 16);
  const who = email === null ? 'nobody' : email.endsWith('@c.example.com') ? 'made-up' : email;
  const messages = (JSON.parse(said) as Said[]).map((one) =>
    one.isNote === 1
      ? `note(${[...one.content.matchAll(/<td>([^<]*)<\/td><td>/g)].map(([, column]) => column).join(' ')})`
      : [
          `${one.isInternal ? '-' : '+'}${one.role[0]}${one.content.length}`,
          ...(time(one.at) === time(at) ? [] : [time(one.at)]),
          ...(one.agent === null ? [] : [one.agent]),
          ...(one.by === email || one.by === null ? [] : [one.by]),
        ].join('@'),
  );
  const { tags, resolvedAt, closedAt } = JSON.parse(ticket) as Record<string, string[] & string>;
  const own =
    tags?.filter((tag) => !/^(?:import|from|run|freshdesk|jira|zendesk)-|^imported$/.test(tag)) ?? [];
  const ends = Object.entries({ resolvedAt, closedAt }).flatMap(([key, end]) =>
    end ? [`${key} ${time(end)}`] : [],
  );
  const person = `${who}${name === null ? '' : ` (${name})`}`;
  return [`${time(at)} ${status} ${priority} ${subject.length} ${person}`, ...ends, ...own, ...messages].join(
    ' | ',
  );
}

function held(path: string): string[] {
  if (!existsSync(path)) return [];
  const database = new Database(path, { readonly: true });
  const rows = database.prepare<[], Held>(HELD).all();
  database.close();
  return rows.map(lineOf).sort();
}

it.each(PRESENT)('$case is right after a few changes, and stops at the line without them', async (of) => {
  using folder = temporaryFolder();
  const { files = {}, encoding, given = [], set, stops = [], next } = of;
  for (const [name, text] of Object.entries(files))
    writeFileSync(folder.join(name), Buffer.from(text, encoding));
  const paths =
    of.files === undefined ? [join(SHARED, of.case)] : Object.keys(files).map((name) => folder.join(name));
  const run = async (box: string, args: readonly string[], own: object) => {
    const flags = { sandbox: folder.join(box), checkpoint: folder.join(`${box}.c`), yes: true, ...own };
    const ended = await inProcess('run', args, flags, { cwd: folder.path });
    return { ...ended, holds: held(folder.join(`${box}/service.sqlite`)) };
  };
  expect(set.length).toBeLessThanOrEqual(3);
  const untouched = await run('untouched', paths, { set: [...given] });
  if (stops.length === 0) expect(untouched.holds, untouched.stderr + untouched.stdout).toEqual(of.holds);
  else expect([untouched.code, untouched.holds], untouched.stdout).toEqual([2, []]);
  for (const line of stops) expect(untouched.stderr.replace(/\s+/g, ' ')).toContain(line);
  const written = await init(folder.path, paths, { yes: true, set: [...given, ...set] });
  const config = folder.join('helpdesk-import.yaml');
  const changed = await run('changed', [], { config });
  expect(changed.holds, written.stderr + changed.stderr + changed.stdout).toEqual(of.holds);
  if (next === undefined) return;
  const more = await run('changed', [...paths, join(SHARED, next.case)], { config });
  expect(more.holds, more.stderr + more.stdout).toEqual([...of.holds, ...next.holds].sort());
});
