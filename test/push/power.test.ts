/** What is on the disk when a request goes out, and when a run ends. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import type { TicketRecord } from '../../src/domain/ledger.ts';
import type { OnWire, TicketApi } from '../../src/domain/ticket-api.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { type Power, powerOver } from '../support/power.ts';
import { FakeTarget, unknownOutcome } from './fake-target.ts';
import {
  carried,
  driven,
  importOnce,
  planned,
  SAMPLE,
  start,
  startPlan,
  type TestTicket,
} from './import-run.ts';

const TICKETS: readonly TestTicket[] = SAMPLE;

function checkpointAt(path: string, clock: FakeClock): Checkpoint {
  const checkpoint = openCheckpoint(path, {
    target: 'https://helpdesk.example.com',
    programVersion: 'test',
    survives: 'machine',
    clock,
  });
  onTestFinished(() => checkpoint.close());
  return checkpoint;
}

function machine(): { power: Power; checkpoint: Checkpoint; clock: FakeClock } {
  const clock = createFakeClock();
  const place = folderOfTest().path;
  const path = join(place, 'c.sqlite');
  const checkpoint = checkpointAt(path, clock);
  return { power: powerOver(path, place), checkpoint, clock };
}

/** What the disk holds for certain of a ticket. */
async function durable(power: Power, externalId: string): Promise<TicketRecord | undefined> {
  const left = openCheckpoint(power.lost(), {
    target: 'https://helpdesk.example.com',
    programVersion: 'test',
    survives: 'process',
    clock: createFakeClock(),
  });
  const record = left.get(externalId);
  await left.close();
  return record;
}

/** The same target, asked something before each of these requests reaches it. */
function watched(
  api: TicketApi,
  before: Partial<Record<keyof TicketApi, (first: never) => Promise<void>>>,
): TicketApi {
  return new Proxy(api, {
    get(target, name) {
      const send: unknown = Reflect.get(target, name, target);
      if (typeof send !== 'function') return send;
      const look = before[name as keyof TicketApi];
      return async (...args: [never, ...unknown[]]) => {
        const wire = name === 'createTicket' ? (args[2] as OnWire) : undefined;
        // What a create has waited for is there when its bytes go out, and not when it is asked for.
        if (wire !== undefined)
          args[2] = new Proxy(wire, {
            get: (inner, key) =>
              key === 'beforeSending'
                ? () => Promise.resolve(inner.beforeSending?.()).then(() => look?.(args[0]))
                : Reflect.get(inner, key),
          });
        else await look?.(args[0]);
        return await (send as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

const idOf = (subject: string) => subject.slice('Subject of '.length);

describe('the order of disk and wire', () => {
  it('a create is sent only when its intent has been flushed to the disk', async () => {
    const { power, checkpoint, clock } = machine();
    const found: [string, string | undefined, boolean][] = [];
    const api = watched(new FakeTarget(), {
      createTicket: async ({ subject }: { subject: string }) => {
        const record = await durable(power, idOf(subject));
        found.push([idOf(subject), record?.state, record?.sent !== undefined]);
      },
    });
    const { run } = start({ tickets: TICKETS, api, ledger: checkpoint, clock });
    expect((await driven(clock, run)).tickets.done).toBe(TICKETS.length);
    expect(found.sort()).toEqual(TICKETS.map(({ id }) => [id, 'creating', true]));
    expect(power.synced.length).toBeGreaterThan(0);
  });

  it('messages are sent only when the ID of their ticket has been flushed to the disk', async () => {
    const { power, checkpoint, clock } = machine();
    const target = new FakeTarget();
    const found: unknown[] = [];
    const look = async (ticketId: string) => {
      const { subject = '' } = target.tickets.get(ticketId)?.payload ?? {};
      found.push((await durable(power, idOf(subject)))?.ticketId === ticketId);
    };
    const api = watched(target, { replaceMessages: look, replaceEvents: look });
    await driven(clock, start({ tickets: TICKETS, api, ledger: checkpoint, clock }).run);
    expect(found).toEqual([true, true, true, true]);
  });

  it('a create that is sent again, after proof that it did not happen, has an intent of its own on the disk', async () => {
    const { power, checkpoint, clock } = machine();
    const states: (string | undefined)[] = [];
    let creates = 0;
    const target = new FakeTarget({
      fault: (call) => {
        if (call !== 'create') return undefined;
        creates += 1;
        return creates === 2 ? { at: 'before', error: unknownOutcome() } : undefined;
      },
    });
    const api = watched(target, {
      createTicket: async ({ subject }: { subject: string }) => {
        states.push((await durable(power, idOf(subject)))?.state);
      },
    });
    await driven(clock, start({ tickets: TICKETS, api, ledger: checkpoint, clock }).run);
    expect(states.length).toBeGreaterThanOrEqual(TICKETS.length);
    expect(new Set(states)).toEqual(new Set(['creating']));
  });

  it('a thread that is replaced by a delta is known on the disk to be about to change', async () => {
    const { power, checkpoint, clock } = machine();
    const target = new FakeTarget();
    await driven(clock, start({ tickets: TICKETS, api: target, ledger: checkpoint, clock }).run);
    const [ticket] = TICKETS;
    const record = checkpoint.get(ticket?.id ?? '');
    if (ticket === undefined || record?.ticketId === undefined) throw new Error('there is a ticket');
    const changed = planned({ ...ticket, messages: [...(ticket.messages ?? []), 'agent'] }, 0, {
      do: 'reopen',
      ticketId: record.ticketId,
      parts: ['messages', 'events'],
    });
    const seen: (TicketRecord | undefined)[] = [];
    const look = async () => {
      seen.push(await durable(power, ticket.id));
    };
    const api = watched(target, { replaceMessages: look, replaceEvents: look });
    const work = (async function* () {
      yield changed;
    })();
    const { run } = startPlan(work, { api, ledger: checkpoint, clock });
    expect((await driven(clock, run)).tickets.done).toBe(1);
    expect(seen.length).toBeGreaterThan(0);
    for (const found of seen) expect(found).toMatchObject({ reopened: true });
  });

  it('a ticket that was found in the helpdesk is known on the disk before its thread is read', async () => {
    const ticket = { id: 'a', messages: ['customer'] };
    const target = new FakeTarget();
    await importOnce({ tickets: [ticket], api: target });
    const { power, checkpoint } = machine();
    const seen: (string | undefined)[] = [];
    const look = async () => void seen.push((await durable(power, 'a'))?.ticketId);
    const work = planned(ticket, 0, { do: 'create', wasTried: true });
    await carried(work, watched(target, { readMessages: look }), checkpoint);
    expect([seen[0], target.tickets.size]).toEqual(['T1', 1]);
  });

  it('what a run says is done is on the disk when it ends', async () => {
    const { power, checkpoint, clock } = machine();
    await driven(clock, start({ tickets: TICKETS, api: new FakeTarget(), ledger: checkpoint, clock }).run);
    for (const { id } of TICKETS) expect(await durable(power, id)).toMatchObject({ state: 'done' });
  });
});
