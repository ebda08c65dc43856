/**
 * What an API gives in JSON in place of a file: the file as base64 (`{"data":"…"}`: Help Scout's data of an attachment), as the
 * bytes that it is; or a signed link to it (`{"url":"…"}`: HubSpot).
 */
import { Transform, type TransformCallback } from 'node:stream';

const BEGIN = /"data"\s*:\s*"/;
const LONGEST_BEGIN = 4096;

/** Whether such an answer comes from this address. */
export function isDataInJson(address: string, contentType: string | undefined): boolean {
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType ?? '');
  return isJson && /\/attachments\/\d+\/data(?:\.json)?$/.test(new URL(address).pathname);
}

/** Whether this address gives a link to the file. */
export function givesLink(address: string): boolean {
  return /\/files\/[^/]+\/signed-url$/.test(new URL(address).pathname);
}

const LONGEST_LINK = 65_536;

/** The link of such an answer; undefined where it has none. */
export async function linkInJson(body: AsyncIterable<Buffer>): Promise<URL | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > LONGEST_LINK) return undefined;
  }
  try {
    const { url } = JSON.parse(Buffer.concat(parts).toString());
    return typeof url === 'string' ? (URL.parse(url) ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

export class DataInJson extends Transform {
  #rest = '';
  #state: 'before' | 'within' | 'behind' = 'before';

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#rest += this.#state === 'behind' ? '' : chunk.toString('latin1');
    if (this.#state === 'before') {
      const begin = BEGIN.exec(this.#rest);
      if (begin === null) {
        const isOther = this.#rest.length > LONGEST_BEGIN;
        done(isOther ? new Error('it has no data of a file') : null);
        return;
      }
      this.#rest = this.#rest.slice(begin.index + begin[0].length);
      this.#state = 'within';
    }
    if (this.#state === 'within') this.#decode();
    done();
  }

  override _flush(done: TransformCallback): void {
    done(this.#state === 'behind' ? null : new Error('it ends within the data of the file'));
  }

  #decode(): void {
    const end = this.#rest.indexOf('"');
    // A line that is broken and a slash may be escaped, and an escape may be cut in two.
    const cut = end >= 0 ? end : this.#rest.length - (this.#rest.endsWith('\\') ? 1 : 0);
    const text = this.#rest.slice(0, cut).replace(/\\[nrt]|[\\\s]/g, '');
    const whole = end >= 0 ? text.length : text.length - (text.length % 4);
    if (whole > 0) this.push(Buffer.from(text.slice(0, whole), 'base64'));
    this.#rest = end >= 0 ? '' : text.slice(whole) + this.#rest.slice(cut);
    if (end >= 0) this.#state = 'behind';
  }
}
