import { groupKey } from '../../../src/domain/problem.ts';
import type { SourceFrame } from '../../../src/domain/source.ts';
import { type Conversation, conversationOf } from '../../../src/view/conversation/conversation.ts';
import { documentTexts } from '../../../src/view/html/conversation.ts';
import type { View } from '../../../src/view/run-view.ts';
import { checkedTicket, dryView, factsWith, pageOf } from '../sample.ts';

/** A report in which every text that can come from outside is one of these, in each place where texts come from outside. */
export function hostileReport(texts: readonly string[]): string {
  const [text = ''] = texts;
  // Whole: nothing is left out for its size.
  return pageOf(viewOf(texts), { version: text, mostBytes: Number.POSITIVE_INFINITY });
}

/** `name`: what layouts, columns, codes and the helpdesk are called; by default a text too. */
export function viewOf(texts: readonly string[], name = texts[0] ?? ''): View {
  const [text = ''] = texts;
  const problem = {
    ...({ severity: 'error', code: name, ticket: name, file: name, field: name } as const),
    message: text,
  };
  const agent = { agent: text, name: text, how: 'fallback', id: name } as const;
  return dryView({
    facts: {
      tickets: { read: 9, failed: 1, inDoubt: 1, rejected: 1, pending: 6 },
      export: { ...factsWith().export, files: [text] },
      stopped: { message: text, hint: text },
      problems: {
        rows: [{ ...problem, count: 1 }],
        total: 1,
        groups: [{ ...problem, count: 1, example: { ...problem, count: 1 } }],
      },
      inDoubt: [{ externalId: name, tag: name, reason: text }],
      failed: [{ externalId: text, outcome: 'failed', ticketId: name, code: name, reason: text }],
      ...{ layout: name, target: name },
      skipped: [{ reason: text, count: 1 }],
      mapping: texts.map((from) => ({ kind: 'actor' as const, from, to: from, count: 1 })),
      people: { agents: [{ ...agent, messages: 1, events: 1, assigned: 1 }], later: 0 },
      details: {
        columns: [{ table: name, column: name, file: name, filled: 1 }],
        values: [{ field: name, value: text, count: 1, action: name }],
        authors: [{ author: text, count: 1 }],
        notHeld: [{ code: name, what: text, count: 1 }],
      },
    },
    frames: { [groupKey(documentTexts(problem))]: hostileFrame(text) },
    samples: { conversations: texts.map(hostileConversation) },
    next: [{ text: name, command: name }],
  });
}

function hostileFrame(text: string): SourceFrame {
  const stretches = { before: text, marked: text, after: text };
  return { file: text, line: 1, column: 1, ...stretches, cutBefore: false, cutAfter: false };
}

function hostileConversation(text: string): Conversation {
  const { ticket } = checkedTicket();
  const hostile = checkedTicket({
    externalId: text,
    ticket: {
      ...ticket,
      subject: text,
      contact: { email: text },
      tags: [text],
      assignedToId: text,
      managedBy: text,
    },
    messages: [
      ...(['text', 'html', 'markdown'] as const).map((contentType) => ({
        actorType: 'customer' as const,
        contentType,
        content: text,
        occurredAt: '2024-01-01T00:00:00.000Z',
        contact: { email: text, name: text },
        attachments: [{ url: text, name: text, contentType: text }],
      })),
      { actorType: 'agent', content: text, occurredAt: '2024-01-01T00:00:00.000Z', agentId: text },
    ],
    events: [
      { type: text, oldValue: { x: text }, actorType: 'system', occurredAt: '2024-01-01T00:00:00.000Z' },
    ],
  });
  return conversationOf(hostile, [text], () => text);
}
