/** A known set of tickets: what an export is made of, and what an import of it is compared with. */
import type { TicketPriority, TicketStatus } from '../../src/domain/payload.ts';
import type { Chance } from './random.ts';
import { LANGUAGES, type Language, personName, said, subject, TAGS } from './sentences.ts';

export interface Person {
  readonly id: string;
  readonly login: string;
  readonly email: string;
  readonly name: string;
  readonly role: 'customer' | 'agent';
}

export interface Said {
  readonly by: Person;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly internal: boolean;
  readonly attachment: string | undefined;
}

export interface Change {
  readonly at: number;
  readonly status: TicketStatus;
  readonly by: Person;
}

export interface TrueTicket {
  readonly n: number;
  readonly subject: string;
  readonly requester: Person;
  readonly assignee: Person | undefined;
  readonly status: TicketStatus;
  readonly priority: TicketPriority;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly closedAt: number | undefined;
  /** The first one is the requester's, in order of time. */
  readonly said: readonly Said[];
  /** Begins with `open`; the last one is how the ticket stands. */
  readonly changes: readonly Change[];
}

export interface Truth {
  readonly tickets: readonly TrueTicket[];
  readonly customers: readonly Person[];
  readonly agents: readonly Person[];
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export function makeTruth(
  chance: Chance,
  wants: { readonly notes: boolean; readonly attachments: boolean },
): Truth {
  const taken = new Set<string>();
  const person = (role: Person['role'], id: string): Person => {
    let name = personName(chance);
    while (taken.has(name)) name = personName(chance);
    taken.add(name);
    const plain = name
      .normalize('NFD')
      .replace(/[^A-Za-z ]/g, '')
      .toLowerCase();
    const [first = '', last = ''] = plain.split(' ');
    const domain =
      role === 'agent' ? 'desk.example.com' : `${chance.one(['mail', 'post', 'web', 'firm'])}.example.org`;
    return {
      id,
      name,
      role,
      email: `${first}.${last}@${domain}`,
      login: `${first[0]}${last}${id.slice(-2)}`,
    };
  };
  const base = chance.whole(100, 900) * 100;
  const agents = Array.from({ length: chance.whole(2, 5) }, (_, n) => person('agent', String(base + n + 1)));
  const count = chance.whole(8, 30);
  const customers = Array.from({ length: Math.max(4, Math.round(count * 0.7)) }, (_, n) =>
    person('customer', String(base + 50 + n)),
  );
  const languages: Language[] = chance.shuffled(LANGUAGES).slice(0, chance.whole(1, 3));
  const begin = Date.UTC(chance.whole(2019, 2023), chance.whole(0, 11), chance.whole(1, 27), 8);
  const tickets = Array.from({ length: count }, (_, n) =>
    makeTicket(n, begin + n * DAY * 1.7 + chance.whole(0, 600) * MINUTE, {
      chance,
      agents,
      customers,
      language: chance.one(languages),
      wants,
    }),
  );
  return { tickets, customers, agents };
}

function makeTicket(
  n: number,
  createdAt: number,
  {
    chance,
    agents,
    customers,
    language,
    wants,
  }: {
    chance: Chance;
    agents: readonly Person[];
    customers: readonly Person[];
    language: Language;
    wants: { readonly notes: boolean; readonly attachments: boolean };
  },
): TrueTicket {
  const requester = chance.one(customers);
  const assignee = chance.happens(0.85) ? chance.one(agents) : undefined;
  const agent = assignee ?? chance.one(agents);
  const file = () =>
    wants.attachments && chance.happens(0.25)
      ? `https://files.example.com/${createdAt}/${chance.whole(1000, 9999)}.png`
      : undefined;
  const messages: Said[] = [
    {
      by: requester,
      text: said('customer', language, chance, { to: agent.name, from: requester.name }),
      at: createdAt,
      internal: false,
      attachment: file(),
    },
  ];
  let at = createdAt;
  const length = chance.whole(0, 5);
  for (let turn = 0; turn < length; turn++) {
    at += chance.whole(7, 900) * MINUTE + chance.whole(0, 59) * 1000;
    const internal = wants.notes && chance.happens(0.25);
    const byAgent = internal || (turn % 2 === 0 ? chance.happens(0.85) : chance.happens(0.25));
    const by = byAgent ? (chance.happens(0.8) ? agent : chance.one(agents)) : requester;
    const kind = internal ? 'note' : byAgent ? 'agent' : 'customer';
    messages.push({
      by,
      text: said(kind, language, chance, { to: byAgent ? requester.name : agent.name, from: by.name }),
      at,
      internal,
      attachment: file(),
    });
  }
  const changes: Change[] = [{ at: createdAt, status: 'open', by: requester }];
  const path: TicketStatus[] = chance.one([
    [],
    ['pending'],
    ['pending', 'open'],
    ['resolved'],
    ['pending', 'resolved'],
    ['resolved', 'closed'],
    ['pending', 'open', 'closed'],
    ['closed'],
  ]);
  for (const status of path) {
    at += chance.whole(10, 2000) * MINUTE;
    changes.push({ at, status, by: agent });
  }
  const last = changes.at(-1);
  return {
    n,
    subject: subject(language, chance),
    requester,
    assignee,
    status: last?.status ?? 'open',
    priority: chance.one(['low', 'normal', 'normal', 'high', 'urgent']),
    tags: chance.shuffled(TAGS).slice(0, chance.whole(0, 3)),
    createdAt,
    closedAt: last?.status === 'closed' || last?.status === 'resolved' ? last.at : undefined,
    said: messages,
    changes,
  };
}
