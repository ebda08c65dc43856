/** The two files that may hold secrets: a token to read, and a refresh token to read and replace. */
import { readSmallFile, whyUnread } from '../disk/small-file.ts';
import { writeWhole } from '../disk/whole-file.ts';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';
import type { Secret } from '../domain/secret.ts';

/** Throws AppError `configuration` when the file cannot be read or is no token file. */
export async function readSecretFile(path: string): Promise<string> {
  let text: string;
  try {
    text = readSmallFile(path, BOUNDS.token.most);
  } catch (cause) {
    throw new AppError('configuration', `The file ${printable(path)} with the token ${whyUnread(cause)}.`, {
      hint: 'Check its name and its permissions.',
      cause,
    });
  }
  return text.trim();
}

/** Replaces the token atomically. Throws the system's error. */
export function writeSecretFile(path: string, secret: Secret): Promise<void> {
  return writeWhole(path, `${secret.reveal()}\n`);
}

// Takes secrets out of text that people or files will see: what a service answers may hold what it was sent.

/** Names of secrets in JSON, forms and headers, with the value behind them. */
const NAMED =
  /\b(access_token|refresh_token|client_secret|id_token|password|authorization)(["']?\s*[:=]\s*["']?)(?:bearer\s+|basic\s+)?[^\s"',;&}]+/gi;
const SCHEMES = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;

/** A shorter one is taken out as a word of its own: within words it would take ordinary sentences apart. */
const SHORTEST_SECRET = 6;

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    // One or two characters say nothing of what they are.
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
