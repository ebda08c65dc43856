import { getExtension, getMimeType } from 'hono/utils/mime';
import type { MissingReason } from '../domain/ledger.ts';
import { labelOf } from '../verify/guarded-request.ts';
import { expiryOf } from './address.ts';
import type { WantedFile } from './files-of-ticket.ts';

export const HEAD_BYTES = 1024;

const SIGNATURES: readonly (readonly [type: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/heic', 4, 'ftyphei'],
  ['image/bmp', 0, 'BM'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/zip', 0, 'PK\x05\x06'],
  ['application/gzip', 0, '\x1f\x8b'],
  ['application/x-7z-compressed', 0, '7z\xbc\xaf\x27\x1c'],
  ['application/vnd.rar', 0, 'Rar!'],
  ['application/x-ole-storage', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1a\x45\xdf\xa3'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/wav', 8, 'WAVE'],
];

export function typeOfBytes(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString(
    'latin1',
  );
  for (const [type, at, bytes] of SIGNATURES)
    if (text.startsWith(bytes, at) && (type !== 'image/bmp' || text.charCodeAt(6) === 0)) return type;
  // Markup begins with a bracket, after a mark or white space.
  if (!/^[<\s\0\xef\xfe\xff]/.test(text)) return undefined;
  const start = text
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart()
    .slice(0, 700)
    .toLowerCase();
  if (/^(?:<!--[\s\S]*?-->\s*)?(?:<!doctype html|<html|<head|<body|<title)/.test(start)) return 'text/html';
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*(?:<!doctype svg[^>]*>\s*)?<svg[\s>]/.test(start))
    return 'image/svg+xml';
  if (start.startsWith('<?xml')) return 'application/xml';
  return undefined;
}

export function isLoginPage(head: Uint8Array): boolean {
  return /type=["']?password|sign[ -]?in|log[ -]?in|anmelden|connexion|iniciar sesi|sso|saml/i.test(
    Buffer.from(head).toString('latin1'),
  );
}

/** `Image/PNG; charset=x` → `image/png`. */
export function bareType(header: string | undefined): string | undefined {
  const bare = header?.split(';')[0]?.trim().toLowerCase();
  return bare !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(bare) ? bare : undefined;
}

export function typeOfName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : (OWN_TYPES.get(extensionOf(name)) ?? bareType(getMimeType(name)));
}

const extensionOf = (name: string) => /\.([a-z\d]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/** Missing in hono's table, or with a usual extension among several. */
const OWN_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
    msg: 'application/vnd.ms-outlook',
    odt: 'application/vnd.oasis.opendocument.text',
    ods: 'application/vnd.oasis.opendocument.spreadsheet',
    eml: 'message/rfc822',
    log: 'text/plain',
    jpg: 'image/jpeg',
    tiff: 'image/tiff',
    heic: 'image/heic',
  }),
);

const VAGUE = /^(?:(?:application|binary)\/octet-stream|application\/(?:x-|force-)?download)$/;
const CONTAINER = /^(?:application\/(?:zip|x-ole-storage|xml|gzip)|video\/mp4)$/;

/** The bytes decide; server and name may be more specific. */
export function typeOf(
  head: Uint8Array,
  header: string | undefined,
  name: string | undefined,
  expected: string | undefined,
): string {
  const proven = typeOfBytes(head);
  const reported = [bareType(header), typeOfName(name), bareType(expected)].filter(
    (type) => type !== undefined && !VAGUE.test(type),
  );
  if (proven === undefined) return reported.find((type) => !isProvable(type)) ?? 'application/octet-stream';
  if (!CONTAINER.test(proven)) return proven;
  return reported.find((type) => type !== proven && !isProvable(type)) ?? proven;
}

export function isProvable(type: string | undefined): boolean {
  return SIGNATURES.some(([one]) => one === type) || type === 'text/html';
}

/** Neither run by a web server nor shown as a page by a browser. */
const PASSIVE = new Set(
  'png jpg jpeg gif webp avif heic bmp tif tiff ico mp3 m4a aac wav ogg oga opus flac mp4 m4v mov webm ogv avi mkv 3gp mpg mpeg pdf txt log csv tsv json doc docx xls xlsx ppt pptx odt ods odp rtf msg eml ics vcf zip gz tgz 7z rar tar'.split(
    ' ',
  ),
);
const ACTIVE = /html|xml|svg|script/;

/** A customer chose the name: an ending that is not of a passive kind is `.bin`. */
export function extensionFor(type: string, name: string | undefined): string {
  const own = name === undefined ? '' : extensionOf(name);
  const ofName = typeOfName(name);
  const isOwn = ofName === type || (ofName === undefined && !ACTIVE.test(type));
  const usual = [...OWN_TYPES].find(([, one]) => one === type)?.[0] ?? getExtension(type) ?? '';
  return `.${[isOwn ? own : '', usual].find((ending) => PASSIVE.has(ending)) ?? 'bin'}`;
}

export interface Answer {
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly size: number;
  readonly head: Uint8Array;
  readonly address: string;
  readonly advise: (address: string) => string;
}

export type Verdict =
  | { readonly is: 'file' }
  | { readonly is: 'missing'; readonly reason: MissingReason; readonly detail: string }
  | { readonly is: 'again'; readonly detail: string };

const LOGIN_PATH =
  /(?:^|[/?&])(?:log-?in|sign-?in|sso|saml|oauth2?|authorize|auth|access\/unauthenticated|session\/new|accounts)(?:[/?&=]|$)/i;

/** The file, why it is missing, or ask again. */
export function judgeAnswer(
  answer: Answer,
  wanted: Pick<WantedFile, 'address' | 'role' | 'name' | 'contentType' | 'sizeBytes'>,
  now: number,
): Verdict {
  const { status, size, head } = answer;
  const label = labelOf(wanted.address);
  const missing = (reason: MissingReason, detail: string): Verdict => ({
    is: 'missing',
    reason,
    detail: `${label} ${detail}`,
  });
  if (status === 429 || status === 408 || status === 425 || status >= 500)
    return { is: 'again', detail: `${label} answers ${status}.` };
  if (status < 200 || status >= 300) {
    const ends = expiryOf(answer.address) ?? expiryOf(wanted.address);
    const text = Buffer.from(head).toString('latin1');
    const saysExpired = /expired|ExpiredToken|Signature not valid in the specified time/i.test(text);
    if ((ends !== undefined && ends <= now) || (saysExpired && status !== 404)) {
      const until = ends === undefined ? '' : ` (until ${new Date(ends).toISOString().slice(0, 19)}Z)`;
      const why = `has a signed address that expired${until}: export again and fetch the files right away.`;
      return missing('expired', why);
    }
    if (status === 404 || status === 410) return missing('gone', `is no longer there (${status}).`);
    if (status === 401 || status === 403 || status === 407)
      return missing('forbidden', `needs a login (${status}): ${answer.advise(answer.address)}.`);
    return missing('unreachable', `answers ${status}.`);
  }
  const proven = typeOfBytes(head);
  const reported = bareType(answer.contentType);
  const declared =
    bareType(wanted.contentType) ?? typeOfName(wanted.name) ?? typeOfName(new URL(wanted.address).pathname);
  if ((proven ?? reported) === 'text/html') {
    const isLogin = isLoginPage(head) || LOGIN_PATH.test(new URL(answer.address).pathname);
    const isSame = wanted.sizeBytes === undefined || wanted.sizeBytes === size || !isLogin;
    const mayBePage = declared === undefined || /^(?:text\/|application\/xhtml\+xml$)/.test(declared);
    const isPage = !(declared === 'text/html' && isSame);
    if (isPage && isLogin)
      return missing(
        'login-page',
        `answers with a login page instead of the file: ${answer.advise(wanted.address)}.`,
      );
    if (isPage && (wanted.role !== 'attachment' || !mayBePage))
      return missing('login-page', 'answers with a page instead of the file; it may need a login.');
  }
  if (size === 0 && (wanted.role === 'picture' || (wanted.sizeBytes ?? 0) > 0 || isProvable(declared)))
    return missing('wrong-type', 'is empty.');
  if (wanted.role === 'picture' && !isPicture(proven, reported, declared))
    return missing('wrong-type', `gives ${reported ?? 'something'} in place of a picture.`);
  const isError = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)$)/.test(reported ?? '');
  if (isProvable(declared) && declared !== 'text/html' && proven === undefined && isError)
    return missing('wrong-type', `gives ${reported} in place of ${declared}.`);
  return { is: 'file' };
}

function isPicture(proven?: string, reported?: string, declared?: string): boolean {
  if (proven !== undefined) return /^(?:image|video)\//.test(proven);
  const isVague = reported === undefined || reported.endsWith('octet-stream');
  return reported?.startsWith('image/') === true || (declared?.startsWith('image/') === true && isVague);
}
