/**
 * Which message of the helpdesk is which of the export. The record of the sending decides (thread-record.ts), in two steps: the export
 * against the record, and the record against the helpdesk. So a message whose time or text changed on one side is recognised by the
 * other. Only messages without a record are compared directly. Pure.
 */
import type { MessagePayload } from '../domain/payload.ts';
import { Pairing, pairMessages, reportedInstant, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import {
  digestOf,
  formsOf,
  keyOf,
  keysOf,
  nameOfMessage,
  type SentMessage,
  type SentThread,
  wordsOf,
} from './thread-record.ts';

export interface PairedThread {
  readonly before: ReadonlyMap<MessagePayload, SentMessage>;
  readonly shown: ReadonlyMap<MessagePayload, Snapshot>;
  /** Sent earlier, and no longer in the export. */
  readonly removed: readonly { readonly entry: SentMessage; readonly reported: Snapshot | undefined }[];
  /** Only in the helpdesk, and not ours. */
  readonly own: readonly Snapshot[];
}

/** @param identified ours with their Message-IDs, in the same order */
export function pairThread(
  ours: readonly MessagePayload[],
  identified: readonly MessagePayload[],
  read: readonly Snapshot[],
  known: SentThread | undefined,
): PairedThread {
  const withIds = new Map(ours.map((message, at) => [message, identified[at] as MessagePayload]));
  const exported = pairSent(ours, known ?? []);
  const there = pairShown(read, known ?? [], ours);
  const reported = new Map(there.pairs);
  const before = new Map(exported.pairs.map(([entry, message]) => [message, entry]));
  const shown = new Map<MessagePayload, Snapshot>();
  for (const [message, entry] of before) {
    const found = reported.get(entry);
    if (found !== undefined) shown.set(message, found);
  }
  const unsent = ours.filter((message) => !before.has(message));
  const rest = pairMessages(
    unsent.map((message) => withIds.get(message) as MessagePayload),
    [...there.free],
  );
  const asOurs = new Map([...withIds].map(([message, identified]) => [identified, message]));
  for (const [message, found] of rest.pairs) shown.set(asOurs.get(message) as MessagePayload, found);
  const removed = [...exported.open].map((entry) => ({ entry, reported: reported.get(entry) }));
  return { before, shown, removed, own: rest.own };
}

/** The time comes after the words: of messages that all moved by one step each has the time of another. */
function pairSent(ours: readonly MessagePayload[], known: SentThread): Pairing<SentMessage, MessagePayload> {
  const keys = keysOf(ours);
  const keyOfOurs = new Map(ours.map((message, at) => [message, keys[at]]));
  const sent = new Map(ours.map((message) => [message, digestOf(message)]));
  const words = new Map(ours.map((message) => [message, wordsOf(message)]));
  const pairing = new Pairing(known, ours);
  pairing.pass(
    ({ key, sent: digest }) => `${key} ${digest}`,
    (message) => `${keyOfOurs.get(message)} ${sent.get(message)}`,
  );
  pairing.pass(
    ({ key, words: digest }) => `${key} ${digest}`,
    (message) => `${keyOfOurs.get(message)} ${words.get(message)}`,
  );
  pairing.pass(
    ({ words: digest }) => `${digest}`,
    (message) => `${words.get(message)}`,
  );
  pairing.pass(
    ({ key }) => `${key}`,
    (message) => `${keyOfOurs.get(message)}`,
  );
  return pairing;
}

const MADE_ID = /\.([0-9a-f]{8})@import\.invalid>?$/;

function pairShown(
  read: readonly Snapshot[],
  known: SentThread,
  ours: readonly MessagePayload[],
): Pairing<SentMessage, Snapshot> {
  const pairing = new Pairing(known, read);
  if (known.length === 0) return pairing;
  const mailId = (message: Snapshot) => reportedString(message, 'messageId') ?? undefined;
  const byMailId = (form: (id: string) => number) => (message: Snapshot) => {
    const id = mailId(message)?.trim();
    return id === undefined || id === '' ? undefined : `${form(id)}`;
  };
  const key = ({ key: own }: SentMessage) => `${own}`;
  pairing.pass(
    key,
    byMailId((id) => Number.parseInt(MADE_ID.exec(id)?.[1] ?? '', 16)),
  );
  for (const form of [
    (id: string) => `<${id.replace(/^<|>$/g, '')}>`,
    (id: string) => id.replace(/^<|>$/g, ''),
  ])
    pairing.pass(
      key,
      byMailId((id) => keyOf(form(id), 0)),
    );
  const names = namesOf(known, [...ours.map(nameOfMessage), ...read.map(nameOfShown)]);
  const nameOf = (entry: SentMessage) => names.get(entry.key);
  const forms = new Map(read.map((message) => [message, formsOf(message)]));
  let sameTimes = 0;
  for (let nth = 0; nth < MOST_FORMS; nth += 1)
    sameTimes += pairing.pass(
      (entry) => joined(nameOf(entry), entry.seen),
      (message) => joined(nameOfShown(message), forms.get(message)?.[nth]),
    );
  sameTimes += pairing.pass(nameOf, nameOfShown);
  // Two people may both write "Thanks!", so words alone decide only if the helpdesk keeps no times.
  if (sameTimes === 0)
    for (let nth = 0; nth < MOST_FORMS; nth += 1)
      pairing.pass(
        ({ seen }) => `${seen}`,
        (message) => joined('', forms.get(message)?.[nth])?.trim(),
      );
  return pairing;
}

/** Forms of one message (thread-record.ts). */
const MOST_FORMS = 4;

function joined(name: string | undefined, digest: number | undefined): string | undefined {
  return name === undefined || digest === undefined ? undefined : `${name} ${digest}`;
}

function nameOfShown(message: Snapshot): string | undefined {
  const at = reportedInstant(message, 'occurredAt');
  const actor = reportedString(message, 'actorType');
  return typeof at === 'number' && typeof actor === 'string'
    ? `${Math.floor(at / 1000)} ${actor}`
    : undefined;
}

/** A key is of one of several messages of a name: after a deletion the others have other numbers. */
function namesOf(known: SentThread, names: readonly (string | undefined)[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const wanted = new Set(known.map(({ key }) => key));
  for (const name of new Set(names)) {
    if (name === undefined) continue;
    for (let nth = 0, misses = 0; misses < MOST_MISSES && nth <= known.length; nth += 1) {
      const key = keyOf(name, nth);
      if (wanted.has(key)) found.set(key, name);
      else misses += 1;
    }
  }
  return found;
}

const MOST_MISSES = 3;
