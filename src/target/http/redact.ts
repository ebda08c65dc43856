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
