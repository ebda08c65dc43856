/** What a preview shows otherwise than it should be, and the fields that make each part of it. */
import type { Conversation, ConversationMessage } from '../../src/view/conversation/conversation.ts';

export interface Shown {
  readonly fields: readonly { readonly key: string; readonly label: string; readonly mark?: string }[];
  readonly tickets: number;
  readonly unread: { readonly texts: readonly string[] };
  readonly preview: readonly Conversation[];
}

const PERSON = ['', '.email', '.name'];
const TEXTS = ['message.text', ...['customer', 'agent', 'note'].map((name) => `message.text.${name}`)];
const AUTHORS = PERSON.map((part) => `message.author${part}`);
const SIDES = ['message.writer', ...AUTHORS, 'person.role', 'otherAuthors'];
/** The fields that make each part of a ticket: one of them must be marked where that part is wrong. */
export const MAKERS: Readonly<Record<string, readonly string[]>> = {
  tickets: ['ticket.id', 'ticket.rows'],
  subject: ['ticket.subject'],
  status: ['ticket.status'],
  email: [...PERSON.map((part) => `ticket.requester${part}`), ...SIDES],
  text: [...TEXTS, 'message.ticket'],
  side: [...SIDES, ...TEXTS],
  audience: ['message.visibility', ...TEXTS],
};

/** Parts of the previewed tickets that are not as they should be; what is internal by mistake hurts nobody. */
export function wrongParts({ preview, unread, tickets }: Shown, expected: readonly string[]): Set<string> {
  const wrong = new Set(tickets === expected.length ? [] : ['tickets']);
  if (wrong.size > 0) return wrong;
  for (const { externalId, subject, status, contact, entries } of preview) {
    const line = expected.find((each) => each.startsWith(`${externalId} | `)) ?? '';
    const [, title, state, email, ...said] = line.split(' | ');
    if (line === '') wrong.add('tickets');
    if (subject !== title) wrong.add('subject');
    if (status !== state) wrong.add('status');
    if ((contact?.email ?? '').replace(/^.*@made-up\.example$/, '') !== email) wrong.add('email');
    const shown = entries.filter((entry) => entry.kind === 'message' && !entry.name?.startsWith('Kept in'));
    const rest = said.map((each) => /^(\w+) (\w+) (.*)$/s.exec(each) ?? []);
    for (const entry of shown as ConversationMessage[]) {
      const [found] = rest.filter(([, , , text]) => text === entry.content);
      if (found === undefined) wrong.add('text');
      else {
        rest.splice(rest.indexOf(found), 1);
        if (found[1] !== entry.author) wrong.add('side');
        if (found[2] === 'internal' && !entry.isInternal) wrong.add('audience');
      }
    }
    // a text that no field reads is in the internal note, and named
    const note = entries.find((entry) => entry.kind === 'message' && entry.name?.startsWith('Kept in'));
    const kept = unread.texts.length > 0 ? ((note as ConversationMessage | undefined)?.content ?? '') : '';
    if (rest.some(([, , , text = '']) => !kept.includes(text))) wrong.add('text');
  }
  return wrong;
}
