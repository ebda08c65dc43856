/**
 * A service that writes to customers (the fault `mails-customers`): of a new ticket, and of what agents write. Delivered to an SMTP
 * server on this machine, before the request is answered, so that whoever has the answer can look whether mail came.
 */
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import type { Request } from './core/route.ts';
import type { TicketRow } from './store/tickets.ts';

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const PATIENCE_MS = 10_000;
const FROM = 'support@helpdesk.example';

/** Nothing where the service does not write to customers. Mail that cannot be delivered is lost, as elsewhere. */
export async function mailCustomer(
  { traits, service: { closing, store } }: Pick<Request, 'traits' | 'service'>,
  { subject, contact_seq: contact }: Pick<TicketRow, 'subject' | 'contact_seq'>,
  texts: readonly string[],
): Promise<void> {
  const port = traits.get('mails-customers');
  const to = contact === null ? undefined : store.contacts.bySeq(contact)?.email;
  if (port === undefined || to === undefined) return;
  for (const text of texts) await deliver({ to, subject, text }, port, closing).catch(() => undefined);
}

async function deliver({ to, subject, text }: Mail, port: number, closing: AbortSignal): Promise<void> {
  const lines = [
    `From: Support <${FROM}>`,
    `To: <${plain(to)}>`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    `Date: ${new Date().toUTCString()}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '.',
  ];
  const steps: readonly (readonly [expected: RegExp, say: string])[] = [
    [/^220 /, 'EHLO localhost'],
    [/^250 /, `MAIL FROM:<${FROM}>`],
    [/^250 /, `RCPT TO:<${plain(to)}>`],
    [/^25\d /, 'DATA'],
    [/^354 /, lines.join('\r\n')],
    [/^250 /, 'QUIT'],
  ];
  const signal = AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]);
  const socket = createConnection({ port, host: '127.0.0.1' });
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const broken = new Promise<never>((_, reject) => socket.once('error', reject));
    const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
    for (const [expected, say] of steps) {
      let answer = '';
      // Lines of an answer but the last have a hyphen behind the code.
      do {
        const { value, done } = await Promise.race([answers.next(), broken]);
        if (done === true) throw new Error('The mail server ended the connection.');
        answer = value;
      } while (/^\d{3}-/.test(answer));
      if (!expected.test(`${answer} `)) throw new Error(`The mail server answered: ${answer.slice(0, 200)}`);
      socket.write(`${say}\r\n`);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    socket.end();
  }
}

function plain(address: string): string {
  return address.replace(/[\s<>\p{Cc}]/gu, '');
}
