/**
 * Puts the new addresses of files into tickets. A ticket keeps the fingerprints of the export, so a rewritten link is no change. A ticket
 * with missing files has another fingerprint, so that a delta sends the new links later.
 */
import { hash } from 'node:crypto';
import type { FileLedger } from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import {
  type FileResult,
  type FileRules,
  filesOfMessage,
  type MissingFile,
  rewriteMessage,
  type WantedFile,
} from './ticket-files.ts';

export { rewriteMessage } from './ticket-files.ts';

export interface FileInTicket {
  /** Index of its message. */
  readonly message: number;
  readonly file: WantedFile;
}

export interface MissingInTicket extends MissingFile {
  readonly message: number;
}

/** A ticket with rewritten messages. `lacks`: keys of missing files. */
export function withMessages(
  ticket: CheckedTicket,
  messages: readonly MessagePayload[],
  { links, lacks = [] }: { readonly links?: CheckedTicket['links']; readonly lacks?: readonly string[] } = {},
): CheckedTicket {
  const { fingerprints } = ticket;
  const own =
    lacks.length === 0
      ? fingerprints
      : {
          ...fingerprints,
          messages: hash('sha256', [fingerprints.messages, ...lacks].join(' ')).slice(0, 16),
        };
  return { ...ticket, messages, links, fingerprints: own, exported: ticket.exported ?? ticket };
}

/** From the messages of the export. */
export function filesOfTicket(ticket: CheckedTicket, rules: FileRules): FileInTicket[] {
  const { messages } = ticket.exported ?? ticket;
  return messages.flatMap((message, index) =>
    filesOfMessage(message, rules).map((file) => ({ message: index, file })),
  );
}

/** `origin`: base of addresses without a host, such as the sandbox's. */
export function resultIn(
  ledger: FileLedger,
  store: string | undefined,
  origin: string,
): (file: WantedFile) => FileResult | undefined {
  return ({ key, address }) => {
    const record = ledger.get(key);
    if (record === undefined) return undefined;
    const { hash, name, reason, detail } = record;
    if (hash === undefined) return reason === undefined ? undefined : { reason, detail: detail ?? address };
    const own = store === undefined ? undefined : ledger.content(store, hash);
    const content = own?.begun === false ? own : ledger.anywhere(hash);
    if (content === undefined) return undefined;
    const { size, type } = content;
    const at = content.address.startsWith('/') ? `${origin}${content.address}` : content.address;
    return { address: at, size, type, name };
  };
}

export function rewriteTicket(
  ticket: CheckedTicket,
  rules: FileRules,
  resultOf: (file: WantedFile) => FileResult | undefined,
  note: boolean,
  marksMissing: boolean,
): { readonly ticket: CheckedTicket; readonly missing: readonly MissingInTicket[] } {
  const rewritten = ticket.messages.map((message) => rewriteMessage(message, rules, resultOf, note));
  const missing = rewritten.flatMap((one, message) => one.missing.map((file) => ({ ...file, message })));
  const messages = rewritten.map(({ message }) => message);
  const lacks = marksMissing ? [...new Set(missing.map(({ file }) => file.key))].toSorted() : [];
  const isSame = lacks.length === 0 && messages.every((message, index) => message === ticket.messages[index]);
  return { ticket: isSame ? ticket : withMessages(ticket, messages, { lacks }), missing };
}
