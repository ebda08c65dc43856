/** A truth in the shape that was drawn: the tables of an export, and what an import of them has to bring. */
import type { TicketPriority, TicketStatus } from '../../src/domain/payload.ts';
import { besideTable } from './beside.ts';
import type { Choices } from './choices.ts';
import { isCsv } from './choices.ts';
import { type Name, namesOf } from './names.ts';
import type { Chance } from './random.ts';
import type { Person, Said, TrueTicket, Truth } from './truth.ts';
import {
  entities,
  html,
  priorityWord,
  statusKept,
  statusWord,
  type TimeStyle,
  ticketId,
  timeStyle,
} from './values.ts';

export type Row = Record<string, unknown>;

export interface Table {
  readonly name: string;
  readonly sort: 'ticket' | 'message' | 'user' | 'beside';
  readonly rows: readonly Row[];
  /** An object with a list under each ticket's id. */
  readonly byTicket?: string;
}

export interface WantedMessage {
  readonly text: string;
  readonly role: 'customer' | 'agent';
  readonly internal: boolean;
  /** Undefined: the export does not tell. */
  readonly at: number | undefined;
  readonly by: Person | undefined;
  readonly attachment: string | undefined;
}

export interface WantedTicket {
  readonly id: string;
  readonly subject: string;
  readonly status: TicketStatus;
  readonly priority: TicketPriority;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly closedAt: number | undefined;
  readonly requester: Person;
  readonly assignee: Person | undefined;
  readonly messages: readonly WantedMessage[];
}

export interface Shaped {
  readonly tables: readonly Table[];
  readonly wanted: readonly WantedTicket[];
  readonly time: TimeStyle;
  /** A text that is no message, and that has to be named. */
  readonly mustName: string | undefined;
}

const ROLE_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  german: ['Kunde', 'Mitarbeiter'],
  spanish: ['cliente', 'agente'],
  portuguese: ['cliente', 'agente'],
  french: ['client', 'agent'],
  plain: ['customer', 'agent'],
  synonyms: ['end-user', 'staff'],
  italian: ['cliente', 'operatore'],
  dutch: ['klant', 'medewerker'],
  'other-synonyms': ['caller', 'team'],
  polish: ['klient', 'agent'],
  swedish: ['kund', 'handläggare'],
  turkish: ['müşteri', 'temsilci'],
  japanese: ['お客様', '担当者'],
  danish: ['kunde', 'medarbejder'],
  czech: ['zákazník', 'operátor'],
  finnish: ['asiakas', 'käsittelijä'],
};

export function shape(truth: Truth, choices: Choices, chance: Chance): Shaped {
  const made = new Shaping(truth, choices, chance);
  return {
    tables: made.tables(),
    wanted: truth.tickets.map((ticket) => made.wanted(ticket)),
    time: made.time,
    mustName: made.mustName,
  };
}

class Shaping {
  readonly time: TimeStyle;
  mustName: string | undefined;
  readonly #truth: Truth;
  readonly #choices: Choices;
  readonly #chance: Chance;
  readonly #name: Name;
  readonly #json: boolean;
  readonly #namesRequester: boolean;
  readonly #noteWord: string;
  readonly #decoys: ReadonlySet<string>;

  constructor(truth: Truth, choices: Choices, chance: Chance) {
    this.#truth = truth;
    this.#choices = choices;
    this.#chance = chance;
    this.#name = namesOf(choices);
    this.#json = !isCsv(choices);
    this.time = timeStyle(choices);
    // where rows are messages the one who asked may be told by them alone
    this.#namesRequester =
      choices.structure !== 'message-rows' ||
      choices.people === 'mixed' ||
      choices.role === 'from-to' ||
      chance.happens(0.6);
    this.#noteWord = chance.one(['internal note', 'note']);
    this.#decoys = new Set(
      choices.decoys === 'all' ? ['scores', 'persons', 'texts', 'project'] : [choices.decoys],
    );
  }

  tables(): Table[] {
    const { beside } = this.#choices;
    const tables = this.#ownTables();
    if (beside === 'none') return tables;
    const asMessages =
      this.#choices.structure === 'message-rows' || this.#choices.structure === 'complementary-texts';
    const { rows, named } = besideTable(beside, this.#truth, {
      chance: this.#chance,
      time: this.time,
      ref: asMessages ? this.#name('ticketRef') : this.#ref(),
      id: (n) => this.#id(ticketId(n, this.#choices)),
      person: (person) => this.#person('author', person),
    });
    this.mustName = named;
    return [...tables, { name: beside.replace('-', '_'), sort: 'beside', rows }];
  }

  #ownTables(): Table[] {
    const { structure } = this.#choices;
    const tickets = this.#truth.tickets;
    const name = this.#name;
    const table = (sort: Table['sort'], rows: Row[]): Table => ({ name: name(`${sort}s`), sort, rows });
    switch (structure) {
      case 'row-a-ticket':
      case 'two-texts':
      case 'wide':
        return [
          table(
            'ticket',
            tickets.flatMap((ticket) => this.#ticketRows(ticket)),
          ),
          ...this.#people(),
        ];
      case 'tables':
        return [
          table(
            'ticket',
            tickets.flatMap((ticket) => this.#ticketRows(ticket)),
          ),
          table(
            'message',
            this.#ordered(
              tickets
                .flatMap((ticket) => ticket.said.map((said, at) => this.#messageRow(ticket, said, at)))
                .concat(this.#orphans()),
            ),
          ),
          ...this.#people(),
        ];
      case 'notes-beside': {
        const rows = (internal: boolean) =>
          tickets.flatMap((ticket) =>
            ticket.said.flatMap((said, at) =>
              said.internal === internal ? [this.#messageRow(ticket, said, at)] : [],
            ),
          );
        const without = (row: Row): Row => {
          const { [name('private')]: _, [name('public')]: __, [name('kind')]: ___, ...rest } = row;
          return rest;
        };
        return [
          table(
            'ticket',
            tickets.flatMap((ticket) => this.#ticketRows(ticket)),
          ),
          table('message', this.#ordered(rows(false).map(without).concat(this.#orphans().map(without)))),
          { name: `internal_${name('comments')}`, sort: 'message', rows: rows(true).map(without) },
          ...this.#people(),
        ];
      }
      case 'split-tickets': {
        const rows = tickets.map((ticket) => this.#ticketRow(ticket));
        const id = name('ticketId');
        const brief = new Set([id, name('subject'), name('status'), name('createdAt')]);
        const part = (row: Row, keep: (key: string) => boolean): Row =>
          Object.fromEntries(Object.entries(row).filter(([key]) => keep(key)));
        return [
          table(
            'ticket',
            rows.map((row) => part(row, (key) => brief.has(key))),
          ),
          {
            name: `${name('tickets')}_details`,
            sort: 'beside',
            rows: rows.map((row) => part(row, (key) => key === id || !brief.has(key))),
          },
          table(
            'message',
            this.#ordered(
              tickets.flatMap((ticket) => ticket.said.map((said, at) => this.#messageRow(ticket, said, at))),
            ),
          ),
          ...this.#people(),
        ];
      }
      case 'overlapping': {
        const whole = tickets.map((ticket) => ({
          ...this.#ticketRow(ticket),
          [name('messages')]: ticket.said.map((said, at) => this.#message(ticket, said, at)),
        }));
        // some of the tickets stand in an earlier export too, with less of them
        const earlier = whole.slice(0, Math.ceil(whole.length / 2)).map((row) => ({
          ...row,
          [name('messages')]: (row[name('messages')] as Row[]).slice(0, this.#chance.whole(1, 2)),
          [name('closedAt')]: undefined,
          [name('tags')]: undefined,
        }));
        const rest = whole.filter((_, at) => at < earlier.length - 2 || at >= earlier.length);
        const last = whole.slice(Math.max(0, earlier.length - 2), earlier.length);
        return [
          { name: `${name('tickets')}_1`, sort: 'ticket', rows: [...earlier.slice(0, -2), ...last] },
          { name: `${name('tickets')}_2`, sort: 'ticket', rows: rest },
          ...this.#people(),
        ];
      }
      case 'thread-map':
        return [
          table(
            'ticket',
            tickets.flatMap((ticket) => this.#ticketRows(ticket)),
          ),
          {
            ...table(
              'message',
              tickets.flatMap((ticket) =>
                ticket.said.map((said, at) => ({
                  '*id': ticketId(ticket.n, this.#choices),
                  ...this.#message(ticket, said, at),
                })),
              ),
            ),
            byTicket: '*id',
          },
          ...this.#people(),
        ];
      case 'kind-rows':
        return [
          {
            name: name('tickets'),
            sort: 'ticket',
            rows: tickets.flatMap((ticket) => [
              { record: 'ticket', ...this.#ticketRow(ticket) },
              ...ticket.said.map((said, at) => ({
                record: 'message',
                ...this.#messageRow(ticket, said, at),
              })),
            ]),
          },
          ...this.#people(),
        ];
      case 'transcript':
        return [
          table(
            'ticket',
            tickets.map((ticket) => ({
              ...this.#ticketRow(ticket),
              conversation: ticket.said
                .map((said) => `[${String(this.time.write(said.at))}] ${said.by.name}:\n${said.text}`)
                .join('\n\n'),
            })),
          ),
          ...this.#people(),
        ];
      case 'nested-deep':
        return [
          table(
            'ticket',
            tickets.map((ticket) => ({
              ...this.#ticketRow(ticket),
              thread: {
                count: ticket.said.length,
                [name('messages')]: this.#ordered(
                  ticket.said.map((said, at) => this.#message(ticket, said, at)),
                ),
              },
            })),
          ),
          ...this.#people(),
        ];
      case 'pairs':
        return [
          table(
            'ticket',
            tickets.map((ticket) => ({
              ticket: this.#ticketRow(ticket),
              [name('messages')]: this.#ordered(
                ticket.said.map((said, at) => this.#message(ticket, said, at)),
              ),
            })),
          ),
          ...this.#people(),
        ];
      case 'nested':
        return [
          table(
            'ticket',
            tickets.map((ticket) => ({
              ...this.#ticketRow(ticket),
              [name('messages')]: this.#ordered(
                ticket.said.map((said, at) => this.#message(ticket, said, at)),
              ),
            })),
          ),
          ...this.#people(),
        ];
      case 'message-rows':
        return [
          table(
            'message',
            this.#ordered(
              tickets.flatMap((ticket) =>
                ticket.said.map((said, at) => ({
                  ...this.#ticketRow(ticket),
                  ...this.#messageOnly(ticket, said, at),
                })),
              ),
            ),
          ),
          ...this.#people(),
        ];
      case 'complementary-texts':
        return [
          table(
            'message',
            this.#ordered(
              tickets.flatMap((ticket) =>
                ticket.said.map((said) => ({
                  ...this.#ticketRow(ticket),
                  [name('customerText')]: said.by.role === 'customer' ? this.#body(said.text) : undefined,
                  [name('agentText')]: said.by.role === 'agent' ? this.#body(said.text) : undefined,
                  ...this.#timed(
                    name('sentAt') === name('createdAt') ? `message_${name('sentAt')}` : name('sentAt'),
                    said.at,
                  ),
                })),
              ),
            ),
          ),
          ...this.#people(),
        ];
      case 'update-rows':
        return [
          table('ticket', this.#ordered(tickets.flatMap((ticket) => this.#updates(ticket)))),
          ...this.#people(),
        ];
    }
  }

  wanted(ticket: TrueTicket): WantedTicket {
    const { kept } = this.time;
    return {
      id: ticketId(ticket.n, this.#choices),
      subject: ticket.subject,
      status: statusKept(ticket.status, this.#choices),
      priority: ticket.priority,
      tags: ticket.tags,
      createdAt: kept(ticket.createdAt),
      closedAt: ticket.closedAt === undefined ? undefined : kept(ticket.closedAt),
      requester: ticket.requester,
      assignee: ticket.assignee,
      messages: this.#wantedMessages(ticket),
    };
  }

  #wantedMessages(ticket: TrueTicket): WantedMessage[] {
    const { structure } = this.#choices;
    const all = ticket.said.map(
      (said): WantedMessage => ({
        text: said.text,
        role: said.by.role,
        internal: said.internal,
        at: this.time.kept(said.at),
        by: structure === 'complementary-texts' && said.by.role === 'agent' ? undefined : said.by,
        attachment: ['complementary-texts', 'update-rows', 'wide'].includes(structure)
          ? undefined
          : said.attachment,
      }),
    );
    const [first] = all;
    if (first === undefined || (structure !== 'row-a-ticket' && structure !== 'two-texts')) return all;
    const own = { ...first, attachment: undefined };
    const answer = structure === 'two-texts' ? answerOf(ticket) : undefined;
    return answer === undefined
      ? [own]
      : [
          own,
          {
            text: answer.text,
            role: 'agent',
            internal: false,
            at: undefined,
            by: undefined,
            attachment: undefined,
          },
        ];
  }

  #ticketRows(ticket: TrueTicket): Row[] {
    const row = this.#ticketRow(ticket);
    const { structure, disorder } = this.#choices;
    if (structure === 'two-texts') row[this.#name('answer')] = this.#bodyOf(answerOf(ticket)?.text);
    if (structure === 'wide')
      row['*'] = ticket.said
        .slice(1)
        .map((said) => `${this.time.write(said.at)};${said.by.email};${said.text}`);
    if (disorder === 'copies' && this.#chance.happens(0.3)) return [row, { ...row }];
    if (disorder !== 'versions' || !this.#chance.happens(0.4) || ticket.changes.length < 2) return [row];
    const old = {
      ...row,
      [this.#name('status')]: statusWord('open', this.#choices, this.#chance),
      ...this.#timed(this.#name('updatedAt'), ticket.createdAt + 1000 * 60),
      ...this.#timed(this.#name('closedAt'), undefined),
    };
    return this.#chance.happens(0.5) ? [old, row] : [row, old];
  }

  #timed(column: string, at: number | undefined): Row {
    if (this.#choices.time !== 'two-columns')
      return { [column]: at === undefined ? undefined : this.time.write(at) };
    const [day, clock] = at === undefined ? [] : String(this.time.write(at)).split(' ');
    return { [`${column}_date`]: day, [`${column}_time`]: clock };
  }

  /** What an export says of a ticket itself. */
  #ticketRow(ticket: TrueTicket): Row {
    const name = this.#name;
    const { structure, description } = this.#choices;
    const last = Math.max(ticket.changes.at(-1)?.at ?? 0, ticket.said.at(-1)?.at ?? 0);
    const asMessages = structure === 'message-rows' || structure === 'complementary-texts';
    return {
      ...(this.#choices.ids === 'absent'
        ? {}
        : {
            [asMessages ? name('ticketRef') : name('ticketId')]: this.#id(ticketId(ticket.n, this.#choices)),
          }),
      [name('subject')]: ticket.subject,
      ...(structure === 'update-rows'
        ? {}
        : { [name('status')]: statusWord(ticket.status, this.#choices, this.#chance) }),
      [name('priority')]: priorityWord(ticket.priority, this.#choices),
      ...(this.#namesRequester ? this.#person('requester', ticket.requester) : {}),
      ...this.#person('assignee', ticket.assignee),
      ...this.#tagColumns(ticket.tags),
      ...(description === 'none' ? {} : { [name('description')]: this.#description(ticket) }),
      ...this.#decoyColumns(ticket),
      ...this.#timed(
        asMessages && name('sentAt') === name('createdAt')
          ? `ticket_${name('createdAt')}`
          : name('createdAt'),
        ticket.createdAt,
      ),
      ...(structure === 'update-rows' ? {} : this.#timed(name('updatedAt'), last)),
      ...this.#timed(name('closedAt'), ticket.closedAt),
    };
  }

  #messageRow(ticket: TrueTicket, said: Said, at: number): Row {
    return {
      [this.#name('messageId')]: `${ticket.n + 1}${String(at).padStart(3, '0')}7`,
      [this.#ref()]: this.#id(ticketId(ticket.n, this.#choices)),
      ...this.#message(ticket, said, at),
    };
  }

  #ref(): string {
    const ref = this.#name('ticketRef');
    return ref === this.#name('messageId') ? `ticket_${ref}` : ref;
  }

  /** Beside the ticket's own columns: names that both have are told apart. */
  #messageOnly(ticket: TrueTicket, said: Said, at: number): Row {
    const row = this.#message(ticket, said, at);
    for (const key of ['', '_date', '_time']) delete row[`${this.#name('createdAt')}${key}`];
    return this.#name('sentAt') === this.#name('createdAt')
      ? { ...row, ...this.#timed(`message_${this.#name('sentAt')}`, said.at) }
      : row;
  }

  #message(ticket: TrueTicket, said: Said, _at: number): Row {
    const name = this.#name;
    const { role, internal, naming } = this.#choices;
    const isCustomer = said.by.role === 'customer';
    const words = ROLE_WORDS[naming] ?? ROLE_WORDS['plain'] ?? ['customer', 'agent'];
    const roles: Row =
      role === 'sides'
        ? { [name('role')]: isCustomer ? 'left' : 'right' }
        : role === 'origin'
          ? { [name('direction')]: isCustomer ? 'external' : 'staff' }
          : role === 'word'
            ? { [name('role')]: isCustomer ? words[0] : words[1] }
            : role === 'incoming'
              ? { [name('incoming')]: isCustomer }
              : role === 'from-agent'
                ? { [name('fromAgent')]: !isCustomer }
                : role === 'direction'
                  ? { [name('direction')]: isCustomer ? 'in' : 'out' }
                  : role === 'initial'
                    ? { [name('initial')]: isCustomer ? 'C' : 'A' }
                    : role === 'one-two'
                      ? { [name('kind') === name('role') ? 'side' : name('role')]: isCustomer ? 1 : 2 }
                      : role === 'us-them'
                        ? { [name('role')]: isCustomer ? 'Them' : 'Us' }
                        : role === 'from-to'
                          ? {
                              ...this.#person(
                                'recipient',
                                isCustomer ? (ticket.assignee ?? this.#truth.agents[0]) : ticket.requester,
                              ),
                            }
                          : role === 'admin-user'
                            ? { [name('role')]: isCustomer ? 'user' : 'admin' }
                            : {};
    const inside: Row =
      internal === 'scope'
        ? { [name('visibility')]: said.internal ? 'own staff' : 'all' }
        : internal === 'private'
          ? { [name('private')]: said.internal }
          : internal === 'public'
            ? { [name('public')]: !said.internal }
            : internal === 'kind'
              ? { [name('kind')]: said.internal ? this.#noteWord : 'reply' }
              : internal === 'visibility-word'
                ? { [name('visibility')]: said.internal ? 'internal' : 'public' }
                : internal === 'yes-no'
                  ? { [name('private')]: said.internal ? 'Y' : 'N' }
                  : internal === 'one-zero'
                    ? { [name('private')]: said.internal ? 1 : 0 }
                    : internal === 'audience'
                      ? { [name('visibility')]: said.internal ? 'team only' : 'everyone' }
                      : {};
    const isApart = internal === 'note-column';
    return {
      ...(role === 'author-columns'
        ? {
            ...this.#person('by_customer', isCustomer ? said.by : undefined),
            ...this.#person('by_agent', isCustomer ? undefined : said.by),
          }
        : this.#person('author', said.by)),
      ...roles,
      [name('body')]: isApart && said.internal ? undefined : this.#body(this.#quoting(ticket, said)),
      ...(isApart ? { internal_note: said.internal ? this.#body(said.text) : undefined } : {}),
      ...inside,
      [name('attachment')]: said.attachment,
      ...this.#timed(name('sentAt'), said.at),
    };
  }

  /** A row for each change of status and for each message. */
  #updates(ticket: TrueTicket): Row[] {
    const name = this.#name;
    const steps = [
      ...ticket.changes
        .slice(1)
        .map((change) => ({ at: change.at, by: change.by, said: undefined as Said | undefined })),
      ...ticket.said.map((said) => ({ at: said.at, by: said.by, said: said as Said | undefined })),
    ].sort((a, b) => a.at - b.at);
    return steps.map(({ at, by, said }) => {
      const status = ticket.changes.findLast((change) => change.at <= at)?.status ?? 'open';
      const { [name('author')]: _, ...message } =
        said === undefined ? { [name('body')]: undefined } : this.#messageOnly(ticket, said, 0);
      return {
        ...this.#ticketRow(ticket),
        [name('status')]: statusWord(status, this.#choices, this.#chance),
        ...this.#timed(name('updatedAt'), at),
        ...this.#person('changedBy', by),
        ...Object.fromEntries(
          Object.entries(message).filter(
            ([key]) =>
              !key.startsWith(`message_${name('sentAt')}`) &&
              !key.startsWith(name('sentAt')) &&
              key !== name('attachment') &&
              !key.startsWith(name('author')),
          ),
        ),
      };
    });
  }

  #orphans(): Row[] {
    if (this.#choices.disorder !== 'orphans') return [];
    const [ticket] = this.#truth.tickets;
    return ticket === undefined
      ? []
      : [0, 1].map((n) => ({
          ...this.#messageRow(ticket, ticket.said[0] ?? emptySaid(ticket), 90 + n),
          [this.#ref()]: this.#id(ticketId(900 + n, this.#choices)),
        }));
  }

  #ordered(rows: Row[]): Row[] {
    const { disorder } = this.#choices;
    return disorder === 'shuffled'
      ? this.#chance.shuffled(rows)
      : disorder === 'newest-first'
        ? rows.toReversed()
        : rows;
  }

  #person(concept: string, person: Person | undefined): Row {
    const name = this.#name;
    switch (this.#choices.people) {
      case 'id':
      case 'two-tables':
        return { [name(`${concept}.id`)]: person === undefined ? undefined : this.#id(person.id) };
      case 'login':
        return { [name(concept)]: person?.login };
      case 'address':
        return { [name(`${concept}.email`)]: person?.email };
      case 'name':
        return { [name(concept)]: person?.name };
      case 'nested':
        return {
          [name(concept)]:
            person === undefined
              ? undefined
              : { id: this.#id(person.id), [name('name')]: person.name, [name('email')]: person.email },
        };
      case 'address-line':
        return { [name(concept)]: person === undefined ? undefined : `${person.name} <${person.email}>` };
      case 'first-last':
        return {
          [name(`${concept}.first`)]: person?.name.split(' ')[0],
          [name(`${concept}.last`)]: person?.name.split(' ').slice(1).join(' '),
          [name(`${concept}.email`)]: person?.email,
        };
      case 'last-first':
        return {
          [name(concept)]:
            person === undefined
              ? undefined
              : person.name
                  .split(' ')
                  .slice(1)
                  .concat(',', person.name.split(' ').slice(0, 1))
                  .join(' ')
                  .replace(' ,', ','),
          [name(`${concept}.email`)]: person?.email,
        };
      case 'deep-person':
        return {
          [name(concept)]:
            person === undefined
              ? undefined
              : { profile: { [name('name')]: person.name, contact: { [name('email')]: person.email } } },
        };
      case 'handle':
        return { [name(concept)]: person && `${person.name} (@${person.login}) ${person.email}` };
      case 'mixed':
        return concept === 'requester'
          ? { [name('requester.name')]: person?.name, [name('requester.email')]: person?.email }
          : { [name(concept)]: person?.name };
    }
  }

  #people(): Table[] {
    const { people, role, naming } = this.#choices;
    const { agents, customers } = this.#truth;
    const name = this.#name;
    const words = ROLE_WORDS[naming] ?? ROLE_WORDS['plain'] ?? ['customer', 'agent'];
    const row = (person: Person): Row => ({
      id: this.#id(person.id),
      ...(people === 'login' ? { [name('login')]: person.login } : {}),
      [name('name')]: person.name,
      [name('email')]: person.email,
      ...(role === 'of-people' ? { [name('role')]: person.role === 'customer' ? words[0] : words[1] } : {}),
    });
    if (people === 'two-tables')
      return [
        { name: name('agents'), sort: 'user', rows: agents.map(row) },
        {
          name: name('customers') === name('agents') ? 'customers' : name('customers'),
          sort: 'user',
          rows: customers.map(row),
        },
      ];
    return people === 'id' || people === 'login'
      ? [
          {
            name: name('users'),
            sort: 'user',
            rows: this.#chance.shuffled([...agents, ...customers]).map(row),
          },
        ]
      : [];
  }

  #decoyColumns(ticket: TrueTicket): Row {
    const name = this.#name;
    const chance = this.#chance;
    const manager = this.#truth.agents[ticket.n % 2];
    return {
      ...(this.#decoys.has('scores')
        ? {
            [name('score')]: chance.happens(0.7) ? chance.whole(1, 5) : undefined,
            reopens: chance.whole(0, 3),
          }
        : {}),
      ...(this.#decoys.has('persons')
        ? { [name('manager')]: this.#choices.people === 'name' ? manager?.name : manager?.email }
        : {}),
      ...(this.#decoys.has('texts')
        ? {
            [name('feedback')]: chance.happens(0.4)
              ? `The survey said ${chance.whole(1, 999)}: it took too long but was friendly.`
              : undefined,
          }
        : {}),
      ...(this.#decoys.has('numbers')
        ? {
            order_no: 880000 + ticket.n * 13,
            phone: `+49 30 ${chance.whole(1000000, 9999999)}`,
            handling_minutes: chance.whole(1, 400),
          }
        : {}),
      ...(this.#decoys.has('mirrors')
        ? {
            preview: (ticket.said[0]?.text ?? '').slice(0, 40),
            [`last_${name('author')}`]: chance.one(['customer', 'agent']),
            first_response_at: this.time.write(ticket.createdAt + 40 * 60_000),
          }
        : {}),
      ...(this.#decoys.has('watchers')
        ? {
            [name('watchers')]: chance.happens(0.5)
              ? [0, 1].map(() => chance.one(this.#truth.customers).email).join(', ')
              : undefined,
          }
        : {}),
      ...(this.#decoys.has('flags')
        ? {
            is_vip: chance.happens(0.3),
            has_attachments: chance.happens(0.5),
            escalated: chance.happens(0.1),
          }
        : {}),
      ...(this.#decoys.has('previous')
        ? {
            [`previous_${name('status')}`]: statusWord('open', this.#choices, chance),
            [`first_${name('assignee')}`]: chance.one(this.#truth.agents).name,
          }
        : {}),
      ...(this.#decoys.has('parents')
        ? {
            parent_ticket: chance.happens(0.3)
              ? this.#id(ticketId(chance.whole(0, 7), this.#choices))
              : undefined,
            organization_id: chance.whole(700, 720),
          }
        : {}),
      ...(this.#decoys.has('project')
        ? {
            [name('project')]: chance.one(['open', 'closed', 'pending']),
            [name('due')]: this.time.write(ticket.createdAt + 5 * 86_400_000),
          }
        : {}),
    };
  }

  #description(ticket: TrueTicket): string {
    const text = ticket.said[0]?.text ?? '';
    const { description } = this.#choices;
    if (description === 'html') return html(text);
    if (description === 'with-subject') return `${ticket.subject}\n\n${this.#body(text)}`;
    if (description === 'quoted')
      return text
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
    if (description === 'signed')
      return `${this.#body(text)}\n\n--\nSent from my phone. https://example.com/t/${ticket.n}`;
    if (description === 'cut') return `${text.slice(0, Math.max(45, Math.floor(text.length * 0.6)))}...`;
    return this.#body(text);
  }

  /** Answers have what they answer below them. */
  #quoting(ticket: TrueTicket, said: Said): string {
    const before = ticket.said[ticket.said.indexOf(said) - 1];
    if (this.#choices.body !== 'quoting' || before === undefined || said.internal || before.internal)
      return said.text;
    const quoted = before.text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n');
    return `${said.text}\n\nOn Monday ${before.by.name} wrote:\n${quoted}`;
  }

  #body(text: string): string {
    const { body } = this.#choices;
    if (body === 'entities') return entities(text);
    if (body === 'crlf') return text.replaceAll('\n', '\r\n');
    if (body === 'breaks')
      return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>');
    return body === 'html' ? html(text) : body === 'escaped-lines' ? text.replaceAll('\n', '\\n') : text;
  }

  #bodyOf(text: string | undefined): string | undefined {
    return text === undefined ? undefined : this.#body(text);
  }

  #tagColumns(tags: readonly string[]): Row {
    const name = this.#name('tags');
    if (this.#choices.tags === 'columns')
      return Object.fromEntries([0, 1, 2].map((at) => [`${name}_${at + 1}`, tags[at]]));
    if (this.#choices.tags === 'objects')
      return { [name]: tags.map((tag, at) => ({ id: at + 1, name: tag })) };
    return { [name]: this.#tags(tags) };
  }

  #tags(tags: readonly string[]): unknown {
    const { tags: style } = this.#choices;
    if (this.#json && style === 'list') return tags;
    if (tags.length === 0) return undefined;
    if (style === 'list') return JSON.stringify(tags);
    if (style === 'braces') return `{${tags.join(',')}}`;
    if (style === 'slashes') return tags.join(' / ');
    if (style === 'hashes') return tags.map((tag) => `#${tag}`).join(' ');
    return tags.join(style === 'comma' ? ',' : style === 'spaces' ? ' ' : style === 'pipes' ? '|' : ';');
  }

  #id(text: string): string | number {
    return this.#json && /^[1-9]\d{0,12}$/.test(text) ? Number(text) : text;
  }
}

/** The last thing that an agent said to the customer. */
function answerOf(ticket: TrueTicket): Said | undefined {
  return ticket.said.findLast(({ by, internal }) => by.role === 'agent' && !internal);
}

function emptySaid(ticket: TrueTicket): Said {
  return { by: ticket.requester, text: 'lost', at: ticket.createdAt, internal: false, attachment: undefined };
}
