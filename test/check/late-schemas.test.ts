/** The checker loads what judges doubtful records when it meets the first one; the outcome does not depend on that. */
import { expect, it } from 'vitest';
import { createChecker } from '../../src/check/check-ticket.ts';
import type { MappedTicket } from '../../src/domain/mapped.ts';
import { check, FROM_AGENT, FROM_CUSTOMER, mapped, RULES, STATUS_CHANGE, TICKET } from './mapped.ts';

const GOOD = mapped(TICKET, [FROM_CUSTOMER, FROM_AGENT], [STATUS_CHANGE]);
const DOUBTFUL: readonly [what: string, ticket: MappedTicket][] = [
  ['an attachment', mapped(TICKET, [{ ...FROM_CUSTOMER, attachments: [{ url: 'https://x.example/a' }] }])],
  ['a subject that is missing', mapped({ ...TICKET, subject: undefined }, [FROM_CUSTOMER])],
  ['a message without its author', mapped(TICKET, [{ ...FROM_AGENT, agentId: undefined }])],
  ['an event of another type', mapped(TICKET, [FROM_CUSTOMER], [{ ...STATUS_CHANGE, type: 'moved' }])],
  ['everything wrong', mapped({ ...TICKET, status: 'no' }, [{ content: 7 }], [{ type: '' }])],
];

it('a ticket of plainly good records is judged at once', () => {
  expect(createChecker(RULES)(GOOD)).toEqual(check(GOOD));
});

it.each(DOUBTFUL)(
  '%s is judged as if the schemas had been there, and what follows at once',
  async (_, ticket) => {
    const judge = createChecker(RULES);
    const first = judge(ticket);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toEqual(check(ticket));
    for (const [, next] of DOUBTFUL) expect(judge(next)).toEqual(check(next));
  },
);
