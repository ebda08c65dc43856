/**
 * Whether a candidate may be sent as a usage event (docs/core-api.md, 2.6), with all that is wrong with it at
 * once, and what it is known by, so that sending it again counts once: its own event id, or one derived from its row.
 *
 * Derived ids come from the row's values by their column names, so they do not change when rows are added, sorted or moved
 * to another file. Rows that are equal in every column are events of their own (two orders of one customer in one second):
 * the second one is told from the first by its number among its equals. A derived id changes when a column is added or a
 * value is written differently; where that may happen, an id of the source should be mapped.
 */

import { hash } from 'node:crypto';
import type { Problem } from '../domain/problem.ts';
import type { Row } from '../domain/source.ts';
import { textOf } from '../domain/source-file.ts';
import type { MissingTimestamp } from '../settings/table/app-api.ts';
import { guarded } from '../source/problems.ts';
import { openTempDatabase } from '../source/stage.ts';
import type { Statement } from '../sqlite/database.ts';
import type { UsageEventPayload } from '../target/app-api/client.ts';
import { parseTime, utcIso } from '../time/iso-time.ts';
import type { MappedUsageEvent } from './usage-source.ts';

export interface UsageCheckRules {
  readonly missingTimestamp: MissingTimestamp;
  /** Milliseconds since the epoch. */
  now(): number;
  fileName(file: number): string;
}

export interface CheckedUsageEvent {
  /** Without its event id; absent when any problem is an error. */
  readonly payload: Omit<UsageEventPayload, 'eventId'> | undefined;
  /** As the row has it. */
  readonly eventId: string | undefined;
  /** Milliseconds since the epoch, where it is known. */
  readonly atMs: number | undefined;
  readonly problems: readonly Problem[];
}

/** No service is known to take longer ones, and what is longer is no id. */
const LONGEST_ID = 255;
/** Clocks of two machines differ by so much at most before it is told, milliseconds. */
const CLOCK_SKEW_MS = 5 * 60_000;

type Complain = (code: string, message: string, severity?: Problem['severity']) => undefined;

export function checkUsageEvent(mapped: MappedUsageEvent, rules: UsageCheckRules): CheckedUsageEvent {
  const { values, row } = mapped;
  const problems: Problem[] = [...mapped.problems];
  const place = { file: rules.fileName(row.ref.file), line: row.ref.line };
  const about =
    (field: string): Complain =>
    (code, message, severity = 'error') => {
      // What the mapping complained about already is not there for that reason.
      if (code.startsWith('missing') && problems.some((problem) => problem.field === field)) return undefined;
      problems.push({ severity, code, ...place, field, message, count: 1 });
      return undefined;
    };
  const eventName = checkName(values, 'eventName', about('eventName'));
  const customerId = checkName(values, 'customerId', about('customerId'));
  const eventId = checkName(values, 'eventId', about('eventId'));
  const atMs = checkTime(values.timestamp, rules, about('timestamp'));
  const timestamp = atMs === undefined ? undefined : utcIso(atMs, textOf(values.timestamp));
  const properties = checkProperties(values.properties, about('properties'));
  const isRejected = problems.some(({ severity }) => severity === 'error');
  const payload =
    isRejected || eventName === undefined || customerId === undefined
      ? undefined
      : { eventName, customerId, timestamp, properties };
  return { payload, eventId, atMs, problems };
}

function checkName(
  values: MappedUsageEvent['values'],
  field: 'eventName' | 'customerId' | 'eventId',
  complain: Complain,
): string | undefined {
  const value = values[field];
  const text = textOf(value).trim();
  if (typeof value === 'object' && value !== null)
    return complain('invalid-type', `The ${field} is a list or an object; it must be a text.`);
  if (text.length > LONGEST_ID)
    return complain('too-long', `The ${field} has ${text.length} characters; ${LONGEST_ID} are allowed.`);
  if (text !== '') return text;
  if (field === 'eventId') return undefined;
  return complain('missing-field', `The event has no ${field}; every usage event needs one.`);
}

function checkTime(value: unknown, rules: UsageCheckRules, complain: Complain): number | undefined {
  const text = textOf(value).trim();
  if (text === '') {
    if (rules.missingTimestamp === 'send') return undefined;
    return complain(
      'missing-time',
      'The event has no timestamp, so it would count as of today; map one, or set appApi.missingTimestamp to send.',
    );
  }
  const time = parseTime(text);
  const shown = text.slice(0, 80);
  if (time.kind === 'invalid') return complain('invalid-time', `The timestamp "${shown}" ${time.reason}.`);
  if (time.kind !== 'instant')
    return complain(
      'time-without-zone',
      `The time ${shown} has no time zone: set source.timezone (an IANA name such as Europe/Berlin).`,
    );
  if (time.ms > rules.now() + CLOCK_SKEW_MS)
    complain(
      'time-in-future',
      `The time ${text} is in the future: the event counts from then on.`,
      'warning',
    );
  return time.ms;
}

function checkProperties(value: unknown, complain: Complain): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  const shown = textOf(value).slice(0, 60);
  return complain(
    'invalid-properties',
    `The properties must be an object with names and values, not: ${shown}.`,
  );
}

/** 128 bits: among a billion events two equal ones are less likely than a broken disk. */
const DIGEST_BYTES = 16;

/** How an event id is kept and compared. */
export function digestOf(eventId: string): Buffer {
  return hash('sha256', eventId, 'buffer').subarray(0, DIGEST_BYTES);
}

/** The row's own values as one text, whatever order its columns have. Without the `_reason` of rejects. */
export function rowText({ object, cells }: Row, header: readonly string[]): string {
  if (object !== undefined) {
    const { _reason: _, ...own } = object;
    return canonical(own);
  }
  const filled = header.flatMap((name, index) => {
    const cell = cells?.[index] ?? '';
    return cell === '' || name === '_reason' ? [] : [[name, cell] as const];
  });
  filled.sort(([a, one], [b, other]) => byText(a, b) || byText(one, other));
  return JSON.stringify(filled);
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined && part !== null)
    .sort(([a], [b]) => byText(a, b))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`);
  return `{${parts.join(',')}}`;
}

/** `number`: how many equal rows stand before it. */
export function derivedId(text: string, number: number): string {
  const whole = number === 0 ? text : `${text}\u0000${number}`;
  return `row-${hash('sha256', whole, 'hex').slice(0, 2 * DIGEST_BYTES)}`;
}

export interface EventIdentity {
  readonly eventId: string;
  readonly digest: Buffer;
  /** Of an id that was made: the values that it was made of, as a digest, and the row's number among its equals. */
  readonly equal?: { readonly key: string; readonly number: number } | undefined;
}

/** What is known of rows in rejects, whose equals may be gone because they were done. */
export interface RejectedRows {
  /** By the digest of its values: the numbers of rows that an import wrote there. */
  readonly numbers: ReadonlyMap<string, readonly number[]>;
  /** Whether an earlier run imported the event. */
  isDone(digest: Buffer): boolean;
  /** Whether it was another row than one of rejects that was imported as this event. */
  isOther(digest: Buffer): boolean;
}

const NONE: RejectedRows = { numbers: new Map(), isDone: () => false, isOther: () => false };

/** Gives every row of one pass its event id. Remembers in a temporary file, so memory does not grow with the export. */
export class EventIdentities implements Disposable {
  readonly #database = openTempDatabase();
  readonly #claim: Statement<[Buffer]>;
  readonly #count: Statement<[Buffer], number>;
  readonly #rejected: RejectedRows;
  /** Of rows of rejects that have come: the numbers that are left, those of events that are not done first. */
  readonly #left = new Map<string, number[]>();

  constructor(rejected: RejectedRows = NONE) {
    this.#rejected = rejected;
    this.#database.exec('CREATE TABLE ids (digest BLOB PRIMARY KEY) WITHOUT ROWID');
    this.#database.exec('CREATE TABLE equals (digest BLOB PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID');
    this.#claim = this.#database.prepare('INSERT OR IGNORE INTO ids VALUES (?)');
    this.#count = this.#database
      .prepare<[Buffer], number>(
        'INSERT INTO equals VALUES (?, 1) ON CONFLICT (digest) DO UPDATE SET n = n + 1 RETURNING n - 1',
      )
      .pluck();
  }

  /** To be asked once for every row of the pass. `text` is the row's own values (`rowText`), needed without an event id. */
  identify(eventId: string | undefined, text: () => string, isInRejects = false): EventIdentity {
    if (eventId !== undefined) return { eventId, digest: digestOf(eventId) };
    const row = text();
    const key = digestOf(row);
    const hex = key.toString('hex');
    const noted = isInRejects ? (this.#rejected.numbers.get(hex) ?? []) : [];
    const made = (number: number): EventIdentity => {
      const derived = derivedId(row, number);
      return { eventId: derived, digest: digestOf(derived), equal: { key: hex, number } };
    };
    if (noted.length > 0) {
      const left = this.#left.get(hex) ?? this.#notDoneFirst(noted.map(made));
      this.#left.set(hex, left);
      const number = left.shift();
      if (number !== undefined) return made(number);
    }
    for (;;) {
      const identity = made(guarded(() => this.#count.get(key) ?? 0));
      const isTaken =
        isInRejects &&
        (noted.includes(identity.equal?.number ?? 0) || this.#rejected.isOther(identity.digest));
      if (!isTaken) return identity;
    }
  }

  #notDoneFirst(noted: readonly EventIdentity[]): number[] {
    const { isDone } = this.#rejected;
    const [open, done] = [
      noted.filter(({ digest }) => !isDone(digest)),
      noted.filter(({ digest }) => isDone(digest)),
    ];
    return [...open, ...done].map(({ equal }) => equal?.number ?? 0);
  }

  /** True for the first event with this id that is to be sent; later ones say the same again. */
  claim(digest: Buffer): boolean {
    return guarded(() => this.#claim.run(digest).changes === 1);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
