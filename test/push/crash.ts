/**
 * A process that dies at a chosen point. Every ledger write and every request has two points: just before it, and when its
 * effect is there and unreported. From then on nothing of that process happens any more: no write, no request, no answer.
 */
import type { Ledger, TicketRecord } from '../../src/domain/ledger.ts';
import type { TicketApi } from '../../src/domain/ticket-api.ts';

const WRITES: readonly (keyof Ledger)[] = ['put'];
const REQUESTS: readonly (keyof TicketApi)[] = [
  'createTicket',
  'replaceMessages',
  'replaceEvents',
  'updateTicket',
  'findTickets',
  'countTickets',
  'readTicket',
  'readMessages',
  'readEvents',
];

export interface Mortal {
  readonly ledger: Ledger;
  readonly api: TicketApi;
  /** Resolves when it has died, with the name of the point. */
  readonly death: Promise<string>;
  /** Points passed so far. */
  readonly points: () => number;
}

/**
 * Dies at the n-th point, from 1; with 0 it lives on. `onDeath` is called at that very moment, to keep what the disk holds
 * then: what the dead process still writes into its own files is not to be seen.
 */
export function mortal(ledger: Ledger, api: TicketApi, dieAt: number, onDeath: () => void): Mortal {
  const { promise: death, resolve } = Promise.withResolvers<string>();
  const never = new Promise<never>(() => undefined);
  let points = 0;
  let isDead = false;
  const pass = (name: string): boolean => {
    if (isDead) return false;
    points += 1;
    if (points !== dieAt) return true;
    isDead = true;
    onDeath();
    resolve(name);
    return false;
  };
  const wrap = <T extends object>(inner: T, names: readonly (keyof T)[]): T => {
    const outer = Object.create(inner) as T;
    for (const name of allMethods(inner)) {
      const method = (inner[name as keyof T] as (...args: unknown[]) => unknown).bind(inner);
      const isPoint = (names as readonly string[]).includes(name);
      Object.defineProperty(outer, name, {
        value: isPoint
          ? async (...args: unknown[]) => {
              const what = name === 'put' ? `put ${(args[0] as TicketRecord).state}` : name;
              if (!pass(`before ${what}`)) return never;
              const answer = await method(...args);
              return pass(`after ${what}`) ? answer : never;
            }
          : method,
      });
    }
    return outer;
  };
  return { ledger: wrap(ledger, WRITES), api: wrap(api, REQUESTS), death, points: () => points };
}

function allMethods(object: object): string[] {
  const names = new Set<string>();
  for (let at: object | null = object; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (name !== 'constructor' && typeof property.value === 'function') names.add(name);
  return [...names];
}
