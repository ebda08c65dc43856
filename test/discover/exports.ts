/** Exports of the main shapes with known content: what `init` and its answers make of them is compared with it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

const SHAPES = 'rows threads people nested group versions kinds files'.split(' ');
const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'none'] as const;
export type Language = (typeof LANGUAGES)[number];

export const CASES = SHAPES.flatMap((shape, at) =>
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
const FIELDS = 'id subject status priority email name created text ticket at author side internal'.split(' ');
type Names = Readonly<Record<string, string>>;

/** Open, pending, resolved, closed; urgent, high, normal, low; customer, agent. */
const WORDS: Readonly<Record<Language, string>> = {
  en: 'New|Waiting on customer|Solved|Closed/Urgent|High|Normal|Low/customer|agent',
  de: 'Offen|Wartend|Gelöst|Geschlossen/Kritisch|Hoch|Mittel|Niedrig/Kunde|Mitarbeiter',
  es: 'Abierto|En espera|Resuelto|Cerrado/Urgente|Alta|Media|Baja/cliente|agente',
  fr: 'Ouvert|En attente|Résolu|Fermé/Critique|Haute|Moyenne|Basse/client|conseiller',
  pt: 'Aberto|Pendente|Resolvido|Fechado/Urgente|Alta|Média|Baixa/cliente|atendente',
  none: 'new|waiting|done|shut/urgent|high|medium|low/K|T',
};
/** That no file of words has. */
const OWN_WORDS = 'zeta|kappa|omega|theta/north|east|south|west/K|T';
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
export function numbers(seed: number): (most: number) => number {
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

export interface Generated {
  readonly truth: readonly Truth[];
  /** What the export's author knows: the column of each field, and the meaning of each word. */
  readonly columns: Readonly<Record<string, string>>;
  meaning(key: string, word: string): string;
}

const AGENT = 'lee@desk.example';
type Row = Readonly<Record<string, string>>;

const csv = (rows: readonly Row[]) => {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((cells) => `${cells.map(cell).join(',')}\n`)
    .join('');
};

/** `own`: a third of the names and lists of words are the export's own. */
export function generate(
  folder: string,
  shape: string,
  language: Language,
  seed: number,
  own = false,
): Generated {
  const all = tickets(seed);
  const next = numbers(seed + 1000);
  const taken = (text: string, others: string, by: string) => {
    const [known, unknown] = [text, others].map((each) => each.split(by));
    return (known ?? []).map((each, at) => (own && next(3) === 0 ? (unknown?.[at] ?? each) : each));
  };
  const list = taken(NAMES[language], NAMES.none, '|');
  const n: Names = Object.fromEntries(FIELDS.map((field, at) => [field, list[at] ?? '']));
  const [statuses = [], priorities = [], sides = []] = taken(WORDS[language], OWN_WORDS, '/').map((words) =>
    words.split('|'),
  );
  const named = (values: Row): Row =>
    Object.fromEntries(Object.entries(values).map(([field, value]) => [n[field] ?? field, value]));
  const write = (name: string, rows: readonly Row[]) => writeFileSync(join(folder, name), csv(rows));
  const rowOf = ({ id, subject, status, priority, customer, at }: Ticket, latest = true) => ({
    id,
    subject,
    status: statuses[latest ? status : 0] ?? '',
    priority: priorities[priority] ?? '',
    ...(shape === 'people' ? { customer_id: customer.id } : { email: customer.email, name: customer.name }),
    created: at,
  });
  const messageOf = ({ customer }: Ticket, { text, at, who, internal }: Message): Row => {
    const isAgent = who === 'agent';
    const person = { author: isAgent ? AGENT : customer.email, side: sides[isAgent ? 1 : 0] ?? '' };
    const author: Row = shape === 'people' ? { author_id: isAgent ? 'a1' : customer.id } : person;
    return named({ at, ...author, internal: String(internal), text });
  };
  const messagesOf = (ticket: Ticket) => ticket.messages.map((message) => messageOf(ticket, message));
  const joined = all.flatMap((ticket) =>
    messagesOf(ticket).map((row) => ({ [n['ticket'] ?? '']: ticket.id, ...row })),
  );
  const whole = (ticket: Ticket) => ({ ...named(rowOf(ticket)), messages: messagesOf(ticket) });
  const isAlone = shape === 'rows' || shape === 'versions';
  const rows = all.map((ticket) => named(rowOf(ticket)));
  const text = ({ messages }: Ticket) => messages[0]?.text ?? '';
  if (shape === 'rows')
    write(
      'export.csv',
      all.map((ticket) => named({ ...rowOf(ticket), text: text(ticket) })),
    );
  if (shape === 'threads' || shape === 'people') {
    write('tickets.csv', rows);
    write('messages.csv', joined);
  }
  if (shape === 'people') {
    const people = new Map(all.map(({ customer }) => [customer.id, { ...customer, role: sides[0] ?? '' }]));
    write('users.csv', [
      ...people.values(),
      { id: 'a1', name: 'Lee Agent', email: AGENT, role: sides[1] ?? '' },
    ]);
  }
  if (shape === 'nested')
    writeFileSync(join(folder, 'export.json'), JSON.stringify({ tickets: all.map(whole) }));
  if (shape === 'group')
    write(
      'export.csv',
      all.flatMap((ticket) => messagesOf(ticket).map((row) => ({ ...named(rowOf(ticket)), ...row }))),
    );
  if (shape === 'versions')
    write(
      'export.csv',
      all.flatMap((ticket) =>
        [1, 2].map((version) =>
          named({
            ...rowOf(ticket, version === 2),
            updated_at: `2024-10-0${version}T00:00:00Z`,
            text: text(ticket),
          }),
        ),
      ),
    );
  if (shape === 'kinds') {
    const records = [
      ...rows.map((row) => ({ type: 'ticket', ...row })),
      ...joined.map((row) => ({ type: 'message', ...row })),
    ];
    writeFileSync(
      join(folder, 'export.jsonl'),
      records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  }
  if (shape === 'files')
    for (const ticket of all)
      writeFileSync(join(folder, `ticket_${ticket.id}.json`), JSON.stringify(whole(ticket)));
  return {
    truth: all.map(({ id, subject, status, priority, customer, messages }) => ({
      id,
      subject,
      status: STATUSES[status] ?? '',
      priority: PRIORITIES[priority] ?? '',
      email: customer.email,
      messages: (isAlone ? messages.slice(0, 1) : messages).map(({ text: said, who, internal }) => ({
        text: said,
        role: who,
        internal: !isAlone && internal,
      })),
    })),
    columns: columnsOf(n, shape),
    meaning: (key, word) => {
      const [words, meanings]: readonly [readonly string[], readonly string[]] = key.endsWith('status')
        ? [statuses, STATUSES]
        : key.endsWith('priority')
          ? [priorities, PRIORITIES]
          : key.endsWith('visibility')
            ? [
                ['true', 'false'],
                ['internal', 'public'],
              ]
            : [sides, ['customer', 'agent']];
      return meanings[words.indexOf(word)] ?? '';
    },
  };
}

function columnsOf(n: Names, shape: string): Record<string, string> {
  const at = (field: string) => n[field] ?? field;
  const isNested = shape === 'nested' || shape === 'files';
  const file = { threads: 'messages.csv:', people: 'messages.csv:', kinds: 'export.jsonl:' }[shape] ?? '';
  const said = (field: string) => (isNested ? `messages[].${at(field)}` : `${file}${at(field)}`);
  const hasMessages = shape !== 'rows' && shape !== 'versions';
  const isPeople = shape === 'people';
  const own = shape === 'threads' || isPeople ? 'tickets.csv:' : '';
  return {
    'ticket.id': `${own}${at('id')}`,
    ...(shape === 'versions'
      ? { 'ticket.rows': 'version' }
      : shape === 'group'
        ? { 'ticket.rows': 'message' }
        : {}),
    'ticket.subject': at('subject'),
    'ticket.status': at('status'),
    'ticket.priority': at('priority'),
    ...(isPeople
      ? { 'ticket.requester': 'tickets.csv:customer_id' }
      : { 'ticket.requester.email': at('email'), 'ticket.requester.name': at('name') }),
    'ticket.createdAt': at('created'),
    ...(hasMessages
      ? {
          'message.text': said('text'),
          'message.time': said('at'),
          'message.visibility': said('internal'),
          ...(isPeople
            ? { 'message.author': 'messages.csv:author_id' }
            : { 'message.author.email': said('author'), 'message.writer': said('side') }),
        }
      : { 'message.text.customer': at('text') }),
    ...(shape === 'threads' || isPeople ? { 'message.ticket': said('ticket') } : {}),
  };
}
