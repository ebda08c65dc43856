/** Exports of the main shapes with known content: what `init` and its answers make of them is compared with it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerValue, Question } from '../../src/discover/questions.ts';

export interface Truth {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly priority: string;
  readonly email: string;
  readonly messages: readonly { readonly text: string; readonly role: string; readonly internal: boolean }[];
}

interface Message {
  readonly text: string;
  readonly at: string;
  readonly who: 'customer' | 'agent';
  readonly internal: boolean;
}

interface Ticket {
  readonly id: string;
  readonly subject: string;
  readonly status: number;
  readonly priority: number;
  readonly customer: { readonly id: string; readonly name: string; readonly email: string };
  readonly at: string;
  readonly messages: readonly Message[];
}

const SHAPES = ['rows', 'threads', 'people', 'nested', 'group', 'versions', 'kinds', 'files'] as const;
export type Shape = (typeof SHAPES)[number];
const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'none'] as const;
export type Language = (typeof LANGUAGES)[number];

export const CASES: readonly (readonly [Shape, Language, number])[] = SHAPES.flatMap((shape, at) =>
  LANGUAGES.map((language, seed) => [shape, language, at * 10 + seed] as const),
);

/** Names of columns: id, subject, status, priority, e-mail, name, created, text, ticket, time, author, side, internal. */
const NAMES: Readonly<Record<Language, string>> = {
  en: 'Ticket ID|Subject|Status|Priority|Customer Email|Customer Name|Created at|Message|ticket_id|sent_at|author_email|sender_type|is_internal',
  de: 'Ticketnummer|Betreff|Status|Priorität|Kunden-E-Mail|Kundenname|Erstellt am|Nachricht|Ticketnummer|Gesendet am|Absender-E-Mail|Rolle|Intern',
  es: 'Número de caso|Asunto|Estado|Prioridad|Correo del cliente|Cliente|Fecha de creación|Mensaje|Número de caso|Fecha|Correo|Rol|Interno',
  fr: "Numéro de ticket|Objet|Statut|Priorité|Courriel du client|Nom du client|Date de création|Message|Numéro de ticket|Date d'envoi|Courriel|Rôle|Interne",
  pt: 'Número do chamado|Assunto|Status|Prioridade|Email do cliente|Nome do cliente|Criado em|Mensagem|Número do chamado|Enviado em|Email|Papel|Interno',
  none: 'c1|c2|c3|c4|c5|c6|c7|c8|d1|d2|d3|d4|d5',
};
const FIELDS = [
  'id',
  'subject',
  'status',
  'priority',
  'email',
  'name',
  'created',
  'text',
  'ticket',
  'at',
  'author',
  'side',
  'internal',
] as const;
type Field = (typeof FIELDS)[number];
type Names = Readonly<Record<Field, string>>;

/** Open, pending, resolved, closed; urgent, high, normal, low; customer, agent. */
const WORDS: Readonly<Record<Language, string>> = {
  en: 'New|Waiting on customer|Solved|Closed/Urgent|High|Normal|Low/customer|agent',
  de: 'Offen|Wartend|Gelöst|Geschlossen/Kritisch|Hoch|Mittel|Niedrig/Kunde|Mitarbeiter',
  es: 'Abierto|En espera|Resuelto|Cerrado/Urgente|Alta|Media|Baja/cliente|agente',
  fr: 'Ouvert|En attente|Résolu|Fermé/Critique|Haute|Moyenne|Basse/client|conseiller',
  pt: 'Aberto|Pendente|Resolvido|Fechado/Urgente|Alta|Média|Baixa/cliente|atendente',
  none: 'new|waiting|done|shut/urgent|high|medium|low/K|T',
};
const STATUSES = ['open', 'pending', 'resolved', 'closed'] as const;
const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;

const TOPICS = [
  'Parcel has not arrived',
  'Refund for a kettle',
  'Cannot log in any more',
  'Invoice is missing',
  'Wrong size delivered',
  'Coupon does not work',
];

/** Numbers that are the same on every machine. */
function numbers(seed: number): (most: number) => number {
  let state = seed * 7919 + 17;
  return (most) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * most);
  };
}

function tickets(seed: number): Ticket[] {
  const next = numbers(seed);
  return Array.from({ length: 14 }, (_, n) => {
    const who = n % 11;
    const day = `2024-0${1 + (n % 9)}-1${n % 9}`;
    const at = (k: number) => `${day}T0${1 + k}:${10 + n}:00Z`;
    const topic = TOPICS[next(TOPICS.length)] ?? '';
    const length = 2 + next(3);
    return {
      id: `${5000 + n * 3}`,
      subject: `${topic}, no ${n}`,
      status: n % 4,
      priority: (n + seed) % 4,
      customer: { id: `u${who}`, name: `Kim Number ${who}`, email: `kim${who}@example.org` },
      at: at(0),
      messages: Array.from({ length }, (__, k): Message => {
        const side = k % 2 === 0 ? 'customer' : 'agent';
        const text =
          side === 'customer'
            ? `Hello, my order ${n} step ${k} is still not right, please look at it.`
            : `We have looked at case ${n} step ${k} and are working on it now.`;
        return { text, at: at(k), who: side, internal: side === 'agent' && next(4) === 0 };
      }),
    };
  });
}

const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = (header: readonly string[], rows: readonly (readonly string[])[]) =>
  `${[header, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;

export interface Generated {
  readonly truth: readonly Truth[];
  /** What somebody answers who made the export; undefined: that person cannot say either. */
  answer(question: Question): AnswerValue | undefined;
}

const AGENT = 'lee@desk.example';

export function generate(folder: string, shape: Shape, language: Language, seed: number): Generated {
  const all = tickets(seed);
  const list = NAMES[language].split('|');
  const n = Object.fromEntries(FIELDS.map((field, at) => [field, list[at] ?? ''])) as Names;
  const [statuses = [], priorities = [], sides = []] = WORDS[language]
    .split('/')
    .map((words) => words.split('|'));
  const status = (ticket: Ticket) => statuses[ticket.status] ?? '';
  const priority = (ticket: Ticket) => priorities[ticket.priority] ?? '';
  const side = (message: Message) => sides[message.who === 'customer' ? 0 : 1] ?? '';
  const author = (ticket: Ticket, message: Message) =>
    message.who === 'customer' ? ticket.customer.email : AGENT;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const ticketHeader = [n.id, n.subject, n.status, n.priority, n.email, n.name, n.created];
  const ticketRow = (ticket: Ticket) => [
    ticket.id,
    ticket.subject,
    status(ticket),
    priority(ticket),
    ticket.customer.email,
    ticket.customer.name,
    ticket.at,
  ];
  const messageHeader = [n.ticket, n.at, n.author, n.side, n.internal, n.text];
  const messageRow = (ticket: Ticket) => (message: Message) => [
    ticket.id,
    message.at,
    author(ticket, message),
    side(message),
    message.internal ? 'true' : 'false',
    message.text,
  ];
  const asObject = (header: readonly string[], row: readonly string[]) =>
    Object.fromEntries(header.map((name, at) => [name, row[at]]));
  const first = ({ messages }: Ticket) => messages.slice(0, 1);

  let said = (ticket: Ticket) => ticket.messages;
  switch (shape) {
    case 'rows':
      said = first;
      write(
        'export.csv',
        csv(
          [...ticketHeader, n.text],
          all.map((ticket) => [...ticketRow(ticket), ticket.messages[0]?.text ?? '']),
        ),
      );
      break;
    case 'threads':
      write('tickets.csv', csv(ticketHeader, all.map(ticketRow)));
      write(
        'comments.csv',
        csv(
          messageHeader,
          all.flatMap((ticket) => ticket.messages.map(messageRow(ticket))),
        ),
      );
      break;
    case 'people': {
      const people = [
        ...new Map(all.map(({ customer }) => [customer.id, customer])).values(),
        { id: 'a1', name: 'Lee Agent', email: AGENT },
      ];
      write(
        'users.csv',
        csv(
          ['id', 'email', 'name', 'role'],
          people.map(({ id, email, name }) => [id, email, name, (id === 'a1' ? sides[1] : sides[0]) ?? '']),
        ),
      );
      const header = [n.id, n.subject, n.status, n.priority, 'customer_id', n.created];
      write(
        'tickets.csv',
        csv(
          header,
          all.map((ticket) => [
            ticket.id,
            ticket.subject,
            status(ticket),
            priority(ticket),
            ticket.customer.id,
            ticket.at,
          ]),
        ),
      );
      write(
        'messages.csv',
        csv(
          [n.ticket, n.at, 'author_id', n.internal, n.text],
          all.flatMap((ticket) =>
            ticket.messages.map((message) => [
              ticket.id,
              message.at,
              message.who === 'customer' ? ticket.customer.id : 'a1',
              message.internal ? 'true' : 'false',
              message.text,
            ]),
          ),
        ),
      );
      break;
    }
    case 'nested':
      write(
        'export.json',
        JSON.stringify({
          exported: '2024-12-01',
          tickets: all.map((ticket) => ({
            ...asObject(ticketHeader, ticketRow(ticket)),
            messages: ticket.messages.map((message) =>
              asObject(messageHeader.slice(1), messageRow(ticket)(message).slice(1)),
            ),
          })),
        }),
      );
      break;
    case 'group':
      write(
        'export.csv',
        csv(
          [...ticketHeader, ...messageHeader.slice(1)],
          all.flatMap((ticket) =>
            ticket.messages.map((message) => [...ticketRow(ticket), ...messageRow(ticket)(message).slice(1)]),
          ),
        ),
      );
      break;
    case 'versions':
      said = first;
      write(
        'export.csv',
        csv(
          [...ticketHeader, 'updated_at', n.text],
          all.flatMap((ticket) =>
            [0, 1].map((version) => [
              ...ticketRow(ticket).map((text, at) =>
                at === 2 && version === 0 ? (statuses[0] ?? '') : text,
              ),
              `2024-10-0${1 + version}T00:00:00Z`,
              ticket.messages[0]?.text ?? '',
            ]),
          ),
        ),
      );
      break;
    case 'kinds':
      write(
        'export.jsonl',
        all
          .flatMap((ticket) => [
            { type: 'ticket', ...asObject(ticketHeader, ticketRow(ticket)) },
            ...ticket.messages.map((message) => ({
              type: 'message',
              ...asObject(messageHeader, messageRow(ticket)(message)),
            })),
          ])
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(''),
      );
      break;
    case 'files':
      mkdirSync(join(folder, 'tickets'));
      for (const ticket of all)
        write(
          `tickets/ticket_${ticket.id}.json`,
          JSON.stringify({
            ...asObject(ticketHeader, ticketRow(ticket)),
            messages: ticket.messages.map((message) =>
              asObject(messageHeader.slice(1), messageRow(ticket)(message).slice(1)),
            ),
          }),
        );
      break;
  }
  const isAlone = shape === 'rows' || shape === 'versions';
  return {
    truth: all.map((ticket) => ({
      id: ticket.id,
      subject: ticket.subject,
      status: STATUSES[ticket.status] ?? '',
      priority: PRIORITIES[ticket.priority] ?? '',
      email: ticket.customer.email,
      messages: said(ticket).map(({ text, who, internal }) => ({
        text,
        role: who,
        internal: isAlone ? false : internal,
      })),
    })),
    answer: (question) => answerOf(question, n, { statuses, priorities, sides }, shape),
  };
}

/** By the key of the question: which column, or what a word means. */
function answerOf(
  { key, choices, kind }: Question,
  n: Names,
  words: { statuses: readonly string[]; priorities: readonly string[]; sides: readonly string[] },
  shape: Shape,
): AnswerValue | undefined {
  const columns: Readonly<Record<string, string>> = {
    'tickets.key': n.id,
    'ticket.subject': n.subject,
    'ticket.status': n.status,
    'ticket.priority': n.priority,
    'ticket.createdAt': n.created,
    'ticket.requesterEmail': n.email,
    'ticket.requesterName': n.name,
    'ticket.description': n.text,
    'message.text': n.text,
    'message.at': n.at,
    'message.authorEmail': n.author,
    'message.role': n.side,
    'message.internal': n.internal,
  };
  if (key === 'look') return true;
  if (key.startsWith('parent.')) return n.ticket;
  if (key === 'tickets.rows') return shape === 'versions' ? 'root' : 'group';
  if (key === 'tickets.table')
    return choices?.find(({ value }) => /ticket|export/.test(String(value)))?.value;
  if (Object.hasOwn(columns, key)) {
    const wanted = columns[key];
    return choices?.some(({ value }) => value === wanted) === true ? wanted : null;
  }
  const word = key.split('.').at(-1) ?? '';
  const status = words.statuses.indexOf(word);
  if (/status/.test(key) && status >= 0) return STATUSES[status];
  const priority = words.priorities.indexOf(word);
  if (/priority/.test(key) && priority >= 0) return PRIORITIES[priority];
  if (words.sides.includes(word)) return word === words.sides[0] ? 'customer' : 'agent';
  if (key === 'otherAuthors') return 'agent';
  if (kind === 'choice') return choices?.some(({ value }) => value === null) === true ? null : undefined;
  return { zone: 'UTC', time: '2020-01-01T00:00:00Z', domain: 'customers.example.com', text: 'agt_1' }[kind];
}
