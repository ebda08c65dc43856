/** Checks of all mapped tickets for mistakes that do damage and that a look at three tickets may miss. */

import { comparableText } from '../domain/own-words.ts';
import type { Problem } from '../domain/problem.ts';
import { textOf } from '../domain/source-file.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { isMarkedForTeam } from '../domain/text/vocabulary.ts';
import type { MappedItem, MappedTicket, UnmetClaim } from '../domain/ticket.ts';
import { Defaults } from './defaults.ts';
import { incompleteStreams, type ReviewedSource, unreadTexts } from './findings.ts';
import { missingPages } from './pages.ts';

const MOST_MESSAGES = 30;
/** Fewer tickets with a message than this are no conversation. */
const LEAST_TALKING = 0.1;
const MOST_TEXT = 1500;
/** Shorter texts may well be said twice: "Thank you!" */
const LEAST_TEXT = 20;
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
  readonly #defaults = new Defaults();
  readonly #totals = { tickets: 0, talks: 0, talking: 0, characters: 0 };
  readonly #published = { count: 0, ticket: '' };
  readonly #repeated = { count: 0, ticket: '' };
  readonly #incomplete: (UnmetClaim & { readonly ticket: string })[] = [];
  /** It names everything. */
  readonly #isNative: boolean;

  constructor(source: ReviewedSource) {
    this.#source = source;
    this.#isNative = source.detection.layout.name === 'native';
  }

  see(mapped: MappedTicket): void {
    const { externalId, messages, excluded, unmet } = mapped;
    if (excluded !== undefined) return;
    this.#defaults.see(mapped);
    const totals = this.#totals;
    totals.tickets++;
    totals.characters += messages
      .slice(0, MOST_MESSAGES)
      .reduce((sum, { value }) => sum + Math.min(MOST_TEXT, textOf(value['content']).length), 0);
    if (messages.length > 0) totals.talking++;
    if (messages.length > 1) totals.talks++;
    if (unmet !== undefined) this.#incomplete.push({ ticket: externalId, ...unmet });
    if (this.#isNative) return;
    const said = saidIn(messages);
    if (isPublished(said) && this.#published.count++ === 0) this.#published.ticket = externalId;
    if (isRepeated(said) && this.#repeated.count++ === 0) this.#repeated.ticket = externalId;
  }

  findings(): Problem[] {
    const { tickets, talking, characters } = this.#totals;
    const lacksMessages = tickets > 0 && talking < LEAST_TALKING * tickets;
    const defaults = this.#defaults.findings(this.#source);
    if (this.#isNative && !lacksMessages) return defaults;
    return [
      ...defaults,
      ...unreadTexts(this.#source, { tickets, lacksMessages, read: characters }),
      ...(this.#isNative ? [] : this.#checked()),
      ...this.#unmet(),
      ...missingPages(this.#source),
      ...incompleteStreams(this.#source.files),
    ];
  }

  #checked(): Problem[] {
    const { tickets, talks } = this.#totals;
    const [note, twice] = [this.#published, this.#repeated];
    const place = ({ count, ticket }: typeof note) => ({ count, ticket, field: 'mapping.messages' });
    return [
      ...(note.count > 0 ? [problemOf('note-published', { total: tickets }, place(note))] : []),
      ...(twice.count >= Math.max(2, 0.2 * talks) ? [problemOf('repeated-text', {}, place(twice))] : []),
    ];
  }

  #unmet(): Problem[] {
    const field = 'source.files';
    const found = [...Map.groupBy(this.#incomplete, ({ says }) => says)].map(([says, all]) => {
      if (says !== undefined) {
        const text = says[all.length === 1 ? 0 : 1]
          .replace('{count}', all.length.toLocaleString('en-US'))
          .replace('{ticket}', () => all[0]?.ticket ?? '');
        return problemOf(
          'incomplete-thread:layout',
          { text },
          { count: all.length, ticket: all[0]?.ticket, field },
        );
      }
      const named = all.slice(0, 100);
      return named.map(({ ticket, messages, has }, at) => {
        const count = at === named.length - 1 ? all.length - at : 1;
        return problemOf('incomplete-thread:ticket', { declared: messages, has }, { count, ticket, field });
      });
    });
    return found.flat();
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
      isMarked: isMarkedForTeam(text.slice(0, 300).replace(/<[^<>]*>/g, '')),
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
