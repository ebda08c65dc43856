import { readSmallFile, whyUnread, writeWhole } from '../domain/files.ts';
import { BOUNDS } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';
import type { Secret } from '../domain/secret.ts';
import { stop } from '../domain/text/stops.ts';

export async function readSecretFile(path: string): Promise<string> {
  let text: string;
  try {
    text = readSmallFile(path, BOUNDS.token.most);
  } catch (cause) {
    throw stop('token-file', { path: printable(path), why: whyUnread(cause) }, { cause });
  }
  return text.trim();
}

export function writeSecretFile(path: string, secret: Secret): Promise<void> {
  return writeWhole(path, `${secret.reveal()}\n`);
}

// An answer may repeat what it was sent, so secrets are removed from text that people or files will see.

const NAMED =
  /\b(access_token|refresh_token|client_secret|id_token|password|authorization)(["']?\s*[:=]\s*["']?)(?:bearer\s+|basic\s+)?[^\s"',;&}]+/gi;
const SCHEMES = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;

/** A shorter one is removed as a whole word: within words it would break ordinary sentences. */
const SHORTEST_SECRET = 6;

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    // Too short to be telling.
    if (secret.length < 3) continue;
    clean =
      secret.length < SHORTEST_SECRET ? withoutWord(clean, secret) : clean.replaceAll(secret, '[secret]');
    const encoded = encodeURIComponent(secret);
    if (encoded !== secret) clean = clean.replaceAll(encoded, '[secret]');
  }
  return clean.replace(NAMED, '$1$2[secret]').replace(SCHEMES, '$1 [secret]');
}

function withoutWord(text: string, word: string): string {
  const pattern = word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  return text.replace(new RegExp(`(?<![A-Za-z0-9_])${pattern}(?![A-Za-z0-9_])`, 'g'), '[secret]');
}
