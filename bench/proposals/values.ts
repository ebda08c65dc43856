/** How single values are written in an export, and what is left of them. */
import type { TicketPriority, TicketStatus } from '../../src/domain/payload.ts';
import type { Choices } from './choices.ts';
import type { Chance } from './random.ts';

/** Minutes from UTC of the clock on which times without a zone are written: Bogotá has one all year. */
const OFFSET = -5 * 60;
export const ZONE = 'America/Bogota';
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const LONG_MONTHS =
  'January February March April May June July August September October November December'.split(' ');
const two = (n: number) => String(n).padStart(2, '0');

export interface TimeStyle {
  write(at: number): string | number;
  /** What can be known of it from the export. */
  kept(at: number): number;
  /** The answers that it needs. */
  readonly zone: string | undefined;
  readonly dayFirst: boolean | undefined;
}

export function timeStyle({ time }: Pick<Choices, 'time'>): TimeStyle {
  const local = (at: number) => {
    const iso = new Date(at + OFFSET * 60_000).toISOString();
    const [year = '', month = '', day = ''] = iso.slice(0, 10).split('-');
    return { year, month, day, clock: iso.slice(11, 19), iso };
  };
  const seconds = (at: number) => Math.floor(at / 1000) * 1000;
  const minutes = (at: number) => Math.floor(at / 60_000) * 60_000;
  const zoned = (write: TimeStyle['write'], kept = seconds): TimeStyle => ({
    write,
    kept,
    zone: undefined,
    dayFirst: undefined,
  });
  const unzoned = (write: TimeStyle['write'], kept: TimeStyle['kept'], dayFirst?: boolean): TimeStyle => ({
    write,
    kept,
    zone: ZONE,
    dayFirst,
  });
  switch (time) {
    case 'iso-z':
      return zoned((at) => new Date(at).toISOString().replace('.000', ''));
    case 'iso-offset':
      return zoned((at) => `${local(at).iso.slice(0, 19)}-05:00`);
    case 'sql-utc':
      return zoned((at) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`);
    case 'sql':
      return unzoned((at) => local(at).iso.slice(0, 19).replace('T', ' '), seconds);
    case 'german':
      return unzoned(
        (at) => `${local(at).day}.${local(at).month}.${local(at).year} ${local(at).clock.slice(0, 5)}`,
        minutes,
        true,
      );
    case 'american':
      return unzoned(
        (at) => {
          const { year, month, day, clock } = local(at);
          const hour = Number(clock.slice(0, 2));
          return `${month}/${day}/${year} ${two(hour % 12 === 0 ? 12 : hour % 12)}:${clock.slice(3, 8)} ${hour < 12 ? 'AM' : 'PM'}`;
        },
        seconds,
        false,
      );
    case 'written-month':
      return unzoned(
        (at) =>
          `${Number(local(at).day)} ${MONTHS[Number(local(at).month) - 1]} ${local(at).year} ${local(at).clock}`,
        seconds,
      );
    case 'epoch-s':
      return zoned((at) => Math.floor(at / 1000));
    case 'epoch-ms':
      return zoned(
        (at) => at,
        (at) => at,
      );
    case 'rfc':
      return zoned((at) => new Date(at).toUTCString());
    case 'iso-minutes':
      return unzoned((at) => local(at).iso.slice(0, 16), minutes);
    case 'two-columns':
      return unzoned((at) => local(at).iso.slice(0, 19).replace('T', ' '), seconds);
    case 'slashes':
      return unzoned((at) => local(at).iso.slice(0, 19).replaceAll('-', '/').replace('T', ' '), seconds);
    case 'ordinal':
      return unzoned((at) => {
        const { year, month, day, clock } = local(at);
        const n = Number(day);
        const end =
          n % 10 === 1 && n !== 11
            ? 'st'
            : n % 10 === 2 && n !== 12
              ? 'nd'
              : n % 10 === 3 && n !== 13
                ? 'rd'
                : 'th';
        return `${n}${end} ${LONG_MONTHS[Number(month) - 1]} ${year}, ${clock.slice(0, 5)}`;
      }, minutes);
    case 'epoch-float':
      return zoned(
        (at) => (at / 1000).toFixed(3),
        (at) => at,
      );
    case 'excel':
      // days since the end of 1899, as a spreadsheet keeps times
      return unzoned(
        (at) => ((at + OFFSET * 60_000) / 86_400_000 + 25_569).toFixed(8),
        (at) => Math.round(at / 1000) * 1000,
      );
    case 'long-month':
      return unzoned((at) => {
        const { year, month, day, clock } = local(at);
        const hour = Number(clock.slice(0, 2));
        return `${LONG_MONTHS[Number(month) - 1]} ${Number(day)}, ${year} ${hour % 12 === 0 ? 12 : hour % 12}:${clock.slice(3, 5)} ${hour < 12 ? 'AM' : 'PM'}`;
      }, minutes);
    case 'compact':
      return zoned((at) => new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').concat('Z'));
    case 'weekday':
      return unzoned((at) => {
        const { year, month, day, clock } = local(at);
        return `${new Date(at + OFFSET * 60_000).toUTCString().slice(0, 3)} ${day} ${MONTHS[Number(month) - 1]} ${year} ${clock}`;
      }, seconds);
    case 'epoch-us':
      return zoned(
        (at) => at * 1000,
        (at) => at,
      );
  }
}

export const EMPTY: Readonly<Record<Choices['empty'], string>> = {
  blank: '',
  null: 'NULL',
  dash: '-',
  'n/a': 'N/A',
  none: 'None',
  'long-dash': '—',
  undefined: 'undefined',
  tilde: '~',
  'in-brackets': '(none)',
  dashes: '---',
  'not-given': 'not given',
  question: '?',
};

type Words = Readonly<Record<TicketStatus, readonly string[]>>;
const STATUS_WORDS: Readonly<Record<Choices['statuses'], Words>> = {
  plain: { open: ['open'], pending: ['pending'], resolved: ['resolved'], closed: ['closed'] },
  zendesk: { open: ['new', 'open'], pending: ['pending', 'hold'], resolved: ['solved'], closed: ['closed'] },
  german: {
    open: ['Offen', 'In Bearbeitung'],
    pending: ['Wartend'],
    resolved: ['Gelöst'],
    closed: ['Geschlossen'],
  },
  spanish: {
    open: ['Abierto', 'En curso'],
    pending: ['Pendiente'],
    resolved: ['Resuelto'],
    closed: ['Cerrado'],
  },
  danish: {
    open: ['Åben', 'Under behandling'],
    pending: ['Afventer'],
    resolved: ['Løst'],
    closed: ['Lukket'],
  },
  codes: { open: ['ST10'], pending: ['ST20'], resolved: ['ST30'], closed: ['ST40'] },
  italian: {
    open: ['Aperto', 'In lavorazione'],
    pending: ['In attesa'],
    resolved: ['Risolto'],
    closed: ['Chiuso'],
  },
  screaming: {
    open: ['NEW', 'IN_PROGRESS'],
    pending: ['ON_HOLD', 'WAITING_FOR_CUSTOMER'],
    resolved: ['RESOLVED'],
    closed: ['CLOSED'],
  },
  french: {
    open: ['Ouvert', 'En cours'],
    pending: ['En attente'],
    resolved: ['Résolu'],
    closed: ['Fermé'],
  },
  swedish: {
    open: ['Öppen', 'Pågående'],
    pending: ['Väntar'],
    resolved: ['Löst'],
    closed: ['Stängd'],
  },
  letters: { open: ['O'], pending: ['P'], resolved: ['S'], closed: ['C'] },
  'is-open': { open: ['true'], pending: ['true'], resolved: ['false'], closed: ['false'] },
  sentences: {
    open: ['Waiting for an agent', 'Being worked on'],
    pending: ['Waiting for the customer'],
    resolved: ['Solved by an agent'],
    closed: ['Closed by the system'],
  },
  numbers: { open: ['2'], pending: ['3'], resolved: ['4'], closed: ['5'] },
  'by-likeness': {
    open: ['Waiting on us', 'OpenReply'],
    pending: ['OpenPending', 'Waiting on customer'],
    resolved: ['Answered'],
    closed: ['Archived'],
  },
};

/** What is left of a status in the export. */
export function statusKept(status: TicketStatus, { statuses }: Pick<Choices, 'statuses'>): TicketStatus {
  return statuses !== 'is-open'
    ? status
    : status === 'pending'
      ? 'open'
      : status === 'resolved'
        ? 'closed'
        : status;
}

export function statusWord(
  status: TicketStatus,
  { statuses }: Pick<Choices, 'statuses'>,
  chance: Chance,
): string {
  return chance.one(STATUS_WORDS[statuses][status]);
}

/** What a status word of the export means. */
export function statusMeant(word: string, { statuses }: Pick<Choices, 'statuses'>): TicketStatus | undefined {
  if (statuses === 'is-open') return word === 'true' ? 'open' : 'closed';
  return (Object.entries(STATUS_WORDS[statuses]) as [TicketStatus, readonly string[]][]).find(([, words]) =>
    words.includes(word),
  )?.[0];
}

const PRIORITY_WORDS: Readonly<
  Record<
    'plain' | 'german' | 'spanish' | 'italian' | 'screaming' | 'french' | 'swedish' | 'letters',
    Readonly<Record<TicketPriority, string>>
  >
> = {
  plain: { low: 'low', normal: 'normal', high: 'high', urgent: 'urgent' },
  german: { low: 'Niedrig', normal: 'Mittel', high: 'Hoch', urgent: 'Dringend' },
  spanish: { low: 'Baja', normal: 'Media', high: 'Alta', urgent: 'Urgente' },
  italian: { low: 'Bassa', normal: 'Media', high: 'Alta', urgent: 'Urgente' },
  french: { low: 'Basse', normal: 'Normale', high: 'Haute', urgent: 'Urgente' },
  swedish: { low: 'Låg', normal: 'Normal', high: 'Hög', urgent: 'Akut' },
  letters: { low: 'L', normal: 'M', high: 'H', urgent: 'U' },
  screaming: { low: 'LOW', normal: 'MEDIUM', high: 'HIGH', urgent: 'CRITICAL' },
};

export function priorityWord(priority: TicketPriority, { statuses }: Pick<Choices, 'statuses'>): string {
  const words = Object.hasOwn(PRIORITY_WORDS, statuses)
    ? PRIORITY_WORDS[statuses as keyof typeof PRIORITY_WORDS]
    : PRIORITY_WORDS.plain;
  return words[priority];
}

export function priorityMeant(word: string): TicketPriority | undefined {
  for (const words of Object.values(PRIORITY_WORDS))
    for (const [priority, written] of Object.entries(words))
      if (written === word) return priority as TicketPriority;
  return undefined;
}

export function ticketId(n: number, { ids }: Pick<Choices, 'ids'>): string {
  const number = 1041 + n * 3;
  if (ids === 'hash') return `#${number}`;
  if (ids === 'prefixed') return `T-${number}`;
  if (ids === 'year-number') return `${number}-${2019 + (n % 3)}`;
  if (ids === 'slash') return `${2019 + (n % 3)}/${String(number).padStart(5, '0')}`;
  if (ids === 'url') return `https://desk.example.com/tickets/${number}`;
  if (ids === 'float') return `${number}.0`;
  if (ids === 'padded') return String(number).padStart(8, '0');
  if (ids === 'uuid')
    return `${(0x7a10b2c3 + n * 7919).toString(16)}-4c1d-4f6e-9a2b-${(0x10000000 + n * 104729).toString(16).padStart(12, '0')}`;
  return String(number);
}

export function html(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<div>${escaped
    .split('\n\n')
    .map((part) => `<p>${part.replaceAll('\n', '<br>')}</p>`)
    .join('')}</div>`;
}

/** As HTML has it where nobody decodes it. */
export function entities(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll("'", '&#39;')
    .replaceAll('’', '&rsquo;')
    .replace(/[À-ÿ]/g, (char) => `&#${char.charCodeAt(0)};`);
}
