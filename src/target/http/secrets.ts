/** The two files that may hold secrets: a token to read, and a refresh token to read and replace. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BOUNDS } from '../../disk/bounds.ts';
import { readSmallFile, whyUnread } from '../../disk/small-file.ts';
import { AppError } from '../../domain/errors.ts';
import { printable } from '../../domain/printable.ts';
import type { Secret } from '../../domain/secret.ts';

/** Throws AppError `configuration` when the file cannot be read or is no token file. */
export async function readSecretFile(path: string): Promise<string> {
  let text: string;
  try {
    text = await readSmallFile(path, BOUNDS.token.most);
  } catch (cause) {
    throw new AppError('configuration', `The file ${printable(path)} with the token ${whyUnread(cause)}.`, {
      hint: 'Check its name and its permissions.',
      cause,
    });
  }
  return text.trim();
}

/**
 * Replaces the file's content so that a crash leaves the old or the new one, never half of it, readable for the owner
 * alone from its first byte on. Throws the system's error.
 */
export async function writeSecretFile(path: string, secret: Secret): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${secret.reveal()}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Takes secrets out of text that people or files will see: what a service answers may hold what it was sent. */

/** Names of secrets in JSON, forms and headers, with the value behind them. */
const NAMED =
  /\b(access_token|refresh_token|client_secret|id_token|password|authorization)(["']?\s*[:=]\s*["']?)(?:bearer\s+|basic\s+)?[^\s"',;&}]+/gi;
const SCHEMES = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;

/** Shorter ones would take ordinary words out of sentences. */
const SHORTEST_SECRET = 6;

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    clean = clean.replaceAll(secret, '[secret]');
    const encoded = encodeURIComponent(secret);
    if (encoded !== secret) clean = clean.replaceAll(encoded, '[secret]');
  }
  return clean.replace(NAMED, '$1$2[secret]').replace(SCHEMES, '$1 [secret]');
}
