/** A run of the push over a real checkpoint, with a plan made from it as planning does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { identityTag, sourceTag } from '../../src/domain/identity.ts';
import { hasMessages, type Ledger, type TicketRecord } from '../../src/domain/ledger.ts';
import type { MessagePayload } from '../../src/domain/payload.ts';
import type { RunEvent } from '../../src/domain/ports.ts';
import type { PlannedAction, PlannedTicket } from '../../src/domain/ticket.ts';
import type { TicketApi } from '../../src/domain/ticket-api.ts';
import { type PushOptions, type PushResult, push } from '../../src/push/push.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { turn } from './fake-target.ts';

export interface TestTicket {
  readonly id: string;
  readonly email?: string;
  readonly subject?: string;
  /** One message per entry: an e-mail address for a customer's, `agent` for an agent's. */
  readonly messages?: readonly string[];
  readonly events?: number;
  readonly status?: 'open' | 'closed';
}

/** Four tickets that differ in what they carry: with and without a contact, messages and events. */
export const SAMPLE: readonly TestTicket[] = [
  { id: 'a', email: 'mia@example.com', messages: ['mia@example.com', 'agent'], events: 2 },
  { id: 'b', email: 'tom@example.com', messages: ['tom@example.com'] },
  { id: 'c', email: 'mia@example.com', events: 1 },
  { id: 'd' },
];

const DAY = '2024-03-01T10:00:00.000Z';

export function planned(
  ticket: TestTicket,
  seq: number,
  action: PlannedAction,
  source?: string,
): PlannedTicket {
  const messages = (ticket.messages ?? []).map((author, at): MessagePayload => {
    const common = { content: `${ticket.id}: message ${at + 1}`, occurredAt: DAY };
    return author === 'agent'
      ? { actorType: 'agent', agentId: 'agt_1', ...common }
      : { actorType: 'customer', contact: { email: author }, ...common };
  });
  const authors = (ticket.messages ?? []).filter((author) => author !== 'agent');
  return {
    seq,
    externalId: ticket.id,
    action,
    ticket: {
      subject: ticket.subject ?? `Subject of ${ticket.id}`,
      createdAt: DAY,
      ...(source === undefined ? {} : { tags: [identityTag(source, ticket.id), sourceTag(source)] }),
      ...(ticket.status === undefined ? {} : { status: ticket.status }),
      ...(ticket.email === undefined ? {} : { contact: { email: ticket.email } }),
    },
    messages,
    events: Array.from({ length: ticket.events ?? 0 }, () => ({
      type: 'status_change',
      actorType: 'system' as const,
      oldValue: { status: 'open' },
      newValue: { status: 'closed' },
      occurredAt: DAY,
    })),
    fingerprints: { ticket: '1'.repeat(16), messages: '2'.repeat(16), events: '3'.repeat(16) },
    contacts: [...new Set([...(ticket.email === undefined ? [] : [ticket.email]), ...authors])],
  };
}

/** What a run has to do for a ticket, by its record; undefined: nothing. */
function actionFor(record: TicketRecord | undefined): PlannedAction | undefined {
  if (record === undefined) return { do: 'create' };
  if (record.state === 'pending' || record.state === 'refused') return { do: 'create', wasTried: true };
  if (record.state === 'creating' || record.state === 'inDoubt') return { do: 'settle' };
  if (record.state === 'done' || record.state === 'skipped') return undefined;
  if (record.ticketId === undefined) return { do: 'create' };
  const from = hasMessages(record) ? 'events' : 'messages';
  return { do: 'finish', from, ticketId: record.ticketId };
}

export async function* planOf(tickets: readonly TestTicket[], ledger: Ledger, source?: string) {
  for (const [seq, ticket] of tickets.entries()) {
    const action = actionFor(ledger.get(ticket.id));
    if (action !== undefined) yield planned(ticket, seq, action, source);
  }
}

export const DEFAULTS: PushOptions = {
  concurrency: 4,
  timeoutMs: 30_000,
  source: 'src',
  settleMs: 2_000,
  giveUpAfterMs: 600_000,
};

export interface TestRun {
  readonly result: PushResult;
  readonly events: readonly RunEvent[];
  readonly ledger: Ledger;
}

export interface RunParts {
  readonly tickets: readonly TestTicket[];
  readonly api: TicketApi;
  readonly ledger: Ledger;
  readonly clock?: FakeClock;
  readonly options?: Partial<PushOptions>;
  readonly soft?: AbortSignal;
  readonly hard?: AbortSignal;
  readonly names?: Record<string, string>;
  readonly onEvent?: (event: RunEvent) => void;
}

interface Started {
  readonly run: Promise<PushResult>;
  readonly events: RunEvent[];
  readonly clock: FakeClock;
}

export function start({ tickets, ...parts }: RunParts): Started {
  return startPlan(planOf(tickets, parts.ledger, { ...DEFAULTS, ...parts.options }.source), parts);
}

export function startPlan(plan: AsyncIterable<PlannedTicket>, parts: Omit<RunParts, 'tickets'>): Started {
  const clock = parts.clock ?? createFakeClock();
  const events: RunEvent[] = [];
  const emit = (event: RunEvent) => {
    events.push(event);
    parts.onEvent?.(event);
  };
  const run = push(
    plan,
    {
      api: parts.api,
      ledger: parts.ledger,
      clock,
      random: () => 0.5,
      emit,
      names: { nameOf: (email) => parts.names?.[email] },
    },
    { ...DEFAULTS, ...parts.options, facts: { takesMessageIds: false, ...parts.options?.facts } },
    {
      soft: parts.soft ?? new AbortController().signal,
      hard: parts.hard ?? new AbortController().signal,
    },
  );
  return { run, events, clock };
}

/** Without a ledger a new checkpoint is used. */
export async function importOnce(
  parts: Omit<RunParts, 'ledger'> & { readonly ledger?: Ledger },
): Promise<TestRun> {
  const { ledger = scratchCheckpoint().ledger } = parts;
  const { run, events, clock } = start({ ...parts, ledger });
  const result = await driven(clock, run);
  return { result, events, ledger };
}

/** These tickets of a plan, and what is reported of them. */
export async function carried(
  work: PlannedTicket | readonly PlannedTicket[],
  api: TicketApi,
  ledger: Ledger,
  options: Partial<PushOptions> = {},
) {
  async function* plan() {
    yield* [work].flat();
  }
  const { run, events, clock } = startPlan(plan(), { api, ledger, options });
  const result = await driven(clock, run);
  const ends = events.filter((event) => event.type === 'ticket');
  const all = ends.map(({ warnings = [] }) => warnings);
  const codesByRun = all.map((warnings) => warnings.map(({ code }) => code));
  return { result, reported: ends[0], warnings: all[0] ?? [], codesByRun, codes: codesByRun[0] ?? [] };
}

/** Lets everything that needs no time happen first, and only then moves the clock to the next sleeper. */
export async function driven<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const mark = () => {
    isSettled = true;
  };
  promise.then(mark, mark);
  for (let idle = 0; !isSettled && idle < 2_000; idle += 1) {
    for (let turns = 0; turns < 150 && !isSettled; turns += 1) await turn();
    if (!isSettled && (await clock.advanceToNext())) idle = 0;
  }
  if (!isSettled) throw new Error('The run does not end, and no timer is set.');
  return promise;
}

// Flushing takes real time, and the death of a process does not need it.
const CHECKPOINT = {
  target: 'https://helpdesk.example.com',
  programVersion: 'test',
  survives: 'process',
} as const;

export function scratchCheckpoint(path = join(scratchFolder(), 'c.sqlite')): {
  path: string;
  ledger: Checkpoint;
} {
  const ledger = openCheckpoint(path, { ...CHECKPOINT, clock: createFakeClock() });
  onTestFinished(() => ledger.close());
  return { path, ledger };
}

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'push-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
