/** The files of a message: its attachments, what its body shows, and links to files on the source's hosts. Pure. */
import type { MissingReason } from '../domain/ledger.ts';
import { type AttachmentPayload, CONTENT_ID, type MessagePayload } from '../domain/payload.ts';
import { withFileNote } from '../verify/file-note.ts';
import { labelOf } from '../verify/guarded-request.ts';
import { absoluteAddress, decoded, keyOf, nameInAddress } from './address.ts';
import { addressesInBody, replaceAddresses } from './addresses-in-body.ts';
import type { FoundAddress } from './addresses-in-html.ts';

export interface FileRules {
  /** What relative addresses count from. */
  readonly base?: string | undefined;
  /** Hosts of the source: links to files there are kept. Absent: links to any that the ledger has. */
  readonly hosts?: ReadonlySet<string> | undefined;
}

/** A file that a message needs. */
export interface WantedFile {
  readonly key: string;
  readonly address: string;
  /** `attachments[0].url`, or `content`. */
  readonly field: string;
  /** What it is in the message: that decides what an answer may be. */
  readonly role: 'attachment' | 'picture' | 'link';
  readonly name?: string | undefined;
  readonly contentType?: string | undefined;
  readonly sizeBytes?: number | undefined;
}

export function filesOfMessage(message: MessagePayload, rules: FileRules): WantedFile[] {
  const files = ownFiles(message, rules).map(({ file }) => file);
  for (const { file } of placesInBody(message, rules))
    if (!files.some(({ key }) => key === file.key)) files.push(file);
  return files;
}

interface OwnFile {
  readonly attachment: AttachmentPayload;
  readonly file: WantedFile;
}

/** Of attachments with an address. */
function ownFiles({ attachments = [] }: MessagePayload, { base }: FileRules): OwnFile[] {
  return attachments.flatMap((attachment, index) => {
    const address = absoluteAddress(attachment.url, base);
    if (address === undefined) return [];
    const { name, contentType, sizeBytes } = attachment;
    const field = `attachments[${index}].url`;
    const key = keyOf(address);
    return [
      {
        attachment,
        file: { key, address, field, role: 'attachment', name, contentType, sizeBytes } as const,
      },
    ];
  });
}

interface PlaceInBody {
  readonly found: FoundAddress;
  readonly file: WantedFile;
}

function placesInBody(message: MessagePayload, rules: FileRules): PlaceInBody[] {
  const found = addressesInBody(message.content, message.contentType);
  if (found.length === 0) return [];
  const own = ownFiles(message, rules);
  const hosts =
    rules.hosts && new Set([...rules.hosts, ...own.map(({ file }) => new URL(file.address).host)]);
  const contentIds = new Set(found.map(({ written }) => written).filter(isContentId));
  return found.flatMap((one): PlaceInBody[] => {
    if (isContentId(one.written)) {
      const match = attachmentOf(
        one.written,
        own.map(({ attachment }) => attachment),
        contentIds.size,
      );
      const file = own.find(({ attachment }) => attachment === match)?.file;
      return file === undefined ? [] : [{ found: one, file }];
    }
    const address = absoluteAddress(one.written, rules.base);
    if (address === undefined || (one.kind === 'link' && !isFileLink(address, hosts))) return [];
    const key = keyOf(address);
    const same = own.find(({ file }) => file.key === key)?.file;
    const role = one.kind === 'link' ? 'link' : 'picture';
    return [{ found: one, file: same ?? { key, address, field: 'content', role } }];
  });
}

const isContentId = (written: string) => /^cid:/i.test(written.trim());

/** The attachment that a part of the mail is: by its own id, by its name or in its address, or as the only one that it can be. */
export function attachmentOf(
  contentId: string,
  attachments: readonly AttachmentPayload[],
  contentIds: number,
): AttachmentPayload | undefined {
  const id = bareContentId(contentId);
  const local = id.split('@')[0] ?? '';
  const named = ({ name, url }: AttachmentPayload) =>
    name?.toLowerCase() ?? nameInAddress(url)?.toLowerCase() ?? '';
  const found =
    attachments.find((one) => id !== '' && bareContentId(one[CONTENT_ID] ?? '') === id) ??
    attachments.find((one) => named(one) === id || named(one) === local) ??
    attachments.find((one) => decoded(one.url).toLowerCase().includes(id)) ??
    attachments.find((one) => local.length > 3 && named(one).replace(/\.\w+$/, '') === local);
  if (found !== undefined) return found;
  const pictures = attachments.filter(
    ({ contentType, ...one }) => contentType?.startsWith('image/') ?? PICTURE.test(named(one)),
  );
  return contentIds === 1 && pictures.length === 1 ? pictures[0] : undefined;
}

/** `a@b` of `cid:a@b`, and of `<a@b>` as a mail's header has it. */
const bareContentId = (text: string) =>
  decoded(text.trim().replace(/^cid:/i, '')).replace(/^<|>$/g, '').toLowerCase();

const PICTURE = /\.(?:png|jpe?g|gif|webp|bmp|avif|heic|svg|tiff?)$/i;
const FILE_NAME =
  /\.(?:png|jpe?g|gif|webp|bmp|avif|heic|svg|tiff?|pdf|docx?|xlsx?|pptx?|od[tsp]|csv|tsv|txt|log|rtf|zip|gz|tgz|7z|rar|tar|mp[34]|m4[av]|mov|avi|webm|wav|ogg|eml|msg|ics|vcf|json|xml|key|pages|numbers|psd|ai|eps|har|dmp)$/i;
const FILE_PATH =
  /\/(?:attachments?|inline_images|user_images|active_storage|hubfs|file-manager|attachment_url|signed-url(?:-redirect)?|blobs?)(?:\/|$)/i;

/** Whether a link leads to a file of the source, and to no page. */
function isFileLink(address: string, hosts: ReadonlySet<string> | undefined): boolean {
  const { host, pathname } = new URL(address);
  const isOfSource =
    hosts === undefined ||
    hosts.has(host) ||
    [...hosts].some((one) => one.startsWith('*.') && host.endsWith(one.slice(1)));
  return isOfSource && (FILE_NAME.test(pathname) || FILE_PATH.test(pathname));
}

/** Where a file is now, or why it is missing. */
export type FileResult =
  | {
      readonly address: string;
      readonly size: number;
      readonly type: string;
      readonly name?: string | undefined;
    }
  | Lack;

export interface Lack {
  readonly reason: MissingReason;
  readonly detail: string;
}

export interface MissingFile extends Lack {
  readonly file: WantedFile;
}

export interface RewrittenMessage {
  readonly message: MessagePayload;
  readonly missing: readonly MissingFile[];
}

/** The message with the new addresses in all places; what is missing or unknown stays as it is. `note`: it names what is missing. */
export function rewriteMessage(
  message: MessagePayload,
  rules: FileRules,
  resultOf: (file: WantedFile) => FileResult | undefined,
  note: boolean,
): RewrittenMessage {
  const missing = new Map<string, MissingFile>();
  const keptAt = (file: WantedFile) => {
    const result = resultOf(file);
    if (result === undefined || 'address' in result) return result;
    if (!missing.has(file.key)) missing.set(file.key, { file, ...result });
    return undefined;
  };
  const own = new Map(ownFiles(message, rules).map(({ attachment, file }) => [attachment, file]));
  const attachments = message.attachments?.map((attachment) => {
    const file = own.get(attachment);
    const kept = file && keptAt(file);
    if (file === undefined || kept === undefined) return attachment;
    const name = attachment.name ?? kept.name ?? nameInAddress(file.address);
    const contentType = kept.type === UNKNOWN_TYPE ? (attachment.contentType ?? kept.type) : kept.type;
    return { ...attachment, url: kept.address, ...(name && { name }), contentType, sizeBytes: kept.size };
  });
  const replaced = placesInBody(message, rules).flatMap(({ found, file }) => {
    const kept = keptAt(file);
    return kept === undefined ? [] : [{ found, address: kept.address }];
  });
  const left = [...missing.values()];
  if (replaced.length === 0 && left.length === 0 && attachments === undefined)
    return { message, missing: [] };
  const rewritten = replaceAddresses(message.content, replaced);
  const names = left.map(({ file }) => nameOfFile(file));
  const content = note && left.length > 0 ? withFileNote(rewritten, message.contentType, names) : rewritten;
  return { message: { ...message, content, ...(attachments && { attachments }) }, missing: left };
}

const UNKNOWN_TYPE = 'application/octet-stream';

function nameOfFile({ name, address }: WantedFile): string {
  return name ?? nameInAddress(address) ?? labelOf(address);
}
