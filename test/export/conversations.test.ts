/** Words of Zendesk tickets that are in no comment: messaging, chats, side conversations, in each form in which they leave Zendesk. */
import { mkdirSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { mapExport, type Texts } from '../mapping/support/map-export.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

type Json = Record<string, unknown>;

/** A conversation: texts, filled forms and files, one a minute. */
interface Said {
  readonly by: 'customer' | 'agent' | 'bot' | 'system';
  readonly text?: string;
  readonly form?: readonly (readonly [label: string, text: string])[];
  readonly file?: string;
}

const RUTH = 7001;
const MAJA = 9001;
const START = Date.parse('2024-04-08T08:00:00Z');
const at = (nth: number) => new Date(START + 60_000 * nth).toISOString();
const lines = (rows: readonly Json[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const linkOf = (file: string) => `https://desk.example/${file}`;
const ticketOf = (via: Json) => ({
  ...{
    id: 41,
    subject: 'Web chat',
    description: 'Conversation with Ruth',
    status: 'open',
    created_at: at(0),
  },
  ...{ requester_id: RUTH, submitter_id: RUTH, assignee_id: MAJA, ...via },
});
const users = lines([
  { id: RUTH, email: 'ruth@example.com', name: 'Ruth', role: 'end-user' },
  { id: MAJA, email: 'maja@team.example', name: 'Maja', role: 'agent' },
]);
const transcript = {
  id: 5,
  ticket_id: 41,
  body: '(08:00:12) Ruth: Is it in?\n(08:01:00) Maja: Yes',
  public: true,
};

const FORMS: Readonly<Record<string, (all: readonly Said[]) => Texts>> = {
  'the conversation log': (all) => ({
    't.jsonl': lines([ticketOf({ via: { channel: 'native_messaging' }, from_messaging_channel: true })]),
    'log.jsonl': lines(
      all.map(({ by, text, form, file }, nth) => ({
        ...{ ticket_id: 41, id: `m${nth}`, type: 'Messaging::ConversationMessage', created_at: at(nth) },
        author: {
          customer: { type: 'user', 'zen:support:user_id': RUTH },
          agent: { type: 'agent', 'zen:support:user_id': MAJA },
          bot: { type: 'bot', display_name: 'Bot' },
          system: { type: 'system' },
        }[by],
        content: form
          ? { type: 'formResponse', fields: form.map(([label, filled]) => ({ label, text: filled })) }
          : { type: file ? 'file' : 'text', text, ...(file && { mediaUrl: linkOf(file) }) },
        attachments: file ? [{ file_name: file, content_url: linkOf(file) }] : [],
      })),
    ),
  }),
  'a chat in audits': (all) => ({
    't.jsonl': lines([ticketOf({ via: { channel: 'chat' } })]),
    'audits.jsonl': lines([
      {
        ...{ id: 1, ticket_id: 41, author_id: -1, created_at: at(99) },
        events: [
          {
            type: 'ChatStartedEvent',
            value: {
              history: [
                { type: 'ChatJoin', actor_type: 'end-user', actor_id: RUTH, timestamp: START },
                ...all.map(({ by, text, form, file }, nth) => ({
                  type: file ? 'ChatFileAttachment' : 'ChatMessage',
                  actor_type: by === 'customer' ? 'end-user' : by === 'bot' ? 'trigger' : by,
                  actor_id: { customer: RUTH, agent: MAJA, bot: null, system: null }[by],
                  timestamp: Date.parse(at(nth)),
                  ...(file
                    ? { filename: file, url: linkOf(file) }
                    : { message: text ?? form?.map(([label, filled]) => `${label}: ${filled}`).join('\n') }),
                })),
              ],
            },
          },
        ],
      },
    ]),
  }),
  'chat tables of a warehouse': (all) => ({
    't.jsonl': lines([ticketOf({ via_channel: 'chat' })]),
    'chat.jsonl': lines([{ chat_id: 'c1', ticket_id: 41, visitor_id: 'v', user_id: RUTH, channel: 'chat' }]),
    'chat_event.jsonl': lines([
      { chat_id: 'c1', actor_id: String(RUTH), message: null, type: 'ChatJoin', created_at: at(0) },
      ...all.map(({ by, text, form, file }, nth) => ({
        ...{ chat_id: 'c1', created_at: at(nth), message: text ?? null },
        actor_id: { customer: `${RUTH}`, agent: `agent:${MAJA}`, bot: `agent:${MAJA}`, system: '__system' }[
          by
        ],
        type: file ? 'ChatFileAttachment' : 'ChatMessage',
        ...(file && { filename: file, url: linkOf(file) }),
        original_message: {
          source: { type: by === 'bot' ? 'zd:answerBot' : 'web' },
          content: form
            ? { form: { fields: form.map(([label, filled]) => ({ label, text: { text: filled } })) } }
            : {},
        },
      })),
    ]),
    'c.jsonl': lines([{ ...transcript, user_id: RUTH, created: at(50) }]),
  }),
};

async function read(texts: Texts) {
  const { detection, tickets, mapper } = await mapExport({ ...texts, 'u.jsonl': users }, builtinLayouts(), {
    agents: { 'maja@team.example': 'agt_maja' },
  });
  const messages = tickets[0]?.messages.map(({ value }) => value) ?? [];
  return { layout: detection.layout.name, messages, tickets, problems: mapper.problems() };
}

const text = fc.stringMatching(/^[a-z]{3,9}$/);
const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ by: fc.constantFrom('customer', 'agent', 'bot', 'system'), text }),
  fc.record({
    by: fc.constant('customer'),
    form: fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ by: fc.constantFrom('customer', 'agent'), file: text }),
) as fc.Arbitrary<Said>;

describe.each(Object.entries(FORMS))('%s', (_, made) => {
  it('becomes the messages that were said, by those who said them, in order and once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 8 }), async (all) => {
        const { messages, tickets, problems } = await read(made(all));
        // A comment that repeats its chat is named as unused.
        const named = [...(tickets[0]?.problems ?? []), ...problems];
        expect(named.filter(({ code }) => code !== 'unused-column')).toEqual([]);
        const told = messages.map(({ actorType, content, occurredAt, isInternal, attachments }) => ({
          ...{ actorType, occurredAt, isInternal: isInternal === true },
          text: attachments === undefined ? content : undefined,
          files: ((attachments ?? []) as Json[]).map(({ url }) => url),
        }));
        expect(told).toEqual(
          all.map(({ by, text: words, form, file }, nth) => ({
            ...{ actorType: by === 'bot' ? 'system' : by, occurredAt: at(nth), isInternal: false },
            text: words ?? form?.map(([label, filled]) => `${label}: ${filled}`).join('\n'),
            files: file ? [linkOf(file)] : [],
          })),
        );
      }),
      { numRuns: 15 },
    );
  });
});

it.each([
  ['zendesk', { via: { channel: 'native_messaging' } }],
  ['zendesk-tables', { via_channel: 'native_messaging' }],
])('%s: messaging tickets without their words are a finding with their number', async (layout, via) => {
  for (const [ids, says] of [
    [[41, 42], '2 messaging tickets have no conversation in this export, such as 41; `export zendesk`'],
    [[41], '1 messaging ticket has no conversation in this export, 41; `export zendesk`'],
  ] as const) {
    using folder = temporaryFolder();
    mkdirSync(folder.join('export'));
    writeFileSync(folder.join('export/tickets.jsonl'), lines(ids.map((id) => ({ ...ticketOf(via), id }))));
    writeFileSync(folder.join('export/users.jsonl'), users);
    const { stdout } = await commandLine(['run', 'export', '--dry-run', '--json'], { cwd: folder.path });
    expect(JSON.parse(stdout)).toMatchObject({
      layout,
      problems: expect.arrayContaining([
        expect.objectContaining({
          ...{ code: 'incomplete-thread', count: ids.length },
          message: expect.stringContaining(`${says} fetches it.`),
        }),
      ]),
    });
  }
});
