import { createHash } from 'node:crypto';

/** They do not identify the file. */
const SIGNING =
  /^(?:x-amz-|x-goog-|awsaccesskeyid$|googleaccessid$|expires$|signature$|key-pair-id$|policy$|sig$|sigv?$|se$|sp$|sv$|sr$|st$|spr$|req$|hdnts$|token$|access_token$|hash$)/i;
/** Without one of these the others belong to the file's address. */
const SIGNATURE = /^(?:x-amz-signature|x-goog-signature|signature|sig|hdnts)$/i;

export function keyOf(address: string): string {
  const url = new URL(address);
  url.hash = '';
  url.username = '';
  url.password = '';
  const names = url.search === '' ? [] : [...new Set(url.searchParams.keys())];
  if (names.some((name) => SIGNATURE.test(name)))
    for (const name of names) if (SIGNING.test(name)) url.searchParams.delete(name);
  return createHash('sha256').update(url.href).digest('hex').slice(0, 32);
}

/** Milliseconds since the epoch. */
export function expiryOf(address: string): number | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  const at = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  for (const kind of ['x-amz', 'x-goog']) {
    const signed = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(at.get(`${kind}-date`) ?? '');
    const seconds = Number(at.get(`${kind}-expires`) ?? Number.NaN);
    if (signed !== null && Number.isFinite(seconds)) {
      const [year = 0, month = 0, day = 0, hour, minute, second] = signed.slice(1).map(Number);
      return Date.UTC(year, month - 1, day, hour, minute, second) + seconds * 1000;
    }
  }
  const seconds = at.get('expires') ?? at.get('exp') ?? '';
  if (/^\d{9,11}$/.test(seconds)) return Number(seconds) * 1000;
  if (/^\d{12,14}$/.test(seconds)) return Number(seconds);
  const ends = Date.parse(at.get('se') ?? '');
  return at.has('sig') && !Number.isNaN(ends) ? ends : undefined;
}

export function nameInAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  const named =
    url.searchParams.get('name') ?? url.searchParams.get('filename') ?? url.pathname.split('/').at(-1) ?? '';
  return cleanName(decoded(named));
}

/** Unchanged if it is badly encoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const LONGEST_NAME = 150;

/** Undefined if nothing is left. */
export function cleanName(name: string): string | undefined {
  const base = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const clean = base.replace(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069<>:"|?*]/g, '').trim();
  if (clean === '' || /^\.+$/.test(clean)) return undefined;
  if (clean.length <= LONGEST_NAME) return clean;
  const extension = /\.[a-z\d]{1,8}$/i.exec(clean)?.[0] ?? '';
  return `${clean.slice(0, LONGEST_NAME - extension.length).toWellFormed()}${extension}`;
}

/** Relative to the root of the site of `base`. */
export function absoluteAddress(written: string, base: string | undefined): string | undefined {
  const text = written.trim();
  if (
    /^(?:data|cid|mailto|javascript|blob|about|file|tel):/i.test(text) ||
    text === '' ||
    text.startsWith('#')
  )
    return undefined;
  const url = URL.parse(text.startsWith('//') ? `https:${text}` : text, base && new URL('/', base).href);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
