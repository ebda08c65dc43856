/** Checks of all mapped tickets for mistakes that do damage and that a look at three tickets may miss. */

import { AppError } from '../domain/errors.ts';
import { comparableText } from '../domain/own-words.ts';
import { countOf } from '../domain/printable.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { textOf } from '../domain/source-file.ts';
import type { MappedItem, MappedTicket } from '../domain/ticket.ts';
import {
  type Finding,
  incompleteStreams,
  type ReviewCode,
  type ReviewedSource,
  unreadTexts,
} from './findings.ts';

const MOST_MESSAGES = 30;
const MOST_TEXT = 1500;
/** Shorter texts may well be said twice: "Thank you!" */
const LEAST_TEXT = 20;
const LONGEST_PLACEHOLDER = 40;
/** Kept of what many tickets may share. */
const MOST_KEPT = 20_000;
/** Words by which people mark a text that is for the team alone. */
const FOR_TEAM =
  /^\W{0,4}(?:(?:internal|private|interne?[rs]?|privad[ao]|priv[ée]e?)\b[\p{L} ]{0,20}|(?:nota|notiz|note|comentario|commentaire)[ _-](?:interna|interno|interne|privada|privado|priv[ée]e)|(?:staff|team|agents?) only|nur intern|do not (?:share|send)[\p{L} ]{0,20}|not for (?:the )?(?:customer|client)s?)\s?[\])}:*>|–—-]/iu;

interface Said {
  readonly role: string;
  readonly isInternal: boolean;
  readonly isMarked: boolean;
  readonly said: string;
}

interface Check {
  readonly code: ReviewCode;
  readonly message: string;
  /** Tickets of which it is a share, and the least of these. */
  readonly of: 'tickets' | 'talks' | 'answered';
  readonly from: number;
  readonly share: number;
  readonly least?: number;
  holds(said: readonly Said[]): boolean;
}

const isAll = (role: string) => (said: readonly Said[]) =>
  said.length > 1 && said.every((one) => one.role === role);
const oneSide = { code: 'one-author-type', of: 'talks', from: 4, share: 0.95 } as const;

const CHECKS: readonly Check[] = [
  {
    code: 'note-published',
    of: 'tickets',
    from: 1,
    share: 0,
    message:
      'In {count} of {total} tickets a public message is a copy of an internal note or begins with words that mark it as internal.',
    holds: (said) =>
      said.some((one) => !one.isInternal && one.isMarked) ||
      pairs(said).some(([a, b]) => a.isInternal !== b.isInternal && holds(a, b)),
  },
  ...(['customer', 'agent'] as const).map((role) => ({
    ...oneSide,
    message: `In {count} of {total} tickets with several messages, all are from ${role}s, as if only one side had written.`,
    holds: isAll(role),
  })),
  {
    code: 'agent-writes-first',
    of: 'answered',
    from: 4,
    share: 0.5,
    message:
      '{count} of {total} tickets begin with a message of an agent, as if customers and agents had changed places.',
    holds: (said) => isAnswered(said) && said.find((one) => !one.isInternal)?.role === 'agent',
  },
  {
    code: 'repeated-text',
    of: 'talks',
    from: 1,
    share: 0.2,
    least: 2,
    message: 'In {count} of {total} tickets with several messages, two have the same text.',
    holds: (said) =>
      pairs(said).some(([a, b]) => holds(a, b) && (a.role === b.role || a.said === b.said)) ||
      (said.length > 2 && said[0]?.said !== '' && new Set(said.map((one) => one.said)).size === 1),
  },
];

const isAnswered = (said: readonly Said[]) => said.some(({ role }) => role === 'customer');

export class Review {
  readonly #source: ReviewedSource;
  readonly #totals = { tickets: 0, talks: 0, answered: 0, talking: 0, characters: 0 };
  readonly #found = new Map<Check, { count: number; ticket: string }>();
  readonly #ids = new Set<string>();
  readonly #short = new Map<string, { count: number; ticket: string }>();
  readonly #incomplete: { ticket: string; declared: number; has: number }[] = [];

  constructor(source: ReviewedSource) {
    this.#source = source;
  }

  see({ externalId, messages, excluded, declared }: MappedTicket): void {
    if (excluded !== undefined) return;
    const totals = this.#totals;
    const said = saidIn(messages);
    totals.tickets++;
    totals.characters += messages
      .slice(0, MOST_MESSAGES)
      .reduce((sum, { value }) => sum + Math.min(MOST_TEXT, textOf(value['content']).length), 0);
    if (said.length > 0) totals.talking++;
    if (said.length > 1) totals.talks++;
    if (isAnswered(said)) totals.answered++;
    if (this.#ids.size < MOST_KEPT) this.#ids.add(externalId);
    if (declared !== undefined && declared.messages > declared.has)
      this.#incomplete.push({ ticket: externalId, declared: declared.messages, has: declared.has });
    for (const check of CHECKS) if (check.holds(said)) addTo(this.#found, check, externalId);
    for (const text of new Set(said.map((one) => one.said)))
      if (text !== '' && text.length <= LONGEST_PLACEHOLDER)
        if (this.#short.has(text) || this.#short.size < MOST_KEPT) addTo(this.#short, text, externalId);
  }

  async findings(): Promise<Finding[]> {
    const { tickets, talking, characters } = this.#totals;
    return [
      ...unreadTexts(this.#source, {
        tickets,
        lacksMessages: tickets > 0 && talking < 0.1 * tickets,
        read: characters,
        isTicket: (id) => this.#ids.has(id),
      }),
      ...this.#checked(),
      ...this.#placeholders(),
      ...unjoined(this.#source),
      ...this.#declared(),
      ...(await incompleteStreams(this.#source.files.files)),
    ];
  }

  #checked(): Finding[] {
    return [...this.#found].flatMap(([{ code, of, from, share, least = 1, message }, { count, ticket }]) => {
      const total = this.#totals[of];
      if (total < from || count < Math.max(least, share * total)) return [];
      const text = message
        .replace('{count}', count.toLocaleString('en-US'))
        .replace('{total}', total.toLocaleString('en-US'));
      return [found(code, count, text, ticket)];
    });
  }

  #placeholders(): Finding[] {
    const { tickets } = this.#totals;
    const shared = [...this.#short.values()].filter(({ count }) => count >= 0.4 * tickets);
    const [first] = shared;
    const count = Math.min(
      tickets,
      shared.reduce((sum, each) => sum + each.count, 0),
    );
    if (first === undefined || tickets < 5 || count < 3) return [];
    const text = `${count.toLocaleString('en-US')} of ${tickets.toLocaleString('en-US')} tickets have a message of the same few words, as if they stood for no text: ${JSON.stringify(first.ticket)}.`;
    return [found('placeholder-text', count, text, first.ticket)];
  }

  #declared(): Finding[] {
    const { declares } = this.#source.detection.layout;
    const all = this.#incomplete;
    const [first] = all;
    if (first === undefined) return [];
    if (declares?.says !== undefined) {
      const [one, several] = declares.says;
      const text = (all.length === 1 ? one : several)
        .replace('{count}', all.length.toLocaleString('en-US'))
        .replace('{ticket}', () => first.ticket);
      return [found('incomplete-thread', all.length, text, first.ticket, 'source.files')];
    }
    const named = all.slice(0, 100);
    return named.map(({ ticket, declared, has }, at) =>
      found(
        'incomplete-thread',
        at === named.length - 1 ? all.length - at : 1,
        `The export says that ticket ${ticket} has ${countOf(declared, 'message')}, and it holds ${has}.`,
        ticket,
        'source.files',
      ),
    );
  }
}

function addTo<K>(counts: Map<K, { count: number; ticket: string }>, key: K, ticket: string): void {
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { count: 1, ticket });
  else known.count++;
}

/** The first messages, in time where all have one. */
function saidIn(messages: readonly MappedItem[]): Said[] {
  const shown = messages
    .slice(0, MOST_MESSAGES)
    .map(({ value }) => ({ value, at: textOf(value['occurredAt']) }));
  if (shown.every(({ at }) => /^\d{4}-\d\d-/.test(at)))
    shown.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return shown.map(({ value }) => {
    const text = textOf(value['content']).slice(0, MOST_TEXT);
    return {
      role: textOf(value['actorType']),
      isInternal: value['isInternal'] === true,
      isMarked: FOR_TEAM.test(text.slice(0, 300).replace(/<[^<>]*>/g, '')),
      said: comparableText(text),
    };
  });
}

function pairs(said: readonly Said[]): (readonly [Said, Said])[] {
  return said.flatMap((a, at) => said.slice(at + 1).map((b) => [a, b] as const));
}

/** One holds the other if that is at least half of it: quoting below an answer is no repetition. */
function holds({ said: one }: Said, { said: other }: Said): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.length >= LEAST_TEXT && 2 * short.length >= long.length && long.includes(short);
}

function found(
  code: ReviewCode,
  count: number,
  message: string,
  ticket?: string,
  setting = 'mapping.messages',
): Finding {
  return { code, severity: 'warning', count, message, setting, ticket };
}

/** Findings become problems; an error among them keeps everything from being sent. */
export function tellFindings(findings: readonly Finding[], problem: ProblemSink): AppError | undefined {
  const problems = findings.map(({ message, setting, ticket, ...finding }): Problem => {
    const text = `${message} See ${setting} in the settings.`;
    return { ...finding, ...(ticket === undefined ? {} : { ticket }), field: setting, message: text };
  });
  for (const each of problems) problem(each);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  return new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
    lines: errors.map(({ code, message }) => `${code}: ${message}`),
    hint: 'Map it, or list it under ignore in the mapping.',
  });
}

/** Rows of messages that belong to no ticket: many of them are joined by the wrong column. */
function unjoined({ joined, detection }: ReviewedSource): Finding[] {
  const tables = (detection.layout.messages ?? []).flatMap(({ from }) => from ?? []);
  const counts = new Map<string, number>();
  for (const { table } of joined.unmatchedRows()) counts.set(table, (counts.get(table) ?? 0) + 1);
  return [...counts].flatMap(([table, count]) => {
    const rows = joined.rowCounts().get(table) ?? count;
    if (!tables.includes(table) || count < 2 || count < 0.3 * rows) return [];
    const text = `${countOf(count, 'row')} of ${rows} in ${table} belong to no ticket of the export, so their text is not imported.`;
    return [found('unjoined-rows', count, text, undefined, `mapping.tables.${table}.key`)];
  });
}
