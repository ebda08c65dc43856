/** Carries a schedule out with the code that sends: planning, the push, requests, the checkpoint, the checks before and after. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fingerprintsOf } from '../../src/check/fingerprints.ts';
import { Checkpoint, openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { StoredCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { AppError, exitCodeOf } from '../../src/domain/errors.ts';
import { identityTag, originReader, sourceTag } from '../../src/domain/identity.ts';
import type { TicketRecord } from '../../src/domain/ledger.ts';
import type { MessagePayload } from '../../src/domain/payload.ts';
import type { Problem } from '../../src/domain/problem.ts';
import { Secret } from '../../src/domain/secret.ts';
import { NOTE_BEGINS } from '../../src/domain/snapshot.ts';
import type { CheckedTicket, PlannedTicket } from '../../src/domain/ticket.ts';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { emptyCounts, outcomeOf, TICKET_STATES } from '../../src/domain/ticket-state.ts';
import { createCoreApi } from '../../src/helpdesk/api.ts';
import { checkEnd, checkTarget } from '../../src/import/target-check.ts';
import { stepOf } from '../../src/plan/step.ts';
import { RunEnds } from '../../src/push/failure-meaning.ts';
import { push } from '../../src/push/push.ts';
import { RunControl } from '../../src/push/run-control.ts';
import { TargetFacts } from '../../src/push/target-facts.ts';
import { judge, undoTicket } from '../../src/push/undo.ts';
import { seeded } from '../support/seeded.ts';
import { Network, type Steps, TIMEOUT_MS } from './network.ts';
import { PeopledHelpdesk } from './people.ts';
import type { Mode, Process, Schedule } from './schedule.ts';
import { EPOCH, NEVER, World } from './world.ts';

export const SOURCE = 'src';
const RUN = 'run-20250602-080000';
const DAY = '2024-03-01T10:00:0';
const ORIGIN = originReader('settings');

export const NOTE: MessagePayload = {
  actorType: 'system',
  content: `${NOTE_BEGINS}: a column that no rule uses.`,
  occurredAt: `${DAY}9.000Z`,
  isInternal: true,
};

/** How one process ended. */
export interface End {
  readonly mode: Mode;
  readonly died?: string;
  /** Further tickets whose create has no answer on the disk, at most as many as were on their way. */
  readonly tooMany?: boolean;
  /** Creates of one ticket by this process. */
  readonly mostCreates?: number;
  readonly exitCode?: number;
  readonly stoppedBy?: AppError;
  /** A defect. */
  readonly crash?: unknown;
  /** By ticket. */
  readonly said: readonly {
    readonly ticket?: string | undefined;
    readonly code: string;
    readonly message: string;
  }[];
  readonly undone?: readonly string[];
}

export interface Simulated {
  readonly schedule: Schedule;
  readonly helpdesk: PeopledHelpdesk;
  readonly exports: readonly CheckedTicket[][];
  readonly ends: readonly End[];
  readonly log: readonly string[];
  readonly records: readonly TicketRecord[];
}

/** A checkpoint in memory for all simulations, one after the other, in which each statement is compiled once. */
const DB = await (async () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
  const path = join(folder, 'c.sqlite');
  const clock = { now: () => EPOCH, monotonic: () => 0, sleep: () => Promise.resolve() };
  await openCheckpoint(path, { target: 'sim', programVersion: 'test', survives: 'process', clock }).close();
  const db = new Database(readFileSync(path));
  rmSync(folder, { recursive: true });
  const compiled = new Map<string, Database.Statement>();
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    const statement = compiled.get(sql) ?? prepare(sql);
    compiled.set(sql, statement);
    return statement;
  }) as typeof db.prepare;
  db.exec('CREATE TEMP TABLE new_meta AS SELECT * FROM meta');
  return db;
})();

function emptied(): Database.Database {
  if (DB.inTransaction) DB.exec('ROLLBACK');
  for (const table of ['ticket', 'run', 'note', 'meta']) DB.prepare(`DELETE FROM ${table}`).run();
  DB.prepare('INSERT INTO meta SELECT * FROM new_meta').run();
  return DB;
}

/** Ticket `at` of the export; a delta has it with changes, one message more, or as another ticket. */
function exported(
  at: number,
  { messages, events, later, isClosed }: Schedule['tickets'][number],
  isLater: boolean,
): CheckedTicket {
  const externalId = `x${at}`;
  const isNow = (what: typeof later) => isLater && later === what;
  const whose = isNow('reused') ? 'other' : externalId;
  const day = isNow('reused') ? '2024-05-01T10:00:0' : DAY;
  const email = isNow('reused') ? 'other@example.com' : `p${at % 2}@example.com`;
  const texts = Array.from(
    { length: messages + (isLater && later !== 'corrected' && later !== 'marked' ? 1 : 0) },
    (_, index) => {
      const version = isLater && index === 0 && at !== 1 && later !== 'shifted' && later !== 'marked' ? 2 : 1;
      const link = index === 0 ? ' <a href="https://old.example/page">page</a>' : '';
      return `Export ${whose} message ${index + 1}, version ${version}.${link}`;
    },
  );
  const tags = ['old', identityTag(SOURCE, externalId), sourceTag(SOURCE), RUN];
  const parts = {
    ticket: {
      subject: `Subject of ${externalId}`,
      createdAt: `${day}0.000Z`,
      status: isLater ? ('resolved' as const) : isClosed ? ('closed' as const) : ('pending' as const),
      tags,
      contact: { email },
    },
    messages: texts
      .map(
        (content, index): MessagePayload => ({
          content,
          contentType: 'html',
          occurredAt: `${isNow('shifted') ? day.replace('T10', 'T11') : day}${index}.000Z`,
          isInternal: index === 2 || (isNow('marked') && index === 0),
          ...(index === 0 && {
            attachments: [{ url: `https://old.example/${externalId}.png`, name: 'picture.png' }],
          }),
          ...(index % 2 === 0
            ? { actorType: 'customer', contact: { email } }
            : { actorType: 'agent', agentId: 'agt_1' }),
        }),
      )
      .filter((_, index) => !(isNow('lost') && index === 1)),
    events: Array.from({ length: events }, (_, index) => ({
      type: 'status_change',
      actorType: 'system' as const,
      oldValue: { status: 'open' },
      newValue: { status: 'pending' },
      occurredAt: `${DAY}${index + 5}.000Z`,
    })),
  };
  const asExported = { marks: 3, subject: parts.ticket.subject };
  return {
    seq: at,
    externalId,
    ref: { file: 0, line: at + 2 } as never,
    rows: [],
    ...parts,
    fingerprints: fingerprintsOf(parts, asExported),
    asExported,
  };
}

class MortalCheckpoint extends Checkpoint {
  readonly #process: Steps;
  readonly #onThread: (ticketId: string | undefined) => void;

  constructor(
    db: Database.Database,
    process: Steps,
    options: ConstructorParameters<typeof Checkpoint>[3],
    onThread: (ticketId: string | undefined) => void,
  ) {
    super(db, 'checkpoint.sqlite', { release: () => undefined }, options);
    this.#process = process;
    this.#onThread = onThread;
    const set = this.undos.set.bind(this.undos);
    this.undos.set = (key, value) => this.#written('undo', () => set(key, value));
  }

  override put(record: TicketRecord): Promise<void> {
    return this.#written(`put ${record.state}`, () => super.put(record)).then(() => {
      // While a delta is not confirmed, the record is of the messages before it.
      if (record.thread !== undefined && record.reopened !== true) this.#onThread(record.ticketId);
    });
  }

  override usedWith(now: Parameters<Checkpoint['usedWith']>[0]): Promise<void> {
    return this.#written('meta', () => super.usedWith(now));
  }

  #written(name: string, write: () => Promise<void>): Promise<void> {
    const process = this.#process;
    if (!process.step(`before ${name}`)) return NEVER;
    const written = write();
    if (!process.step(`after ${name}`)) return NEVER;
    const end = written.then(
      () => (process.step(`committed ${name}`) ? undefined : NEVER),
      (error: unknown) => (process.isDead ? NEVER : Promise.reject(error)),
    );
    end.catch(() => undefined);
    return end;
  }
}

export async function simulated(schedule: Schedule): Promise<Simulated> {
  const world = new World();
  const helpdesk = new PeopledHelpdesk(schedule.ways, () => world.now, schedule.mistagged);
  const network = new Network(world, helpdesk, schedule);
  const exports = [false, true].map((isLater) =>
    schedule.tickets.map((each, at) => ({
      ...exported(at, each, isLater),
      ...(schedule.hasNote && { note: NOTE }),
    })),
  );
  const ends: End[] = [];
  const db = emptied();
  let isDelta = false;

  const execute = async (process: Process) => {
    isDelta ||= process.mode === 'delta';
    const death = Promise.withResolvers<End>();
    let passed = 0;
    const mortal: Steps = {
      isDead: false,
      step(name) {
        if (mortal.isDead) return false;
        passed += 1;
        if (passed !== process.dieAt) return true;
        mortal.isDead = true;
        // What was not committed is not in the file.
        if (db.inTransaction) db.exec('ROLLBACK');
        network.log.push(`${world.now} dies ${name}`);
        death.resolve({ mode: process.mode, died: name, said: [] });
        return false;
      },
    };
    network.log.push(`${world.now} process: ${process.mode}`);
    network.creates.clear();
    const run = oneProcess({
      schedule,
      process,
      mortal,
      db,
      world,
      network,
      tickets: exports[isDelta ? 1 : 0] ?? [],
    });
    const creating = () =>
      new Set([...readerOf(db).inStates(['creating'])].map(({ externalId }) => externalId));
    const before = creating();
    const isBusy = () => db.inTransaction && !mortal.isDead;
    const end = await world
      .until(Promise.race([death.promise, run]), isBusy)
      .catch((crash: unknown): End => ({ mode: process.mode, said: [], exitCode: 1, crash }));
    mortal.isDead = true;
    // The commit of a dead process, which finds nothing to commit, comes before the next process.
    await world.settle(1);
    const tooMany = [...creating()].filter((id) => !before.has(id)).length > schedule.concurrency;
    ends.push({ ...end, tooMany, mostCreates: Math.max(0, ...network.creates.values()) });
    network.log.push(
      `${world.now} ends with ${end.exitCode ?? 'a kill'} ${end.stoppedBy?.message ?? end.crash ?? ''}`,
    );
    for (const { ticket = '', code, message } of end.said)
      network.log.push(`  ${ticket} ${code}: ${message}`);
  };

  for (const process of schedule.processes) await execute(process);
  // What is under way arrives, and then nothing happens any more but reruns.
  await world.settle(2 * TIMEOUT_MS);
  network.isQuiet = true;
  const isOpen = () => readerOf(db).counts().done < schedule.tickets.length;
  for (let rerun = 0; rerun === 0 || (rerun < 3 && isOpen()); rerun += 1) {
    if ([...readerOf(db).undos.values()].some(({ begun }) => begun !== undefined))
      await execute({ mode: 'undo', dieAt: 0, skewMs: 0 });
    await execute({ mode: isDelta ? 'delta' : 'run', dieAt: 0, skewMs: 0 });
  }
  const records = [...readerOf(db).inStates(TICKET_STATES)];
  return { schedule, helpdesk, exports, ends, log: network.log, records };
}

function readerOf(db: Database.Database): StoredCheckpoint {
  return new StoredCheckpoint(db, '', () => Promise.resolve());
}

interface ProcessParts {
  readonly schedule: Schedule;
  readonly process: Process;
  readonly mortal: Steps;
  readonly db: Database.Database;
  readonly world: World;
  readonly network: Network;
  readonly tickets: readonly CheckedTicket[];
}

async function oneProcess({
  schedule,
  process,
  mortal,
  db,
  world,
  network,
  tickets,
}: ProcessParts): Promise<End> {
  const { mode } = process;
  const { helpdesk } = network;
  const clock = world.clock(mortal, process.skewMs, world.now - 1_000);
  const options = { target: 'sim', programVersion: 'test', survives: 'process', clock } as const;
  const checkpoint = new MortalCheckpoint(db, mortal, options, (ticketId) => {
    const ticket = helpdesk.tickets.get(ticketId ?? '');
    const sent = ticket?.messages.map(({ content }) => content).filter((text) => text.startsWith('Export'));
    if (ticket !== undefined) helpdesk.recorded.set(ticket, new Set(sent));
  });
  const random = seeded(schedule.seed, 5).random;
  const emit = () => undefined;
  const api = createCoreApi({
    baseUrl: 'https://helpdesk.example.com',
    credentials: { kind: 'token', token: new Secret('token') },
    transport: network.transport(mortal),
    timeoutMs: TIMEOUT_MS,
    connections: 10,
    budgets: [schedule.budget],
    clock,
    random,
    emit,
    aboutToSend: () => checkpoint.aboutToSend(),
  });
  const said: { ticket?: string | undefined; code: string; message: string }[] = [];
  const tell = ({ ticket, code, message }: Problem) => void said.push({ ticket, code, message });
  const never = new AbortController().signal;
  const run = {
    ports: { emit, soft: never, clock },
    problems: { tell },
  } as unknown as Parameters<typeof checkTarget>[0];
  const source = (toSend: number) =>
    ({
      plan: { creates: () => [], steps: { totals: () => ({ toSend }), missing: () => undefined } },
      name: { name: SOURCE, isGiven: true },
    }) as unknown as Parameters<typeof checkTarget>[1];
  try {
    if (mode === 'undo') {
      const control = new RunControl({ soft: never, hard: never }, clock, TIMEOUT_MS);
      const { undos } = checkpoint;
      const facts = new TargetFacts({ api, control }, {}, SOURCE);
      const deps = {
        api,
        facts,
        hard: control.hard,
        clock,
        ledger: checkpoint,
        undos,
        run: RUN,
        source: SOURCE,
      };
      const ids = [...checkpoint.inStates(['created', 'done', 'incomplete'])].flatMap(
        ({ ticketId }) => ticketId ?? [],
      );
      const undone: string[] = [];
      for (const id of ids) {
        const isDue = (await judge(id, deps)).is === 'untouched' || undos.get(id)?.begun !== undefined;
        if (isDue && (await undoTicket(id, deps)).is === 'undone') undone.push(id);
      }
      await checkpoint.flush();
      return { mode, said, exitCode: 0, undone };
    }
    const work = tickets.flatMap((checked): PlannedTicket[] => {
      const origin = ORIGIN(checked.ticket);
      const { action, held } = stepOf(checkpoint.get(checked.externalId), checked, mode, origin);
      if (held !== undefined)
        tell({ code: held, message: '', severity: 'error', count: 1, ticket: checked.externalId });
      const contacts = [checked.ticket.contact?.email ?? ''];
      return action === undefined ? [] : [{ ...checked, action, contacts, origin }];
    });
    const facts = { export: { digest: mode } } as Parameters<typeof checkTarget>[2];
    const { stop, ...checked } = await checkTarget(run, source(work.length), facts, checkpoint, api);
    async function* plan() {
      yield* work;
    }
    const listening = (event: { type: string; [key: string]: unknown }) => {
      const {
        type,
        externalId: ticket,
        problem: why,
        warnings = [],
      } = event as never as {
        type: string;
        externalId: string;
        problem?: Problem;
        warnings?: Problem[];
      };
      if (type !== 'ticket') return;
      for (const each of [why, ...warnings]) if (each !== undefined) said.push({ ...each, ticket });
    };
    const result = await push(
      plan(),
      {
        ...{
          api,
          ledger: checkpoint,
          clock,
          random,
          emit: listening as never,
          names: { nameOf: (email: string) => `Name of ${email} in the export` },
        },
        learnt: (facts) =>
          void checkpoint.usedWith({ facts: { ...checkpoint.meta.facts, ...facts } }).catch(() => undefined),
      },
      {
        ...{
          concurrency: schedule.concurrency,
          timeoutMs: TIMEOUT_MS,
          source: SOURCE,
          ...checked,
        },
        ...{ settleMs: 2_000, giveUpAfterMs: 600_000, isDelta: mode === 'delta' },
      },
      { soft: stop === undefined ? never : AbortSignal.abort(stop), hard: never },
    );
    if (result.lastCreated.length > 0) await checkpoint.usedWith({ lastCreated: [...result.lastCreated] });
    const duplicates =
      result.stoppedBy === undefined && (await checkEnd(run, source(0), checkpoint, api, result.doubted));
    await checkpoint.flush();
    const counts = emptyCounts();
    for (const { externalId } of tickets) {
      const record = checkpoint.get(externalId);
      counts[record === undefined ? 'pending' : outcomeOf(record.state)] += 1;
    }
    const { stoppedBy } = result;
    const exitCode = exitCodeOf({
      tickets: counts,
      stoppedBy: stoppedBy === undefined ? [] : [stoppedBy],
      duplicates,
      mustReachAll: true,
    });
    return { mode, said, exitCode, ...(stoppedBy === undefined ? {} : { stoppedBy }) };
  } catch (error) {
    if (error instanceof RunEnds || error instanceof ApiFailure) return { mode, said, exitCode: 6 };
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    return {
      mode,
      said,
      exitCode: exitCodeOf({ tickets: emptyCounts(), stoppedBy: [error] }),
      stoppedBy: error,
    };
  }
}
