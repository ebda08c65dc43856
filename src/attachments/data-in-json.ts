/**
 * What an API gives in JSON in place of a file: the file as base64 (`{"data":"…"}`: Help Scout's data of an attachment), or a
 * signed link to it (`{"url":"…"}`: HubSpot).
 */

/** Whether such an answer comes from this address. */
export function isDataInJson({ pathname }: URL, contentType: string | undefined): boolean {
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType ?? '');
  return isJson && /\/attachments\/\d+\/data(?:\.json)?$/.test(pathname);
}

/** Whether this address gives a link to the file. */
export function givesLink({ pathname }: URL): boolean {
  return /\/files\/[^/]+\/signed-url$/.test(pathname);
}

const LONGEST_LINK = 65_536;
const LONGEST_DATA = 128 * 1024 * 1024;

/** The link of such an answer; undefined where it has none. */
export async function linkInJson(body: AsyncIterable<Buffer>): Promise<URL | undefined> {
  const { url } = (await readJson(body, LONGEST_LINK).catch(() => undefined)) ?? {};
  return typeof url === 'string' ? (URL.parse(url) ?? undefined) : undefined;
}

/** The bytes of such an answer. */
export async function* dataInJson(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { data } = (await readJson(body, LONGEST_DATA)) ?? {};
  if (typeof data !== 'string') throw new Error('it has no data of a file');
  yield Buffer.from(data, 'base64');
}

async function readJson(
  body: AsyncIterable<Buffer>,
  longest: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > longest) throw new Error('its JSON is too long');
  }
  return JSON.parse(Buffer.concat(parts).toString());
}
