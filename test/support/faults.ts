/** Further faults for tests: `parseFaults` of this file accepts them and those that ship. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { normalizeEmail } from '../../src/check/people.ts';
import {
  FAULTS,
  type FaultKind,
  type FaultPlan,
  parseFaults as parse,
  silence,
} from '../../src/sandbox/faults.ts';
import { Contacts } from '../../src/sandbox/store/people.ts';

const MORE: Readonly<Record<string, FaultKind>> = {
  ...Object.fromEntries(
    [400, 403, 408, 422, 425, 500].map((status): [string, FaultKind] => [
      String(status),
      { meaning: `${status} before the write`, before: (on) => on.answer(status) },
    ]),
  ),
  '500-after': { meaning: '500 after the write', after: (on) => on.answer(500) },
  '429-date': {
    meaning: '429 with Retry-After as a date',
    value: { unit: 'seconds', default: 2 },
    before: (on, wait) => {
      // Whole seconds, rounded up: obeying it is never too early.
      const until = Math.ceil(on.service.clock.now() / 1000 + wait) * 1000;
      return on.answer(429, { 'retry-after': new Date(until).toUTCString() });
    },
  },
  'no-answer-before': { meaning: 'no answer, and no write', before: silence },
  'close-after': {
    meaning: 'the connection is closed after the write',
    after({ c }) {
      c.env.incoming.socket.end();
      return RESPONSE_ALREADY_SENT;
    },
  },
  truncated: {
    meaning: 'the answer ends in the middle',
    async after({ c }) {
      const bytes = Buffer.from(await c.res.arrayBuffer());
      const { outgoing, incoming } = c.env;
      outgoing.writeHead(c.res.status, {
        'content-type': 'application/json',
        'content-length': Math.max(bytes.length, 1),
      });
      outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.end());
      return RESPONSE_ALREADY_SENT;
    },
  },
  'racy-contacts': {
    meaning: 'contacts are looked for, and created after a pause without looking again',
    value: { unit: 'milliseconds', default: 5 },
    isTrait: true,
    async before({ c, service: { store, clock, closing } }, pause) {
      const seen = new Set(store.sql.column<string>('SELECT email FROM contacts'));
      await clock.sleep(pause, closing);
      c.set('contacts', new RacyContacts(store.sql, seen));
      return undefined;
    },
  },
};

/** Finds only contacts that were there when the request arrived, and those that it created itself. */
class RacyContacts extends Contacts {
  readonly #seen: Set<string>;

  constructor(sql: ConstructorParameters<typeof Contacts>[0], seen: Set<string>) {
    super(sql);
    this.#seen = seen;
  }

  override find(email: string): ReturnType<Contacts['find']> {
    const known = this.#seen.has(normalizeEmail(email));
    this.#seen.add(normalizeEmail(email));
    return known ? super.find(email) : undefined;
  }
}

export function parseFaults(texts: readonly string[], seed = 1): FaultPlan {
  return parse(texts, seed, { ...FAULTS, ...MORE });
}
