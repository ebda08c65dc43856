/** All views agree: every figure that two of screen, JSON, report, `status` and `report` show is the same. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { messagesIn } from '../../src/checkpoint/status.ts';
import { formatDuration } from '../../src/view/format.ts';
import { startCommandLine } from '../support/command-line.ts';
import { type Desk, LENIENT, openDesk } from '../support/desk.ts';
import { textOf } from '../view/sample.ts';

const MAPPING = `files: { publicUrl: 'https://kept.example.com' }
mapping:
  name: own
  title: Our own
  tables:
    tickets: { role: root, key: id, recognise: { columns: [id, subject, owner] } }
    messages: { role: child, key: ticket, recognise: { columns: [ticket, text, author] } }
  ticket:
    subject: subject
    status: { const: open }
    createdAt: { const: '2024-01-01T00:00:00Z' }
    requester: { email: email }
    assignee: { email: owner }
  messages:
    - from: messages
      content: text
      occurredAt: at
      author: { email: author }
      attachments: { each: { column: file }, item: { url: { column: . }, name: { const: a.pdf } } }
      public: true
  agentDomains: [team.example]
  otherAuthors: customer
`;

/** An export of a shape: `invalid` tickets have no valid address, `files` are attachments, `team` agents answer. */
interface Shape {
  readonly tickets: number;
  readonly invalid: number;
  readonly bare: number;
  readonly files: number;
  readonly team: number;
}

/** Each its own mixture. */
const SHAPES: readonly Shape[] = [
  { tickets: 6, invalid: 0, bare: 0, files: 0, team: 2 },
  { tickets: 9, invalid: 2, bare: 1, files: 5, team: 3 },
];

function writeExport({ write }: Desk, { tickets, invalid, bare, files, team }: Shape, later = 0): void {
  const agent = (at: number) => `agent${at % team}@team.example`;
  const all = Array.from({ length: tickets + later }, (_, at) => at);
  const email = (at: number) => (at < invalid ? 'no-address' : `c${at}@example.com`);
  const rows = all.map((at) => `${at},Subject ${at},${email(at)},${agent(at)}`);
  const answered = all.filter((at) => at < tickets - bare || at >= tickets);
  const messages = answered.flatMap((at) => {
    const file = at < files ? `https://files.example.com/${at}.pdf` : '';
    const sentAt = '2024-01-01T01:00:00Z';
    const first = `${at},Hello ${at},c${at}@example.com,${sentAt},${file}`;
    // Of a later export every second ticket has one more.
    const answers = later > 0 && at % 2 === 0 ? 2 : 1;
    const rest = Array.from(
      { length: answers },
      (_, n) => `${at},Answer ${n},${agent(at)},2024-01-02T0${n}:00:00Z,`,
    );
    return [first, ...rest];
  });
  write('tickets.csv', ['id,subject,email,owner', ...rows].join('\n'));
  write('messages.csv', ['ticket,text,author,at,file', ...messages].join('\n'));
  write('own.yaml', MAPPING);
}

type Figures = Readonly<Record<string, number>>;

const number = (text: string | undefined) => Number(text?.replaceAll(',', ''));

/** What a text shows, a screen or the text of a page: only what is there is in it. */
function figuresIn(text: string): Figures {
  const patterns: Readonly<Record<string, RegExp>> = {
    done: /\bdone +([\d,]+) +(?:\d+|<1|>99)%/,
    rejected: /\brejected +([\d,]+) +(?:\d+|<1|>99)%/,
    failed: /\bfailed +([\d,]+) +(?:\d+|<1|>99)%/,
    pending: /\bpending +([\d,]+) +(?:\d+|<1|>99)%/,
    skipped: /\bskipped +([\d,]+) +(?:\d+|<1|>99)%/,
    read: /(?:^ +(?:read|all)|\b(?:read|all)) +([\d,]+)(?=\n| +(?:Left out|messages|What))/m,
    messages: /\bmessages +([\d,]+)/,
    messagesSent: /\bmessages +[\d,]+ +\(?([\d,]+) in the helpdesk/,
    events: /\bevents +([\d,]+)/,
    attachments: /\battachments +([\d,]+)/,
    missing: /([\d,]+) files? that could not be fetched/,
    links: /([\d,]+) attachments? in [\d,]+ tickets? stays? (?:a )?links?/,
    withoutMessages: /the messages of ([\d,]+) tickets?:/,
    lostRejected: /([\d,]+) rejected tickets?, until corrected/,
    later: /Not known yet: ([\d,]+) agents?/,
    gone: /the names? of ([\d,]+) agents? without an agent ID/,
    unassigned: /the assignees? of ([\d,]+) tickets?, which/,
    create: /\b([\d,]+) to create/,
    update: /\b([\d,]+) to update/,
    created: /\b([\d,]+) created,/,
    updated: /\b([\d,]+) updated,/,
    unchanged: /\b([\d,]+) unchanged/,
    ready: /(?:All |^|\s)([\d,]+)(?: of [\d,]+)? tickets (?:is|are) ready to import/,
    already: /([\d,]+) in the helpdesk already/,
    inHelpdesk: /(?:All |^|\s)([\d,]+)(?: of [\d,]+)? tickets (?:is|are) in the helpdesk\./,
  };
  return Object.fromEntries(
    Object.entries(patterns).flatMap(([name, pattern]) => {
      const found = pattern.exec(text)?.[1];
      return found === undefined ? [] : [[name, number(found)]];
    }),
  );
}

interface Json {
  readonly mode: string;
  readonly tickets: Readonly<Record<string, number>>;
  readonly messages: { readonly read: number; readonly sent: number };
  readonly events: { readonly read: number };
  readonly attachments: Readonly<Record<'read' | 'links' | 'missing', number>>;
  readonly export: { readonly withoutMessages: number };
  readonly people: { readonly later: number; readonly agents: readonly Record<string, unknown>[] };
  readonly known: { readonly isCutOff?: boolean };
  readonly durationMs: number;
}

function figuresOf({ mode, tickets, messages, events, attachments, people, ...more }: Json): Figures {
  const gone = people.agents.filter(({ how }) => how === 'fallback' || how === 'none');
  const { done = 0, rejected = 0, pending = 0 } = tickets;
  return {
    ...Object.fromEntries(Object.entries(tickets).filter(([name]) => name !== 'inDoubt')),
    ...(mode === 'dry-run' ? {} : { messagesSent: messages.sent }),
    ...{ messages: messages.read, events: events.read, attachments: attachments.read },
    missing: attachments.missing,
    ...{ links: attachments.links, withoutMessages: more.export.withoutMessages, lostRejected: rejected },
    later: people.later,
    gone: gone.filter((agent) => Number(agent['messages']) + Number(agent['events']) > 0).length,
    unassigned: gone.reduce((sum, agent) => sum + Number(agent['assigned']), 0),
    ready: pending,
    inHelpdesk: done,
    already: done,
  };
}

/** Whatever two of them show is equal. */
function expectAgreement(views: Readonly<Record<string, Figures>>, least = 5): void {
  const names = new Set(Object.values(views).flatMap((figures) => Object.keys(figures)));
  let compared = 0;
  for (const name of names) {
    const shown = Object.entries(views).flatMap(([view, figures]) => {
      const value = figures[name];
      return value === undefined ? [] : [[view, value] as const];
    });
    if (shown.length > 1) compared++;
    const values = new Set(shown.map(([, value]) => value));
    expect(values.size, `${name}: ${JSON.stringify(Object.fromEntries(shown))}`).toBe(1);
  }
  expect(compared).toBeGreaterThanOrEqual(least);
}

const FILES = ['tickets.csv', 'messages.csv'];

class Walk {
  readonly #desk: Desk;
  readonly #type: Desk['type'];

  constructor(desk: Desk, hasToken = true) {
    this.#desk = desk;
    this.#type = (...words) => desk.typeWith({ env: hasToken ? desk.env : {} }, ...words);
  }

  /** Runs a command with a report and compares its screen, its JSON and the page; resolves with the JSON. */
  async run(...flags: string[]): Promise<Json> {
    const args = ['run', ...FILES, '-c', 'own.yaml', '--json', '--report', 'run.html', ...flags];
    const { stdout, stderr } = await this.#type(...args);
    const json = JSON.parse(stdout) as Json;
    const html = textOf(this.#desk.read('run.html'));
    expectAgreement({ json: figuresOf(json), screen: figuresIn(stderr), report: figuresIn(html) }, 4);
    if (json.mode !== 'dry-run') {
      using reader = readCheckpoint(this.#desk.checkpoint);
      expect(messagesIn(reader)).toBe(json.messages.sent);
    }
    return json;
  }

  /** What the checkpoint says, in `status` on screen, as JSON and in `report`; with the figures of the run before. */
  async checkpoint(run?: Json): Promise<Json> {
    const status = await this.#type('status');
    if (run !== undefined) expect(status.stdout).toContain(` ${formatDuration(run.durationMs)} `);
    const json = JSON.parse((await this.#type('status', '--json')).stdout) as Json;
    await this.#type('report', ...FILES, '-c', 'own.yaml', '-o', 'checkpoint.html');
    const { known: _, ...tickets } = json.tickets as Record<string, number>;
    const { create: __, update: ___, created: ____, updated: _____, unchanged: ______, ...counts } = tickets;
    const { create, update, created, updated, unchanged, ...before } =
      run === undefined ? ({} as Figures) : figuresOf(run);
    expectAgreement({
      status: figuresIn(status.stdout),
      'status --json': figuresOf({ ...json, tickets: counts }),
      report: figuresIn(textOf(this.#desk.read('checkpoint.html'))),
      ...(run === undefined ? {} : { run: before, verify: await this.#verified() }),
    });
    return json;
  }

  /** What `verify` counts as imported. */
  async #verified(): Promise<Figures> {
    const { stdout } = await this.#type('verify', ...FILES, '-c', 'own.yaml', '--all');
    const [, imported] = /([\d,]+) imported/.exec(stdout) ?? [];
    expect(imported, stdout).toBeDefined();
    return { done: number(imported), inHelpdesk: number(imported) };
  }
}

describe.each(SHAPES)(
  'of an export of $tickets tickets, $invalid invalid, $bare without messages',
  (shape) => {
    it.each(['a token', 'no token', 'refused lookups'])(
      'all views of a dry run agree, with %s',
      async (kind) => {
        const desk = await openDesk({ strict: false, inventAgents: kind !== 'refused lookups' });
        writeExport(desk, shape);
        const walk = new Walk(desk, kind !== 'no token');
        const dry = await walk.run('--dry-run');
        const planned = await walk.run('--dry-run', '--plan', 'a.plan');
        expect(figuresOf(planned)).toEqual(figuresOf(dry));
        expect(existsSync(desk.checkpoint)).toBe(false);
      },
    );

    it('all views of a part of the export agree, and of a delta whose files are missing', async () => {
      const desk = await openDesk(LENIENT);
      writeExport(desk, { ...shape, invalid: 0 });
      const walk = new Walk(desk);
      const part = await walk.run('--only', '0,1');
      expect([part.tickets['done'], part.tickets['skipped']]).toEqual([2, shape.tickets - 2]);
      await walk.checkpoint();
      await walk.run('--only', '1,5');
      await walk.checkpoint();
      const files = ['--files', 'kept'];
      await walk.run('--dry-run', ...files);
      const all = await walk.run(...files);
      expect(all.attachments['missing']).toBe(Math.max(0, shape.files - 2));
      await walk.checkpoint(all);
      const delta = await walk.run('--delta', ...files);
      expect(delta.attachments['missing']).toBe(all.attachments['missing']);
      await walk.checkpoint(delta);
    });

    it('all views of a run, its resumption, corrected rejects, a delta and an undo agree', async () => {
      const desk = await openDesk(LENIENT);
      writeExport(desk, shape);
      const walk = new Walk(desk);
      await walk.run('--trial', '5');
      await walk.checkpoint();
      const stopped = startCommandLine(['run', ...FILES, '-c', 'own.yaml', '--yes'], desk.where);
      await stopped.shown(/importing/);
      stopped.kill('SIGINT');
      await stopped.result;
      await walk.checkpoint();
      await walk.checkpoint(await walk.run());
      if (shape.invalid > 0) {
        const rejects = 'helpdesk-import.rejects/tickets.csv';
        const corrected = desk
          .read(rejects)
          .replaceAll(/^(\d+),([^,]*),no-address/gm, '$1,$2,c$1@example.com');
        desk.write(rejects, corrected);
        await desk.type('run', 'helpdesk-import.rejects', '-c', 'own.yaml', '--json');
        await walk.checkpoint();
      }
      writeExport(desk, { ...shape, invalid: 0 }, 3);
      const planned = await walk.run('--delta', '--dry-run');
      const delta = await walk.run('--delta');
      expect([delta.tickets['created'], delta.tickets['updated']]).toEqual([
        planned.tickets['create'],
        planned.tickets['update'],
      ]);
      await walk.checkpoint(delta);
      const typo = await desk.type('run', ...FILES, '-c', 'own.yaml', '--only', '99999');
      expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('No ticket matches')]);
      await desk.type('undo', '--yes');
      await walk.checkpoint();
    });
  },
);

it('after a kill, the messages that the helpdesk has are counted, without notes', async () => {
  const desk = await openDesk(LENIENT);
  writeExport(desk, SHAPES[1] as Shape);
  const walk = new Walk(desk);
  const run = await walk.run('--set', 'unmapped=note');
  expect(run.messages.sent).toBeGreaterThan(5);
  const database = new Database(desk.checkpoint);
  database.exec('UPDATE run SET ended_at = NULL, exit_code = NULL');
  database.close();
  const { messages, known } = await walk.checkpoint();
  expect([known.isCutOff, messages.sent]).toEqual([true, run.messages.sent]);
});

it('a record of another version of this program is not read', async () => {
  const desk = await openDesk(LENIENT);
  writeExport(desk, SHAPES[0] as Shape);
  await new Walk(desk).run();
  const db = new Database(desk.checkpoint);
  db.exec(`UPDATE note SET value = '{}'; UPDATE note SET key = 'export' WHERE key LIKE 'export %'`);
  db.close();
  for (const words of [
    ['status', '--json'],
    ['report', ...FILES],
  ]) {
    const ended = await desk.type(...words, '-c', 'own.yaml');
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
  }
});
