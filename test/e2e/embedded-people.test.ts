/** People who stand in tickets are one table of people, whatever ticket they stand in. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { ticketsIn } from '../support/threads.ts';
import { reported, withService } from './service-run.ts';

const ann = { id: 1, name: 'Ann', email: 'ann@example.com', role: 'end-user' };
const lee = { id: 51, name: 'Lee', email: 'lee@example.org', role: 'agent' };
const mia = { id: 52, name: 'Mia', email: 'mia@example.org', role: 'agent' };
const carl = { id: 3, name: 'Carl', email: 'carl@example.com', role: 'end-user' };

interface Said {
  readonly by: number;
  readonly text: string;
  readonly at?: string;
  readonly html?: string;
  readonly isPublic?: boolean;
}

/** A line of a Zendesk account export. */
const ticket = (id: number, more: object, said: readonly Said[]) => ({
  id,
  subject: `Ticket ${id}`,
  description: said[0]?.text,
  via: { channel: 'email' },
  requester: ann,
  submitter: ann,
  assignee: lee,
  collaborator: [],
  organization: null,
  group: null,
  metric_set: { id: 7 },
  satisfaction_rating: null,
  status: 'open',
  priority: null,
  tags: [],
  created_at: '2024-03-01T08:00:00Z',
  updated_at: '2024-03-01T09:00:00Z',
  ...more,
  comments: said.map(({ by, text, html, at, isPublic = true }, index) => ({
    id: 10 * id + index,
    type: 'Comment',
    author_id: by,
    body: text,
    ...(html === undefined ? {} : { html_body: html }),
    public: isPublic,
    created_at: at ?? `2024-03-01T0${8 + index}:00:00Z`,
  })),
});

async function imported(tickets: readonly object[], settings = '') {
  using folder = temporaryFolder();
  writeFileSync(folder.join('tickets.jsonl'), tickets.map((each) => `${JSON.stringify(each)}\n`).join(''));
  writeFileSync(
    folder.join('helpdesk-import.yaml'),
    `agents: { lee@example.org: agt_lee, "52": agt_mia }\n${settings}`,
  );
  return await withService({}, async (service) => {
    const run = await reported(['run', 'tickets.jsonl', '--rate', '100000/1'], folder.path, service.env);
    const screen = await commandLine(['run', 'tickets.jsonl', '--dry-run'], { cwd: folder.path });
    return { run, tickets: ticketsIn(service), screen: screen.stdout + screen.stderr };
  });
}

describe('people in tickets', () => {
  it('an agent who answers a ticket that is assigned to a colleague is known by id', async () => {
    const { run, tickets } = await imported([
      ticket(11, {}, [
        { by: 1, text: 'Hello' },
        { by: 52, text: 'I take it for Lee.' },
      ]),
      ticket(12, { assignee: mia }, [{ by: 1, text: 'Hi' }]),
    ]);
    expect(run).toMatchObject({ layout: 'zendesk', exitCode: 0 });
    expect(tickets[0]?.messages[1]).toMatchObject({ who: 'agent', agent: 'agt_mia' });
  });

  it.each([
    ['collaborator', { collaborator: [carl] }],
    ['requester', { requester: carl }],
    ['submitter', { submitter: carl }],
  ])('a customer who is %s of another ticket is known here, with name and address', async (_, more) => {
    const { run, tickets } = await imported([
      ticket(11, {}, [
        { by: 1, text: 'Hello' },
        { by: 3, text: 'Me too.' },
      ]),
      ticket(12, more, [{ by: 1, text: 'Hi' }]),
    ]);
    expect(run.exitCode).toBe(0);
    expect(tickets[0]?.messages[1]).toMatchObject({ who: 'customer', email: 'carl@example.com' });
  });

  it('an export without people: the advice names the people that are missing', async () => {
    const { run, screen } = await imported([
      ticket(11, {}, [
        { by: 1, text: 'Hello' },
        { by: 99, text: 'Who am I?' },
      ]),
    ]);
    expect(run.tickets['rejected']).toBe(1);
    expect(run.problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
      'unknown-author',
    ]);
    expect(screen).toContain('99');
    expect(screen).toContain('Add the people of the old helpdesk');
    expect(screen).not.toContain('value map');
  });
});

const LONG = 'Our **blue lamp** is broken since yesterday evening.';
const HTML = '<p>Our <b>blue lamp</b> is broken since yesterday evening.</p>';

describe('the description of Zendesk is the first comment', () => {
  it.each<[string, Said]>([
    ['in bold', { by: 1, text: LONG, html: HTML }],
    [
      'with a link and a signature',
      { by: 1, text: LONG, html: `${HTML}<p>Ann, <a href="https://x.example">ACME</a></p>` },
    ],
    ['as an internal note of an agent', { by: 51, text: LONG, html: HTML, isPublic: false }],
    ['written by an agent for the customer', { by: 51, text: LONG, html: HTML }],
    ['in other words', { by: 51, text: LONG, html: '<p>(redacted)</p>' }],
    ['some minutes later', { by: 1, text: LONG, html: HTML, at: '2024-03-01T08:20:00Z' }],
  ])('%s: once, with its author and who may see it', async (_, said) => {
    const { tickets } = await imported([
      ticket(11, {}, [said, { by: 51, text: 'Done.', at: '2024-03-01T10:00:00Z' }]),
    ]);
    expect(tickets[0]?.messages.map(({ who, content, internal }) => [who, content, internal])).toEqual([
      [said.by === 51 ? 'agent' : 'customer', said.html, said.isPublic === false],
      ['agent', 'Done.', false],
    ]);
  });

  it('stays where the comments of the ticket begin later with another text', async () => {
    const { tickets } = await imported([
      ticket(11, { description: LONG }, [{ by: 51, text: 'Done.', at: '2024-03-05T10:00:00Z' }]),
    ]);
    expect(tickets[0]?.messages.map(({ content }) => content)).toEqual([LONG, 'Done.']);
  });

  it('gives way to comments that only audits hold', async () => {
    const audit = {
      id: 5,
      ticket_id: 11,
      author_id: 1,
      created_at: '2024-03-01T08:00:00Z',
      events: [{ id: 6, type: 'Comment', body: LONG, html_body: HTML, public: true, author_id: 1 }],
    };
    using folder = temporaryFolder();
    const { requester: _, comments: __, ...rest } = ticket(11, {}, [{ by: 1, text: LONG }]);
    const whole = { ...rest, submitter: undefined, requester_id: 1, submitter_id: 1 };
    writeFileSync(folder.join('tickets.jsonl'), `${JSON.stringify(whole)}\n`);
    writeFileSync(folder.join('audits.jsonl'), `${JSON.stringify(audit)}\n`);
    writeFileSync(folder.join('users.jsonl'), `${JSON.stringify({ ...ann, ticket_restriction: null })}\n`);
    await withService({}, async (service) => {
      await reported(['run', '.', '--rate', '100000/1'], folder.path, service.env);
      expect(ticketsIn(service)[0]?.messages.map(({ content }) => content)).toEqual([HTML]);
    });
  });
});
