/**
 * Tickets with the new addresses of their files. A ticket keeps the fingerprints that it has by the export: that a link was
 * rewritten changes nothing that a later run would compare. Where files are missing it has others, so that a delta brings the
 * new links in once they are there.
 */
import { hash } from 'node:crypto';
import type { FileLedger } from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import type { CheckedTicket, Fingerprints } from '../domain/ticket.ts';
import {
  type FileFate,
  type FileRules,
  filesOfMessage,
  type MissingFile,
  rewriteMessage,
  type WantedFile,
} from './ticket-files.ts';

export { rewriteMessage } from './ticket-files.ts';

export interface FileInTicket {
  /** Its message, by its place in the ticket. */
  readonly message: number;
  readonly file: WantedFile;
}

export interface MissingInTicket extends MissingFile {
  readonly message: number;
}

/** A ticket of the export with other messages. */
export class RewrittenTicket implements CheckedTicket {
  readonly original: CheckedTicket;
  readonly messages: readonly MessagePayload[];
  readonly links: CheckedTicket['links'];
  readonly fingerprints: Fingerprints;

  /** `lacks`: the keys of files that are missing. */
  constructor(
    original: CheckedTicket,
    messages: readonly MessagePayload[],
    { links, lacks = [] }: { links?: CheckedTicket['links']; lacks?: readonly string[] | undefined } = {},
  ) {
    const { fingerprints } = original;
    this.original = original;
    this.messages = messages;
    this.links = links;
    this.fingerprints =
      lacks.length === 0
        ? fingerprints
        : {
            ...fingerprints,
            messages: hash('sha256', [fingerprints.messages, ...lacks].join(' ')).slice(0, 16),
          };
  }

  get seq(): number {
    return this.original.seq;
  }
  get externalId(): string {
    return this.original.externalId;
  }
  get ref(): CheckedTicket['ref'] {
    return this.original.ref;
  }
  get ticket(): CheckedTicket['ticket'] {
    return this.original.ticket;
  }
  get events(): CheckedTicket['events'] {
    return this.original.events;
  }
  get exported(): Fingerprints {
    return this.original.exported ?? this.original.fingerprints;
  }
  get rows(): CheckedTicket['rows'] {
    return this.original.rows;
  }
  get note(): CheckedTicket['note'] {
    return this.original.note;
  }
  get mapped(): CheckedTicket['mapped'] {
    return this.original.mapped;
  }
}

/** The ticket as the export has it. */
export function asExported(ticket: CheckedTicket): CheckedTicket {
  return ticket instanceof RewrittenTicket ? asExported(ticket.original) : ticket;
}

export function filesOfTicket(ticket: CheckedTicket, rules: FileRules): FileInTicket[] {
  return asExported(ticket).messages.flatMap((message, index) =>
    filesOfMessage(message, rules).map((file) => ({ message: index, file })),
  );
}

/** `origin`: what addresses without a host count from, which those of the local service are. */
export function fateIn(
  ledger: FileLedger,
  store: string | undefined,
  origin: string,
): (file: WantedFile) => FileFate | undefined {
  return ({ key, address }) => {
    const record = ledger.get(key);
    if (record === undefined) return undefined;
    const { hash, name, reason, detail } = record;
    if (hash === undefined) return reason === undefined ? undefined : { reason, detail: detail ?? address };
    const own = store === undefined ? undefined : ledger.content(store, hash);
    const content = own?.begun === false ? own : ledger.anywhere(hash);
    if (content === undefined) return undefined;
    const { size, type } = content;
    return {
      address: content.address.startsWith('/') ? `${origin}${content.address}` : content.address,
      size,
      type,
      name,
    };
  };
}

export function rewriteTicket(
  ticket: CheckedTicket,
  rules: FileRules,
  fateOf: (file: WantedFile) => FileFate | undefined,
  note: boolean,
  marksMissing: boolean,
): { readonly ticket: CheckedTicket; readonly missing: readonly MissingInTicket[] } {
  const missing: MissingInTicket[] = [];
  let isChanged = false;
  const messages = ticket.messages.map((message, index) => {
    const rewritten = rewriteMessage(message, rules, fateOf, note);
    for (const one of rewritten.missing) missing.push({ ...one, message: index });
    if (rewritten.message !== message) isChanged = true;
    return rewritten.message;
  });
  const lacks = marksMissing ? [...new Set(missing.map(({ file }) => file.key))].toSorted() : [];
  return {
    ticket: isChanged || lacks.length > 0 ? new RewrittenTicket(ticket, messages, { lacks }) : ticket,
    missing,
  };
}
