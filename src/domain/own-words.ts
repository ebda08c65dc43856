/** A checkpoint holds no words of customers: a refusal that quotes its ticket is recorded as code and status. */
import { decodeHTMLStrict } from 'entities';
import type { TicketProblem } from './ledger.ts';
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';

const RUN = 12;
/** From this length on a shorter text is searched as a whole word. */
const SHORTEST = 5;
/** Every run of 12 holds a piece of 6 that begins at a multiple of 7. */
const PIECE = 6;
const STRIDE = RUN - PIECE + 1;

export interface TicketTexts {
  readonly ticket: Pick<TicketPayload, 'subject' | 'contact'>;
  readonly messages: readonly Pick<MessagePayload, 'content' | 'contact' | 'attachments'>[];
  readonly events?: readonly Pick<EventPayload, 'oldValue' | 'newValue'>[];
}

export function* textsOf({ ticket, messages, events = [] }: TicketTexts): Generator<string> {
  yield ticket.subject;
  yield* namesOf(ticket.contact);
  for (const { content, contact, attachments = [] } of messages) {
    yield content;
    yield* namesOf(contact);
    for (const { url, name } of attachments) {
      yield url;
      if (name !== undefined) yield name;
    }
  }
  // Short values are statuses, which are no secret.
  for (const { oldValue, newValue } of events)
    for (const value of [...Object.values(oldValue ?? {}), ...Object.values(newValue ?? {})])
      if (typeof value === 'string' && value.length >= RUN) yield value;
}

function* namesOf(contact: TicketPayload['contact']): Generator<string> {
  if (contact === undefined) return;
  yield contact.email;
  if (contact.name !== undefined) yield contact.name;
}

export function inOwnWords(problem: TicketProblem, texts: Iterable<string>): TicketProblem {
  const { message, status } = problem;
  const plain = unescaped(message);
  const said = { spaced: spaced(plain), compact: compact(plain) };
  for (const text of texts) {
    if (!sharesRun(said.spaced, spaced(text)) && !sharesRun(said.compact, compact(text))) continue;
    const own = status === undefined ? -1 : message.indexOf(`${status}: `);
    const begin =
      own < 0
        ? 'What is wrong'
        : `${message.slice(0, own)}${status}${message[own - 1] === '(' ? ')' : ''}: what was said`;
    return { ...problem, message: `${begin} quotes the ticket, so it is not kept here.` };
  }
  return problem;
}

function sharesRun(said: string, text: string): boolean {
  if (text.length < RUN) return text.trim().length >= SHORTEST && hasWord(said, text.trim());
  for (let at = 0; at + PIECE <= said.length; at += STRIDE) {
    if (!text.includes(said.slice(at, at + PIECE))) continue;
    for (let start = Math.max(0, at - PIECE); start <= at && start + RUN <= said.length; start += 1)
      if (text.includes(said.slice(start, start + RUN))) return true;
  }
  return false;
}

function hasWord(said: string, text: string): boolean {
  for (let at = said.indexOf(text); at >= 0; at = said.indexOf(text, at + 1))
    if (!isWord(said[at - 1]) && !isWord(said[at + text.length])) return true;
  return false;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

function unescaped(text: string): string {
  const plain = text.replace(/\\u([0-9a-f]{4})/giu, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return decodeHTMLStrict(plain).replace(/(?:%[0-9a-f]{2})+/giu, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );
}

function spaced(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');
}

/** A quote may differ in escapes and punctuation. */
function compact(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** As left by a service that cleans HTML. */
export function plainText(text: string): string {
  return withoutSpace(withoutMarkup(text));
}

export function withoutMarkup(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return text;
  return decodeHTMLStrict(withoutScripts(text).replace(/<[^<>]*>/g, ''));
}

function withoutScripts(text: string): string {
  const opening = /<(script|style)\b/gi;
  const closings = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi };
  const unclosed = new Set<string>();
  let kept = '';
  let from = 0;
  for (let open = opening.exec(text); open !== null; open = opening.exec(text)) {
    const name = open[1]?.toLowerCase() === 'style' ? 'style' : 'script';
    if (unclosed.has(name)) continue;
    const closing = closings[name];
    closing.lastIndex = opening.lastIndex;
    if (closing.exec(text) === null) unclosed.add(name);
    else {
      kept += text.slice(from, open.index);
      from = opening.lastIndex = closing.lastIndex;
    }
  }
  return kept + text.slice(from);
}

export function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Without markup, white space, quote marks and case. */
export function comparableText(text: string): string {
  const plain = text.includes('<') ? text.replace(/<[^<>]*>/g, ' ') : text;
  const read = plain.includes('&') ? decodeHTMLStrict(plain) : plain;
  const unquoted = read.startsWith('> ') ? read.replace(/^> ?/gm, '') : read;
  return unquoted.replace(/\\[nrt]|[\s\u00a0…]+|\.{3}/g, '').toLowerCase();
}
