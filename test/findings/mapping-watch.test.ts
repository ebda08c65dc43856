/** What looks like a mistake in a mapping, told by the tickets that came out of it: a table of mistakes, and of what is none. */
import { describe, expect, it } from 'vitest';
import type { MappedTicket, NamedPerson } from '../../src/domain/ticket.ts';
import type { FindingCode, Places } from '../../src/findings/finding.ts';
import { MappingWatch } from '../../src/findings/mapping-watch.ts';

const PLACES: Places = {
  key: 'mapping.tables.tickets.key',
  requester: 'mapping.ticket.requester',
  status: 'mapping.ticket.status',
  messages: 'mapping.messages[1]',
  description: 'mapping.messages[0]',
};

interface Said {
  readonly role?: string;
  readonly who?: NamedPerson;
  readonly text?: string;
  readonly at?: string;
  readonly isInternal?: boolean;
}

interface Made {
  readonly requester?: NamedPerson | undefined;
  readonly fields?: Record<string, unknown>;
  readonly said?: readonly Said[];
  readonly history?: readonly string[];
}

const ref = { file: 0, offset: 0, length: 1, line: 2 };
const customer = (n: number): NamedPerson => ({
  id: `c${n}`,
  email: `c${n}@example.org`,
  name: `Customer ${n}`,
});
const agent = (n: number): NamedPerson => ({
  id: `a${n}`,
  email: `a${n}@desk.example.com`,
  name: `Agent ${n}`,
});
const text = (n: number, at: number) =>
  `Message ${at} of ticket ${n}, which nobody else has written like this.`;

function mapped(
  n: number,
  { requester = customer(n), fields = {}, said = [], history = [] }: Made,
): MappedTicket {
  return {
    kind: 'ticket',
    seq: n,
    externalId: `T-${n}`,
    ref,
    ticket: {
      subject: `Subject ${n}`,
      status: 'closed',
      contact: requester,
      createdAt: `2024-01-${String(n + 1).padStart(2, '0')}T08:00:00Z`,
      ...fields,
    },
    messages: said.map(({ role = 'customer', who, text: content = text(n, 0), at, isInternal }, index) => ({
      value: {
        actorType: role,
        content,
        occurredAt: at ?? `2024-01-${String(n + 1).padStart(2, '0')}T0${index + 8}:00:00Z`,
        isInternal,
      },
      ref,
      who: who ?? (role === 'agent' ? agent(n % 2) : requester),
    })),
    events: history.map((status, index) => ({
      value: { newValue: { status }, occurredAt: `2024-02-0${index + 1}T08:00:00Z` },
      ref,
    })),
    rows: [{ table: 'tickets', ref }],
    problems: [],
    values: [],
    requester,
  };
}

/** Ten tickets made alike. */
function codes(make: (n: number) => Made): FindingCode[] {
  const watch = new MappingWatch(new Date('2026-01-01T00:00:00Z'));
  for (let n = 0; n < 10; n++) watch.see(mapped(n, make(n)));
  return watch.findings(PLACES, [], []).map(({ code }) => code);
}

const talk = (n: number): Said[] => [
  { text: text(n, 0) },
  { role: 'agent', text: text(n, 1) },
  { text: text(n, 2) },
];

describe('a mapping is checked against what it mapped', () => {
  it('an ordinary conversation gives no finding', () => {
    expect(codes((n) => ({ said: talk(n) }))).toEqual([]);
  });

  it('tickets of one message each give no finding', () => {
    expect(codes((n) => ({ said: [{ text: text(n, 0) }] }))).toEqual([]);
  });

  it('an answer that quotes the question below is no repetition', () => {
    const quoted = (n: number) =>
      `We have looked into it and will write again soon, thank you. > ${text(n, 0)}`;
    expect(codes((n) => ({ said: [{ text: text(n, 0) }, { role: 'agent', text: quoted(n) }] }))).toEqual([]);
  });

  it('fields of a form, each with its name, are no conversation', () => {
    const form = (n: number) => `Name: Ann Lee\nOrder: ${n}\nPhone: 555 ${n}\nQuestion: ${text(n, 0)}`;
    expect(codes((n) => ({ said: [{ text: form(n) }] }))).toEqual([]);
  });

  const mistakes: readonly (readonly [string, FindingCode, (n: number) => Made])[] = [
    [
      'all messages of a ticket are customers’',
      'one-author-type',
      (n) => ({ said: talk(n).map((said) => ({ ...said, role: 'customer' })) }),
    ],
    [
      'all messages of a ticket are agents’',
      'one-author-type',
      (n) => ({ said: talk(n).map((said) => ({ ...said, role: 'agent' })) }),
    ],
    [
      'customers and agents have changed places',
      'agent-writes-first',
      (n) => ({
        said: talk(n).map((said) => ({
          ...said,
          role: said.role === 'agent' ? 'customer' : 'agent',
          who: said.role === 'agent' ? customer(n) : agent(n),
        })),
      }),
    ],
    [
      'the requester’s own text is an agent’s, known by the address that is an id elsewhere',
      'agents-like-requesters',
      (n) => ({
        said: [{ text: text(n, 0) }, { role: 'agent', text: text(n, 1), who: { id: `c${n}@example.org` } }],
      }),
    ],
    [
      'agents ask for something in other tickets',
      'agents-like-requesters',
      (n) => ({
        said: [{ text: text(n, 0) }, { role: 'agent', text: text(n, 1), who: customer((n + 1) % 10) }],
      }),
    ],
    [
      'the requester is an account manager',
      'few-requesters',
      (n) => ({ requester: agent(7), said: [{ text: text(n, 0) }] }),
    ],
    [
      'those who asked answer in other tickets',
      'requester-is-agent',
      (n) => ({
        requester: agent(n % 4),
        said: [{ text: text(n, 0) }, { role: 'agent', text: text(n, 1), who: agent((n + 1) % 4) }],
      }),
    ],
    [
      'somebody else than the requester writes',
      'not-the-requester',
      (n) => ({
        said: talk(n).map((said) => (said.role === 'agent' ? said : { ...said, who: customer(n + 20) })),
      }),
    ],
    [
      'the description stands in the first comment too, with a signature and markup',
      'repeated-text',
      (n) => ({
        said: [
          { text: `<p>${text(n, 0)}</p> Sent from my phone`, at: '2024-05-01T08:00:00Z' },
          { text: text(n, 0), at: '2024-05-01T08:00:00Z' },
        ],
      }),
    ],
    [
      'one text stands in every message',
      'repeated-text',
      (n) => ({ said: [0, 1, 2].map(() => ({ text: text(n, 0) })) }),
    ],
    [
      'a public description is the copy of an internal note',
      'note-published',
      (n) => ({ said: [{ text: text(n, 0) }, { role: 'agent', text: text(n, 0), isInternal: true }] }),
    ],
    [
      'a journal stands in one cell: times, names and what kind of entry each is',
      'several-speakers',
      (n) => ({
        said: [
          {
            text: `2024-05-0${n % 9} 10:00:00 - Kim Park (Work notes)\n${text(n, 1)}\n\n2024-05-0${n % 9} 09:00:00 - Ann Lee (Additional comments)\n${text(n, 0)}`,
          },
        ],
      }),
    ],
    [
      'a chat stands in one cell, with names alone',
      'several-speakers',
      (n) => ({
        said: [
          {
            text: `<p>Ann: Hello</p><p>Kim: Hi, what is it?</p><p>Ann: ${text(n, 0)}</p><p>Kim: I look into it</p>`,
          },
        ],
      }),
    ],
    [
      'texts that say that they are for the team are public',
      'note-published',
      (n) => ({
        said: [
          { text: text(n, 0) },
          { role: 'agent', text: `<p>[Internal note] the customer called twice about parcel ${n}</p>` },
        ],
      }),
    ],
    [
      'a cell that stands for nothing is a message',
      'nothing-said',
      (n) => ({ said: [...talk(n), { text: n === 3 ? 'N/A' : text(n, 5) }] }),
    ],
    [
      'the status is another one than the history ends with',
      'status-not-latest',
      (n) => ({ said: talk(n), fields: { status: 'open' }, history: ['open', 'closed'] }),
    ],
    [
      'all messages have the time of their ticket',
      'same-times',
      (n) => ({ said: talk(n).map((said) => ({ ...said, at: '2024-05-01T08:00:00Z' })) }),
    ],
    [
      'all times are at midnight',
      'odd-times',
      (n) => ({
        fields: { createdAt: '2024-05-01T00:00:00Z' },
        said: [{ text: text(n, 0), at: '2024-05-01T00:00:00Z' }],
      }),
    ],
    [
      'tickets were created in the future',
      'odd-times',
      (n) => ({
        fields: { createdAt: '2031-05-01T08:00:00Z' },
        said: [{ text: text(n, 0), at: '2031-05-01T08:00:00Z' }],
      }),
    ],
    [
      'messages are of days before their ticket',
      'odd-times',
      (n) => ({ fields: { createdAt: '2024-06-01T08:00:00Z' }, said: talk(n) }),
    ],
    [
      'rows of one conversation are tickets of their own',
      'shared-rows',
      (n) => ({
        requester: customer(n % 3),
        fields: { subject: `Subject ${n % 3}`, createdAt: '2024-05-01T08:00:00Z' },
        said: [{ text: text(n, 0), at: '2024-05-01T08:00:00Z' }],
      }),
    ],
    ['several tags are one', 'joined-tags', (n) => ({ fields: { tags: ['vip refund'] }, said: talk(n) })],
    [
      'lines end with the two characters \\n',
      'line-breaks',
      (n) => ({ said: talk(n).map((said) => ({ ...said, text: `Hello,\\n\\n${said.text}` })) }),
    ],
  ];

  it.each(mistakes)('%s: %s', (_, code, make) => {
    expect(codes(make)).toContain(code);
  });

  it('text that nothing reads is told with its size, and is worse where tickets have no messages', () => {
    const column = { table: 'tickets', column: 'body', file: 'a/tickets.csv', filled: 10, text: 4000 };
    const found = (said: readonly Said[]) => {
      const watch = new MappingWatch(new Date('2026-01-01T00:00:00Z'));
      for (let n = 0; n < 10; n++) watch.see(mapped(n, { said }));
      return watch.findings(PLACES, [column], []);
    };
    expect(found(talk(1)).find(({ code }) => code === 'unread-text')?.message).toContain(
      '"body" of tickets.csv (4,000 characters in 10 rows)',
    );
    expect(found([]).map(({ code }) => code)).toContain('no-conversation');
    expect(found(talk(1)).map(({ code }) => code)).not.toContain('no-conversation');
  });
});
