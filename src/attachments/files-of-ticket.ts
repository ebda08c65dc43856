/**
 * A ticket's files, and the ticket with their new addresses. It keeps the export's fingerprints, so a rewritten link is no
 * change; with missing files it gets another, so that a delta sends the new links later.
 */
import { hash } from 'node:crypto';
import type { FileLedger, MissingReason } from '../domain/ledger.ts';
import { type AttachmentPayload, CONTENT_ID, type MessagePayload } from '../domain/payload.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { withFileNote } from '../verify/compare-messages.ts';
import { labelOf } from '../verify/guarded-request.ts';
import { absoluteAddress, decoded, keyOf, nameInAddress } from './address.ts';
import { addressesInBody, type FoundAddress, replaceAddresses } from './addresses-in-body.ts';

export interface FileRules {
  readonly base?: string | undefined;
  /** Absent: links to any file of the ledger. */
  readonly hosts?: ReadonlySet<string> | undefined;
}

export interface WantedFile {
  readonly key: string;
  readonly address: string;
  readonly field: string;
  /** Decides what an answer may be. */
  readonly role: 'attachment' | 'picture' | 'link';
  readonly name?: string | undefined;
  readonly contentType?: string | undefined;
  readonly sizeBytes?: number | undefined;
}

export function filesOfTicket(
  ticket: CheckedTicket,
  rules: FileRules,
): { readonly message: number; readonly file: WantedFile }[] {
  return (ticket.exported ?? ticket).messages.flatMap((one, message) => {
    const own = ownFiles(one, rules);
    const files = [...own, ...placesInBody(one, rules, own)].map(({ file }) => file);
    const firsts = files.filter(({ key }, at) => files.findIndex((other) => other.key === key) === at);
    return firsts.map((file) => ({ message, file }));
  });
}

/** Messages, and how many of their pictures have no file in the export. */
export function lackedPictures(
  ticket: CheckedTicket,
): { readonly message: number; readonly count: number }[] {
  return (ticket.exported ?? ticket).messages.flatMap((one, message) => {
    if (!/cid/i.test(one.content)) return [];
    const ids = addressesInBody(one.content, one.contentType).map(({ written }) => written);
    const own = new Set(ids.filter(isContentId));
    const files = own.size === 0 ? [] : ownFiles(one, {});
    const count = [...own].filter((id) => fileOfPart(id, files, own.size) === undefined).length;
    return count === 0 ? [] : [{ message, count }];
  });
}

interface OwnFile {
  readonly attachment: AttachmentPayload;
  readonly file: WantedFile;
}

function ownFiles({ attachments = [] }: MessagePayload, { base }: FileRules): OwnFile[] {
  return attachments.flatMap((attachment, index) => {
    const address = absoluteAddress(attachment.url, base);
    if (address === undefined) return [];
    const { name, contentType, sizeBytes } = attachment;
    const place = { key: keyOf(address), address, field: `attachments[${index}].url` };
    return [{ attachment, file: { ...place, role: 'attachment', name, contentType, sizeBytes } as const }];
  });
}

interface PlaceInBody {
  readonly found: FoundAddress;
  readonly file: WantedFile;
}

function placesInBody(
  { content, contentType }: MessagePayload,
  rules: FileRules,
  own: readonly OwnFile[],
): PlaceInBody[] {
  const found = addressesInBody(content, contentType);
  if (found.length === 0) return [];
  const hosts =
    rules.hosts && new Set([...rules.hosts, ...own.map(({ file }) => new URL(file.address).host)]);
  const contentIds = new Set(found.map(({ written }) => written).filter(isContentId));
  return found.flatMap((one): PlaceInBody[] => {
    if (isContentId(one.written)) {
      const file = fileOfPart(one.written, own, contentIds.size);
      return file === undefined ? [] : [{ found: one, file }];
    }
    const address = absoluteAddress(one.written.replace(ADDRESS_AS_ID, ''), rules.base);
    if (address === undefined || (one.kind === 'link' && !isFileLink(address, hosts))) return [];
    const key = keyOf(address);
    const same = own.find(({ file }) => file.key === key)?.file;
    const role = one.kind === 'link' ? 'link' : 'picture';
    return [{ found: one, file: same ?? { key, address, field: 'content', role } }];
  });
}

/** Freshdesk writes addresses as content IDs. */
const ADDRESS_AS_ID = /^\s*cid:(?=https?:\/\/)/i;
const isContentId = (written: string) => /^cid:/i.test(written.trim()) && !ADDRESS_AS_ID.test(written);

/** `cid:a@b`, and `<a@b>` in a mail's header. */
const bareContentId = (text: string) =>
  decoded(text.trim().replace(/^cid:/i, '')).replace(/^<|>$/g, '').toLowerCase();

/** By its ID, name or address, or as the only possible one. */
function fileOfPart(contentId: string, own: readonly OwnFile[], contentIds: number): WantedFile | undefined {
  const id = bareContentId(contentId);
  const local = id.split('@')[0] ?? '';
  const named = ({ name, url }: AttachmentPayload) =>
    name?.toLowerCase() ?? nameInAddress(url)?.toLowerCase() ?? '';
  const rules: readonly ((one: AttachmentPayload) => boolean)[] = [
    (one) => id !== '' && bareContentId(one[CONTENT_ID] ?? '') === id,
    (one) => named(one) === id || named(one) === local,
    (one) => decoded(one.url).toLowerCase().includes(id),
    (one) => local.length > 3 && named(one).replace(/\.\w+$/, '') === local,
  ];
  for (const holds of rules) {
    const match = own.find(({ attachment }) => holds(attachment));
    if (match !== undefined) return match.file;
  }
  const pictures = own.filter(
    ({ attachment: { contentType, ...one } }) =>
      contentType?.startsWith('image/') ?? PICTURE.test(named(one)),
  );
  return contentIds === 1 && pictures.length === 1 ? pictures[0]?.file : undefined;
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|bmp|avif|heic|svg|tiff?)$/i;
const FILE_NAME =
  /\.(?:png|jpe?g|gif|webp|bmp|avif|heic|svg|tiff?|pdf|docx?|xlsx?|pptx?|od[tsp]|csv|tsv|txt|log|rtf|zip|gz|tgz|7z|rar|tar|mp[34]|m4[av]|mov|avi|webm|wav|ogg|eml|msg|ics|vcf|json|xml|key|pages|numbers|psd|ai|eps|har|dmp)$/i;
const FILE_PATH =
  /\/(?:attachments?|inline_images|user_images|active_storage|hubfs|file-manager|attachment_url|signed-url(?:-redirect)?|blobs?)(?:\/|$)/i;

/** A link to a page is no file. */
function isFileLink(address: string, hosts: ReadonlySet<string> | undefined): boolean {
  const { host, pathname } = new URL(address);
  const isOfSource =
    hosts === undefined ||
    hosts.has(host) ||
    [...hosts].some((one) => one.startsWith('*.') && host.endsWith(one.slice(1)));
  return isOfSource && (FILE_NAME.test(pathname) || FILE_PATH.test(pathname));
}

export interface Lack {
  readonly reason: MissingReason;
  readonly detail: string;
  /** It was stored once: links keep this address. */
  readonly storedAt?: string | undefined;
}

type ResultOf = (file: WantedFile) =>
  | {
      readonly address: string;
      readonly size: number;
      readonly type: string;
      readonly name?: string | undefined;
    }
  | Lack
  | undefined;

export interface MissingFile extends Lack {
  readonly message: number;
  readonly file: WantedFile;
}

/** `origin`: base of addresses without a host, such as the sandbox's. */
export function resultIn(ledger: FileLedger, store: string | undefined, origin: string): ResultOf {
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

/** Missing and unknown files keep their address. `note`: names the missing ones. */
function rewriteMessage(
  message: MessagePayload,
  rules: FileRules,
  resultOf: ResultOf,
  note: boolean,
): { readonly message: MessagePayload; readonly missing: readonly Omit<MissingFile, 'message'>[] } {
  const missing = new Map<string, Omit<MissingFile, 'message'>>();
  const keptAt = (file: WantedFile) => {
    const result = resultOf(file);
    if (result === undefined || 'address' in result) return result;
    if (!missing.has(file.key)) missing.set(file.key, { file, ...result });
    return undefined;
  };
  const own = ownFiles(message, rules);
  const attachments = message.attachments?.map((attachment) => {
    const file = own.find((one) => one.attachment === attachment)?.file;
    const kept = file && keptAt(file);
    if (file === undefined || kept === undefined) return attachment;
    const name = attachment.name ?? kept.name ?? nameInAddress(file.address);
    const contentType = kept.type === UNKNOWN_TYPE ? (attachment.contentType ?? kept.type) : kept.type;
    return { ...attachment, url: kept.address, ...(name && { name }), contentType, sizeBytes: kept.size };
  });
  const replaced = placesInBody(message, rules, own).flatMap(({ found, file }) => {
    const kept = keptAt(file);
    return kept === undefined ? [] : [{ found, address: kept.address }];
  });
  const left = [...missing.values()];
  if (replaced.length === 0 && left.length === 0 && attachments === undefined)
    return { message, missing: [] };
  const rewritten = replaceAddresses(message.content, replaced);
  const names = left.map(({ file: { name, address } }) => name ?? nameInAddress(address) ?? labelOf(address));
  const content = note && left.length > 0 ? withFileNote(rewritten, message.contentType, names) : rewritten;
  return { message: { ...message, content, ...(attachments && { attachments }) }, missing: left };
}

const UNKNOWN_TYPE = 'application/octet-stream';

export function rewriteTicket(
  ticket: CheckedTicket,
  rules: FileRules,
  resultOf: ResultOf,
  note: boolean,
  marksMissing: boolean,
): { readonly ticket: CheckedTicket; readonly missing: readonly MissingFile[] } {
  const rewritten = ticket.messages.map((message) => rewriteMessage(message, rules, resultOf, note));
  const missing = rewritten.flatMap((one, message) => one.missing.map((file) => ({ ...file, message })));
  const messages = rewritten.map(({ message }) => message);
  const lacks = marksMissing ? [...new Set(missing.map(({ file }) => file.key))].toSorted() : [];
  const isSame = lacks.length === 0 && messages.every((message, index) => message === ticket.messages[index]);
  return { ticket: isSame ? ticket : withMessages(ticket, messages, lacks), missing };
}

/** `lacks`: keys of missing files. */
function withMessages(
  ticket: CheckedTicket,
  messages: readonly MessagePayload[],
  lacks: readonly string[],
): CheckedTicket {
  let { fingerprints } = ticket;
  if (lacks.length > 0) {
    const own = hash('sha256', [fingerprints.messages, ...lacks].join(' ')).slice(0, 16);
    fingerprints = { ...fingerprints, messages: own };
  }
  return { ...ticket, messages, fingerprints, exported: ticket.exported ?? ticket };
}
