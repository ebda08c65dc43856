/** Opens the address of a file, with the credentials of each host on the way, also where an API gives a signed link to it. */
import { type GuardedClient, hangUp, type NoAnswer, type Opened } from '../verify/guarded-request.ts';
import { givesLink, linkInJson } from './data-in-json.ts';
import type { SourceCredentials } from './source-credentials.ts';

const MOST_REDIRECTS = 10;

export interface OpeningFile {
  readonly client: GuardedClient;
  readonly credentials: SourceCredentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export async function openFile(address: string, opening: OpeningFile): Promise<Opened | NoAnswer> {
  const { client, credentials, headers, signal } = opening;
  const open = (at: URL, wasEncrypted: boolean) =>
    client.open(at, {
      headers: { 'accept-encoding': 'identity', ...headers },
      redirects: MOST_REDIRECTS,
      prepare: (hop, isDowngrade) => credentials.apply(hop, isDowngrade || wasEncrypted),
      signal,
    });
  const opened = await open(new URL(address), false);
  if ('outcome' in opened || opened.response.statusCode !== 200 || !givesLink(opened.at.href)) return opened;
  const link = await linkInJson(opened.response.body);
  hangUp(opened.response);
  if (link === undefined) return { outcome: 'unreachable', reason: 'answers without a link to the file' };
  return await open(link, opened.at.protocol === 'https:');
}
