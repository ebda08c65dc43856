import { describe, expect, it } from 'vitest';
import { groupKey } from '../../src/domain/problem.ts';
import { conversationOf } from '../../src/view/conversation/conversation.ts';
import { redactProblem } from '../../src/view/redact.ts';
import type { View } from '../../src/view/run-view.ts';
import { checkedTicket, dryView, factsWith, pageOf, textOf } from './sample.ts';

/** Put wherever a person's data may be. */
const SECRET = 'Zaphod';
const ADDRESS = 'zaphod@personal.example';

function personal(): View {
  const { ticket } = checkedTicket();
  const problem = {
    severity: 'error',
    code: 'invalid-email',
    ticket: '12',
    message: `"${SECRET}" is wrong`,
  } as const;
  return dryView({
    frames: {
      [groupKey(problem)]: {
        file: 'export.csv',
        line: 7,
        column: 4,
        before: `${SECRET},`,
        marked: SECRET,
        after: `,${SECRET}`,
        cutBefore: false,
        cutAfter: false,
      },
    },
    facts: {
      tickets: { read: 12_430, rejected: 41, skipped: 200, failed: 1, inDoubt: 1, pending: 12_187 },
      stopped: { message: `Something about ${ADDRESS}.` },
      problems: {
        rows: [{ ...problem, count: 1 }],
        total: 1,
        groups: [{ ...problem, count: 1, example: { ...problem, count: 1 } }],
      },
      export: { ...factsWith().export, files: [`/home/${SECRET}/export.csv`] },
      inDoubt: [{ externalId: '1', tag: 'zendesk-1', reason: SECRET }],
      failed: [{ externalId: ADDRESS, outcome: 'failed', code: 'refused', reason: `${SECRET} is refused` }],
      skipped: [{ reason: `not ${ADDRESS}`, count: 1 }],
      mapping: [{ kind: 'actor', from: ADDRESS, to: 'customer', count: 1 }],
      details: {
        columns: [{ table: 't', column: 'phone', file: 'a.csv', filled: 1 }],
        values: [
          { field: 'status', value: 'On hold', count: 1, action: 'error' },
          { field: 'tags', value: SECRET, count: 1, action: 'error' },
        ],
        authors: [{ author: SECRET, count: 1 }],
        notHeld: [{ code: 'system-events', what: `CC to ${ADDRESS}`, count: 1 }],
      },
      people: {
        agents: [
          { agent: SECRET, name: SECRET, how: 'fallback', id: 'agt_9', messages: 1, events: 0, assigned: 0 },
        ],
        later: 0,
      },
      trial: {
        tickets: [
          {
            externalId: '4711',
            why: [],
            subject: SECRET,
            customer: ADDRESS,
            checks: [{ name: 'subject', ok: false, detail: SECRET }],
          },
        ],
      },
    },
    samples: {
      conversations: [
        conversationOf(
          checkedTicket({
            ticket: { ...ticket, subject: SECRET, contact: { email: ADDRESS }, tags: [SECRET] },
            messages: (['text', 'html', 'markdown'] as const).map((contentType) => ({
              actorType: 'customer' as const,
              contentType,
              content: `${SECRET} wrote this`,
              occurredAt: '2024-01-01T00:00:00.000Z',
              contact: { email: ADDRESS },
              attachments: [{ url: `https://x.example/${SECRET}`, name: `${SECRET}.pdf` }],
            })),
            events: [
              {
                type: 'customer_assigned',
                newValue: { name: SECRET },
                actorType: 'system',
                occurredAt: '2024-01-01T00:00:00.000Z',
              },
            ],
          }),
          ['status closed'],
          () => SECRET,
        ),
      ],
    },
  });
}

describe('a redacted report', () => {
  const page = pageOf(personal(), { isRedacted: true });

  it('holds no address, name, subject, body or quoted value anywhere in its bytes', () => {
    expect(pageOf(personal()).split(SECRET).length).toBeGreaterThan(15);
    expect(page).not.toContain(SECRET);
    expect(page).not.toContain('personal.example');
  });

  it('what a decision needs stays: counts, times, statuses, columns, and what to do', () => {
    const text = textOf(page);
    expect(text).toContain('12,187 of 12,230 tickets are ready to import.');
    expect(text).toMatch(/status\s+"On hold"\s+1/);
    expect(text).toMatch(/phone\s+1\s+a\.csv/);
    expect(text).toContain('export.csv');
    expect(text).toContain('Invalid e-mail address');
    expect(text).toContain('Sample conversations are hidden.');
  });

  it('a problem of an unknown kind says nothing of its value', () => {
    const problem = { severity: 'error', code: 'brand-new', message: SECRET, count: 1, line: 7 } as const;
    expect(redactProblem(problem)).toEqual({ ...problem, message: 'Details are hidden (brand-new).' });
  });
});
