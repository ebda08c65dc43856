/** Checks of all mapped tickets for mistakes that do damage and that a look at three tickets may miss. */

import { AppError } from '../domain/errors.ts';
import { comparableText } from '../domain/own-words.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { textOf } from '../domain/source-file.ts';
import type { MappedItem, MappedTicket } from '../domain/ticket.ts';
import {
  type Finding,
  incompleteStreams,
  passedOver,
  type ReviewCode,
  type ReviewedSource,
  unreadTexts,
} from './findings.ts';

const MOST_MESSAGES = 30;
const MOST_TEXT = 1500;
/** Shorter texts may well be said twice: "Thank you!" */
const LEAST_TEXT = 20;
/** IDs that are kept. */
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

function isPublished(said: readonly Said[]): boolean {
  return (
    said.some((one) => !one.isInternal && one.isMarked) ||
    pairs(said).some(([a, b]) => a.isInternal !== b.isInternal && holds(a, b))
  );
}

function isRepeated(said: readonly Said[]): boolean {
  return (
    pairs(said).some(([a, b]) => holds(a, b) && (a.role === b.role || a.said === b.said)) ||
    (said.length > 2 && said[0]?.said !== '' && new Set(said.map((one) => one.said)).size === 1)
  );
}

export class Review {
  readonly #source: ReviewedSource;
  readonly #totals = { tickets: 0, talks: 0, talking: 0, characters: 0, statuses: 0, addresses: 0 };
  readonly #published = { count: 0, ticket: '' };
  readonly #repeated = { count: 0, ticket: '' };
  readonly #ids = new Set<string>();
  readonly #incomplete: { ticket: string; declared: number; has: number }[] = [];

  constructor(source: ReviewedSource) {
    this.#source = source;
  }

  see({ externalId, ticket, requester, messages, excluded, declared }: MappedTicket): void {
    if (excluded !== undefined) return;
    const totals = this.#totals;
    const said = saidIn(messages);
    totals.tickets++;
    if (ticket['status'] !== undefined) totals.statuses++;
    if (requester?.email !== undefined) totals.addresses++;
    totals.characters += messages
      .slice(0, MOST_MESSAGES)
      .reduce((sum, { value }) => sum + Math.min(MOST_TEXT, textOf(value['content']).length), 0);
    if (said.length > 0) totals.talking++;
    if (said.length > 1) totals.talks++;
    if (this.#ids.size < MOST_KEPT) this.#ids.add(externalId);
    if (declared !== undefined && declared.messages > declared.has)
      this.#incomplete.push({ ticket: externalId, declared: declared.messages, has: declared.has });
    if (isPublished(said) && this.#published.count++ === 0) this.#published.ticket = externalId;
    if (isRepeated(said) && this.#repeated.count++ === 0) this.#repeated.ticket = externalId;
  }

  async findings(): Promise<Finding[]> {
    const { tickets, talking, characters, statuses, addresses } = this.#totals;
    return [
      ...passedOver(this.#source, [
        ...(tickets > 0 && statuses === 0 ? (['status'] as const) : []),
        ...(tickets > 0 && addresses === 0 ? (['contact.email'] as const) : []),
      ]),
      ...unreadTexts(this.#source, {
        tickets,
        lacksMessages: tickets > 0 && talking < 0.1 * tickets,
        read: characters,
        isTicket: (id) => this.#ids.has(id),
      }),
      ...this.#checked(),
      ...this.#declared(),
      ...(await incompleteStreams(this.#source.files.files)),
    ];
  }

  #checked(): Finding[] {
    const { tickets, talks } = this.#totals;
    const [note, twice] = [this.#published, this.#repeated];
    const copied = `In ${formatCount(note.count)} of ${formatCount(tickets)} tickets a public message is a copy of an internal note or begins with words that mark it as internal.`;
    const same = `In ${formatCount(twice.count)} of ${formatCount(talks)} tickets with several messages, two have the same text.`;
    return [
      ...(note.count > 0 ? [found('note-published', note.count, copied, note.ticket)] : []),
      ...(twice.count >= Math.max(2, 0.2 * talks)
        ? [found('repeated-text', twice.count, same, twice.ticket)]
        : []),
    ];
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
