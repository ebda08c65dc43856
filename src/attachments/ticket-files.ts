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
  /** Hosts of the source: links to files there are kept. Absent: links to any that the ledger knows. */
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
  const { attachments = [] } = message;
  const files: WantedFile[] = attachments.flatMap((attachment, index) => {
    const file = fileOf(attachment, index, rules);
    return file === undefined ? [] : [file];
  });
  for (const { file } of placesInBody(message, rules))
    if (!files.some(({ key }) => key === file.key)) files.push(file);
  return files;
}

function fileOf(attachment: AttachmentPayload, index: number, { base }: FileRules): WantedFile | undefined {
  const address = absoluteAddress(attachment.url, base);
  if (address === undefined) return undefined;
  const { name, contentType, sizeBytes } = attachment;
  return {
    key: keyOf(address),
    address,
    field: `attachments[${index}].url`,
    role: 'attachment',
    name,
    contentType,
    sizeBytes,
  };
}

interface PlaceInBody {
  readonly found: FoundAddress;
  readonly file: WantedFile;
}

function placesInBody(
  { content, contentType, attachments = [] }: MessagePayload,
  rules: FileRules,
): PlaceInBody[] {
  const found = addressesInBody(content, contentType);
  if (found.length === 0) return [];
  const own = attachments.flatMap((attachment, index) => {
    const file = fileOf(attachment, index, rules);
    return file === undefined ? [] : [{ attachment, file }];
  });
  const hosts =
    rules.hosts && new Set([...rules.hosts, ...own.map(({ file }) => new URL(file.address).host)]);
  const contentIds = new Set(
    found.filter(({ written }) => isContentId(written)).map(({ written }) => written),
  );
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

/** Whether what a link leads to is a file of the source, and no page. */
export function isFileLink(address: string, hosts: ReadonlySet<string> | undefined): boolean {
  const { host, pathname } = new URL(address);
  const isOfSource =
    hosts === undefined ||
    hosts.has(host) ||
    [...hosts].some((one) => one.startsWith('*.') && host.endsWith(one.slice(1)));
  return isOfSource && (FILE_NAME.test(pathname) || FILE_PATH.test(pathname));
}

/** What became of a file: where it is now, or why it is not there. */
export type FileFate =
  | {
      readonly address: string;
      readonly size: number;
      readonly type: string;
      readonly name?: string | undefined;
    }
  | { readonly reason: MissingReason; readonly detail: string };

export interface MissingFile {
  readonly file: WantedFile;
  readonly reason: MissingReason;
  readonly detail: string;
}

export interface RewrittenMessage {
  readonly message: MessagePayload;
  readonly missing: readonly MissingFile[];
}

/** The message with the new addresses in all places; what is missing or not known stays as it is. `note`: it says what is missing. */
export function rewriteMessage(
  message: MessagePayload,
  rules: FileRules,
  fateOf: (file: WantedFile) => FileFate | undefined,
  note: boolean,
): RewrittenMessage {
  const missing = new Map<string, MissingFile>();
  const keptAt = (file: WantedFile) => {
    const fate = fateOf(file);
    if (fate === undefined || 'address' in fate) return fate;
    if (!missing.has(file.key)) missing.set(file.key, { file, ...fate });
    return undefined;
  };
  const attachments = message.attachments?.map((attachment, index) => {
    const file = fileOf(attachment, index, rules);
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
  if (replaced.length === 0 && missing.size === 0 && attachments === undefined)
    return { message, missing: [] };
  const content = replaced.length === 0 ? message.content : replaceAddresses(message.content, replaced);
  const left = [...missing.values()];
  return {
    message: {
      ...message,
      content:
        note && left.length > 0
          ? withFileNote(
              content,
              message.contentType,
              left.map(({ file }) => nameOfFile(file)),
            )
          : content,
      ...(attachments && { attachments }),
    },
    missing: left,
  };
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** What people call a file. */
export function nameOfFile({ name, address }: Pick<WantedFile, 'name' | 'address'>): string {
  return name ?? nameInAddress(address) ?? labelOf(address);
}
