import { describe, expect, it } from 'vitest';
import type { MessagePayload } from '../../src/domain/payload.ts';
import { NOTE_BEGINS } from '../../src/domain/snapshot.ts';
import type { Snapshot } from '../../src/domain/ticket-api.ts';
import { keptMessage, mergeThread } from '../../src/push/merge-thread.ts';
import { recordOfSending, type SentThread, sentThread } from '../../src/push/thread-record.ts';

const at = (minute: number, ms = 0) => new Date(Date.UTC(2024, 2, 1, 10, minute) + ms).toISOString();
const customer = (content: string, minute: number): MessagePayload => ({
  actorType: 'customer',
  contact: { email: 'ann@example.com' },
  content,
  occurredAt: at(minute),
});
const agent = (content: string, minute: number): MessagePayload => ({
  actorType: 'agent',
  agentId: 'agt_1',
  content,
  occurredAt: at(minute),
});
/** As a service tells it. */
const reported = (message: MessagePayload, id: string, other: Record<string, unknown> = {}): Snapshot => ({
  ...message,
  contactId: message.contactId ?? (message.contact === undefined ? null : 'con_1'),
  agentId: message.agentId ?? null,
  id,
  ...other,
});

const NOTE: MessagePayload = {
  ...{ actorType: 'system', content: `${NOTE_BEGINS}: a table`, occurredAt: at(2), isInternal: true },
};
const OURS = [customer('Hello', 0), agent('Hi', 5), customer('Thanks!', 10)];

function merged(
  ours: readonly MessagePayload[],
  read: readonly Snapshot[],
  known?: SentThread,
): readonly MessagePayload[] | undefined {
  const thread = mergeThread(ours, read, known);
  return typeof thread === 'string' ? undefined : thread.messages;
}

/** The thread by the ids of the helpdesk: a dot is created, a star goes back as it was read. */
function shape(
  ours: readonly MessagePayload[],
  read: readonly Snapshot[],
  known?: SentThread,
): string | undefined {
  const thread = mergeThread(ours, read, known);
  if (typeof thread === 'string') return thread;
  return thread.messages.map((m) => (thread.ours.has(m) ? (m.id ?? '.') : `${m.id}*`)).join(' ');
}

const OF = { c: customer, a: agent, h: (text: string, minute: number) => html(text, minute) };
const html = (content: string, minute: number): MessagePayload => ({
  ...agent(content, minute),
  contentType: 'html',
});

/** `c0:Hello | a5.740:Hi` are a customer's message of minute 0, and an agent's of minute 5 and 740 ms; `h` is an agent's in HTML. */
const said = (texts: string): MessagePayload[] =>
  texts.split(' | ').flatMap((one) => {
    const [, who, minute, ms = '0', content = ''] = /^([cah])(-?\d+)(?:\.(\d+))?:(.*)$/s.exec(one) ?? [];
    if (who === undefined) return [];
    return { ...OF[who as 'c'](content, Number(minute)), occurredAt: at(Number(minute), Number(ms)) };
  });
/** With the ids of the helpdesk: `m0=c0:Hello`. */
const shown = (texts: string): Snapshot[] =>
  texts.split(' | ').flatMap((one) => {
    const [id = '', text = ''] = one.split(/=(.*)/s);
    return said(text).map((message) => reported(message, id));
  });

const ALL = 'c0:Hello | a5:Hi | c10:Thanks!';
const THERE = 'm0=c0:Hello | m1=a5:Hi | m2=c10:Thanks!';

describe('a merged thread', () => {
  it.each<[string, ours: string, read: string, string | undefined]>([
    ['nothing in the helpdesk', ALL, '', '. . .'],
    ['the same', ALL, THERE, 'm0 m1 m2'],
    ['a new one in the export', ALL, 'm0=c0:Hello | m1=a5:Hi', 'm0 m1 .'],
    ['a reply in the helpdesk at the end', ALL, `${THERE} | x=a20:Own`, 'm0 m1 m2 x*'],
    ['a note in the helpdesk in between', ALL, `x=a7:Own | ${THERE}`, 'm0 m1 x* m2'],
    ['one before everything', ALL, 'x=a-7:Own', 'x* . . .'],
    ['one at the very same time goes behind ours', ALL, 'x=a10:Own', '. . . x*'],
    ['two own ones, newest first', ALL, 'b=a22:B | a=a21:A', '. . . a* b*'],
    ['a text that was corrected in the export', 'c0:Hello!!', 'm0=c0:Hello', 'm0*'],
    ['html that the helpdesk cleaned', 'h5:<p onclick="x">Hi</p>', 'm0=a5:<p>Hi</p>', 'm0'],
    ['other line ends', 'c0:a\r\nb ', 'm0=c0:a\nb', 'm0'],
    ['whole seconds in the helpdesk', 'a5.740:Hi', 'm0=a5:Hi', 'm0'],
    ['the same words at another time', ALL, 'm0=c0:Hello | x=c99:Thanks!', 'm0 . . x*'],
    ['the same time by another kind of author', 'c0:Hello', 'x=a0:Note', '. x*'],
    ['no times of ours', ALL, 'm0=c600:Hello | m1=a601:Hi | m2=c602:Thanks!', 'm0 m1 m2'],
    ['said twice, there once', 'c0:+1 | c0:+1', 'm0=c0:+1', 'm0 .'],
    ['said once, there twice', 'c0:+1', 'm0=c0:+1 | m1=c0:+1', 'm0 m1*'],
    ['removed from the export', '', 'm0=c0:Hello', 'm0*'],
  ])('%s', (_, ours, read, expected) => {
    expect(shape(said(ours), shown(read))).toBe(expected);
  });

  describe('with the messages of an earlier run', () => {
    const known = sentThread(recordOfSending(OURS)(undefined));
    const there = shown(THERE);
    const edit = (at: number, content: string) => there.map((m, i) => (i === at ? { ...m, content } : m));
    const corrected = ALL.replace('Hi', 'Hi!');
    it.each<[string, ours: string, read: string, string]>([
      ['the same', ALL, THERE, 'm0* m1* m2*'],
      ['a new one in the export', `${ALL} | a12:Bye`, THERE, 'm0* m1* m2* .'],
      ['a text that was corrected in the export', corrected, THERE, 'm0* m1 m2*'],
      ['a text that was edited in the helpdesk', ALL, THERE.replace('Hi', 'Hi, we are on it'), 'm0* m1* m2*'],
      ['a text that was redacted in the helpdesk', ALL, THERE.replace('Hello', '[redacted]'), 'm0* m1* m2*'],
      ['a text without its end', ALL, THERE.replace('Thanks!', 'Th'), 'm0* m1* m2*'],
      ['edited in both: the helpdesk wins', corrected, THERE.replace('Hi', 'Hi, we are'), 'm0* m1* m2*'],
      ['edited in both in the same way', corrected, THERE.replace('Hi', 'Hi!'), 'm0* m1 m2*'],
      ['one that was deleted in the helpdesk', ALL, 'm0=c0:Hello | m2=c10:Thanks!', 'm0* m2*'],
      ['one that was deleted, and one is new', `${ALL} | a12:Bye`, 'm0=c0:Hello | m1=a5:Hi', 'm0* m1* .'],
      ['nothing of what was sent is shown', ALL, '', 'emptied'],
      ['markup that the helpdesk cleaned', ALL, THERE.replace('Hi', '<p>Hi</p>'), 'm0* m1* m2*'],
    ])('%s', (_, ours, read, expected) => {
      expect(shape(said(ours), shown(read), known)).toBe(expected);
    });

    it('the note of an import stays last, and an edited one without its time is not reported', () => {
      expect(shape(OURS, [reported(NOTE, 'n'), ...there], known)).toBe('m0* m1* m2* n*');
      const untimed = { messageId: 'b@x', occurredAt: undefined };
      const read = edit(1, 'Ho').map((m) => (m.id === 'm1' ? { ...m, ...untimed } : m));
      expect(shape(OURS, read, known)).toBe('unreported');
    });

    it('as nothing, all of ours are new', () => {
      expect(shape(OURS, [], sentThread(recordOfSending([])(undefined)))).toBe('. . .');
    });

    it('without a record, what reads the same was sent', () => {
      expect(mergeThread(OURS, there, undefined, OURS, true)).toMatchObject({ isChange: false });
    });

    it('an echo of another length says nothing of what the helpdesk made of the texts', () => {
      const thread = mergeThread(OURS, [], undefined);
      if (typeof thread === 'string') throw new Error(thread);
      const echo = edit(1, 'made of it');
      expect(thread.toRecord(echo)).not.toBe(thread.toRecord(undefined));
      expect(thread.toRecord(echo.slice(1))).toBe(thread.toRecord(undefined));
    });

    describe('attachments and notes', () => {
      const files = ['a.png', 'b.png'].map((name) => ({ url: `https://old.example.com/${name}`, name }));
      const mail: readonly MessagePayload[] = [{ ...agent('See these', 5), attachments: files }];
      const seen = sentThread(recordOfSending(mail)(undefined));
      const bare = sentThread(recordOfSending([agent('See these', 5)])(undefined));
      const copies = files.map(({ name }, i) => ({ id: `f${i}`, name, url: `https://cdn.example.com/${i}` }));
      it.each<[string, readonly MessagePayload[], Record<string, unknown>, SentThread | undefined, string]>([
        ['copies of the service', mail, { attachments: copies }, seen, 'm0*'],
        ['not reported', mail, { attachments: undefined, isInternal: null }, seen, 'm0*'],
        ['one was removed in the helpdesk', mail, { attachments: copies.slice(1) }, seen, 'm0*'],
        ['all were', mail, { attachments: [] }, seen, 'm0*'],
        ['a note was made of it', mail, { isInternal: true }, seen, 'm0*'],
        ['reported without names', mail, { attachments: copies.map(({ url }) => ({ url })) }, seen, 'm0*'],
        ['new in the export', mail, { attachments: [] }, bare, 'm0'],
        ['new in the export, and a note there', mail, { attachments: [], isInternal: true }, bare, 'm0*'],
        ['nothing known, and a note there', mail, { isInternal: true }, undefined, 'm0*'],
      ])('%s', (_, ours, other, known, expected) => {
        expect(shape(ours, [reported(ours[0] as MessagePayload, 'm0', other)], known)).toBe(expected);
      });

      it('what the helpdesk made of them is no change by people', () => {
        const echo = [reported(mail[0] as MessagePayload, 'm0', { attachments: copies.slice(1) })];
        expect(shape(mail, echo, sentThread(recordOfSending(mail)(echo)))).toBe('m0*');
      });
    });

    describe('after a change in the export', () => {
      const LINK = 'See <a href="https://a.example/1">this</a>';
      const file = { url: 'https://old.example.com/a.png', name: 'a.png' };
      const merge = (ours: readonly MessagePayload[], there: readonly MessagePayload[], then = OURS) =>
        shape(
          ours,
          there.map((m, i) => reported(m, `m${i}`)),
          sentThread(recordOfSending(then)(undefined)),
        );
      const shifted = OURS.map((m) => ({
        ...m,
        occurredAt: new Date(Date.parse(m.occurredAt) + 300_000).toISOString(),
      }));

      it('the times are moved, though each has the old time of another', () => {
        expect(merge(shifted, OURS)).toBe('m0 m1 m2');
      });

      it('the time of an edited message stays theirs', () => {
        const there = OURS.map((m, i) => (i === 1 ? { ...m, content: 'Hi, we are on it' } : m));
        expect(merge(shifted, there)).toBe('m0 m1* m2');
      });

      it('one is gone, it stays and is said', () => {
        const thread = mergeThread(
          [...OURS.slice(0, 2), agent('New', 20)],
          there,
          sentThread(recordOfSending(OURS)(undefined)),
        );
        expect(thread).toMatchObject({ removed: 1, kept: 0, deleted: 0, edited: 0 });
        expect(typeof thread === 'object' && sentThread(thread.toRecord(undefined))).toHaveLength(4);
      });

      it('the text, and people a link in it: the helpdesk wins', () => {
        const then = [agent(LINK, 5)];
        const there = [agent(LINK.replace('/1', '/2'), 5)];
        expect(merge([agent(LINK.replace('this', 'that'), 5)], there, then)).toBe('m0*');
        expect(merge([agent(LINK.replace('this', 'that'), 5)], then, then)).toBe('m0');
      });

      it('nothing, and an earlier version recorded no links: what people made of it goes back', () => {
        const record = recordOfSending([agent(LINK, 5)])(undefined);
        const asBefore = record.slice(2, 18) + record.slice(26, 34);
        const there = [reported(agent(LINK.replace('/1', '/2'), 5), 'm0')];
        expect(shape([agent(LINK, 5), agent('New', 6)], there, sentThread(asBefore))).toBe('m0* .');
      });

      it('the text, and the service had copied its file when it answered: the copy stays', () => {
        const then = [{ ...agent('See this', 5), attachments: [file] }];
        const copy = { url: 'https://cdn.example.com/1', name: 'a.png' };
        const there = [reported({ ...agent('See this', 5), attachments: [copy] }, 'm0')];
        const now = [{ ...agent('See that', 5), attachments: [file] }];
        const thread = merged(now, there, sentThread(recordOfSending(then)(there)));
        expect(thread).toMatchObject([{ content: 'See that', attachments: [copy] }]);
      });

      it('the text, and people redacted a file of it: the text is updated, and the file stays', () => {
        const then = [{ ...agent('See this', 5), attachments: [file] }];
        const redacted = { url: 'https://desk.example.com/r/a.png', name: 'a.png' };
        const read = [reported({ ...agent('See this', 5), attachments: [redacted] }, 'm0')];
        const more = { url: 'https://old.example.com/b.png', name: 'a2.png' };
        const now = [{ ...agent('See that', 5), attachments: [file] }];
        const thread = merged(now, read, sentThread(recordOfSending(then)(undefined)));
        expect(thread).toMatchObject([{ id: 'm0', content: 'See that', attachments: [redacted] }]);
        const inPlace = { url: 'https://old.example.com/r/a.png', name: 'a.png' };
        const there = [reported({ ...agent('See this', 5), attachments: [inPlace] }, 'm0')];
        expect(merged(now, there, sentThread(recordOfSending(then)(undefined)))).toMatchObject([
          { attachments: [inPlace] },
        ]);
        const moved = [{ ...agent('See that', 5), attachments: [{ ...file, url: more.url }] }];
        const asSent = [reported({ ...agent('See this', 5), attachments: [file] }, 'm0')];
        expect(merged(moved, asSent, sentThread(recordOfSending(then)(undefined)))).toMatchObject([
          { attachments: [{ url: more.url }] },
        ]);
      });

      it.each([
        ['A wholly new text', 1],
        ['Hello again', 0],
        ['', 0],
      ])('the text of one to %j: %i replaced', (content, replaced) => {
        const now = OURS.map((m, i) => (i === 0 ? { ...m, content } : m));
        const thread = mergeThread(now, there, sentThread(recordOfSending(OURS)(undefined)));
        expect(thread).toMatchObject({ replaced });
      });

      it('one of a record of an earlier version is recognised as well', () => {
        const record = recordOfSending(OURS)(undefined).slice(2).match(/.{48}/g) ?? [];
        const old = sentThread(record.map((entry) => entry.slice(0, 16) + entry.slice(24, 32)).join(''));
        expect(old).toHaveLength(3);
        expect(shape(shifted, there, old)).toBe('m0 m1 m2');
      });
    });

    it('what the helpdesk made of a text is no edit, and what people made of that is one', () => {
      const markdown = [agent('**Hi**', 5)];
      const echo = [reported(agent('<b>Hi</b>', 5), 'm0')];
      const seen = sentThread(recordOfSending(markdown)(echo));
      expect(shape([agent('**Ho**', 5)], echo, seen)).toBe('m0');
      expect(shape([agent('**Ho**', 5)], [reported(agent('<b>Hi!</b>', 5), 'm0')], seen)).toBe('m0*');
    });

    it('an edit and a deletion stand through one delta after the other', () => {
      let record = recordOfSending(OURS)(undefined);
      let read: readonly Snapshot[] = edit(0, '[redacted]').filter(({ id }) => id !== 'm2');
      let ours: readonly MessagePayload[] = OURS;
      for (let round = 0; round < 3; round += 1) {
        ours = [
          ...ours.map((m, i) => (i === 0 ? { ...m, content: `Hello ${round}` } : m)),
          agent('More', 20 + round),
        ];
        const thread = mergeThread(ours, read, sentThread(record));
        if (typeof thread === 'string') throw new Error(thread);
        read = thread.messages.map((m, i) => reported(m, m.id ?? `n${round}${i}`));
        record = thread.toRecord(round === 1 ? undefined : read);
        expect(thread).toMatchObject({ edited: 1, deleted: 1, isChange: true });
        expect(read.map(({ content }) => content)).not.toContain('Thanks!');
        expect(read[0]?.['content']).toBe('[redacted]');
      }
      const last = mergeThread(ours, read, sentThread(record));
      expect(last).toMatchObject({ isChange: false, edited: 1, deleted: 1 });
    });

    it('messages are recognised by their Message-IDs, whichever other field changed', () => {
      const mail = { ...agent('Hi', 5), messageId: '<a@x>' };
      const read = [reported({ ...customer('Changed', 50), messageId: 'a@x' }, 'm0')];
      expect(shape([mail], read, sentThread(recordOfSending([mail])(undefined)))).toBe('m0*');
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no id', { id: '' }],
    ['no author', { actorType: 'bot' }],
    ['no text', { content: undefined }],
    ['no time', { occurredAt: undefined }],
    ['no agent', { agentId: null }],
    ['an attachment without an address', { attachments: [{ name: 'a.png' }] }],
    ['an attachment that is no object', { attachments: [null] }],
    ['an attachment that is a text', { attachments: ['a.png'] }],
    ['neither text nor attachment', { content: null, attachments: [] }],
  ])('is not made where a message of the helpdesk has %s', (_, other) => {
    expect(merged(OURS, [reported(agent('Own', 20), 'x', other)])).toBeUndefined();
  });
});

describe('a kept message', () => {
  it('says everything that the helpdesk tells, and nothing else', () => {
    const message = reported(agent('Own', 20), 'x', {
      contentType: 'html',
      isInternal: true,
      occurredAt: '2024-03-01T10:20:00+02:00',
      attachments: [
        {
          url: 'https://files.example.com/a.png',
          name: 'a.png',
          contentType: 'image/png',
          sizeBytes: 3,
          extra: 1,
        },
      ],
      messageId: '<own@example.com>',
      inReplyToId: '<first@example.com>',
      referencesIds: ['<first@example.com>', 7],
      createdBy: 'Kay',
    });
    expect(keptMessage(message)).toStrictEqual({
      id: 'x',
      actorType: 'agent',
      agentId: 'agt_1',
      content: 'Own',
      contentType: 'html',
      isInternal: true,
      occurredAt: '2024-03-01T10:20:00+02:00',
      attachments: [
        { url: 'https://files.example.com/a.png', name: 'a.png', contentType: 'image/png', sizeBytes: 3 },
      ],
      messageId: '<own@example.com>',
      inReplyToId: '<first@example.com>',
      referencesIds: ['<first@example.com>'],
    });
  });

  it('has no mail IDs and sizes that the helpdesk does not tell', () => {
    const attachments = [{ url: 'https://files.example.com/a.png', sizeBytes: 1.5 }];
    const other = { messageId: '', inReplyToId: '', referencesIds: 'x', attachments };
    const { attachments: kept, ...message } = keptMessage(reported(agent('Own', 20), 'x', other)) ?? {};
    expect(kept).toStrictEqual([{ url: 'https://files.example.com/a.png' }]);
    expect(Object.keys(message).filter((key) => /messageId|inReplyToId|referencesIds/.test(key))).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'a contact by its id',
      { contactId: 'con_7', contact: { id: 'con_7', email: 'a@example.com' } },
      { contactId: 'con_7' },
    ],
    ['a contact in an object', { contactId: undefined, contact: { id: 'con_8' } }, { contactId: 'con_8' }],
    [
      'a contact by its address',
      { contactId: null, contact: { email: 'a@example.com' } },
      { contact: { email: 'a@example.com' } },
    ],
  ])('%s', (_, other, author) => {
    expect(keptMessage(reported(customer('Hello', 0), 'x', other))).toEqual({
      id: 'x',
      actorType: 'customer',
      content: 'Hello',
      occurredAt: at(0),
      ...author,
    });
  });

  it('of attachments alone has an empty text', () => {
    const attachments = [{ url: 'https://files.example.com/a.png' }];
    expect(keptMessage(reported(agent('', 0), 'x', { content: null, attachments }))).toMatchObject({
      content: '',
      attachments,
    });
    expect(keptMessage(reported(agent('', 0), 'x', { content: undefined, attachments }))).toBeUndefined();
  });
});
