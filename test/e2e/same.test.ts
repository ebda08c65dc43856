/** What counts as the same: schedules in which a coarser comparison lost or doubled the work of people. */
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { FileSource, picture } from '../support/file-source.ts';
import { hurried } from '../support/hurried-clock.ts';
import { type HeldTicket, type Json, refusal, type UnfairWays } from '../support/unfair-target.ts';
import { answerBy, TEXT, textsOf } from './unfair/people.ts';
import { type ExportTicket, exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const LATE = { actorType: 'system', content: 'Came late', occurredAt: '2024-03-20T00:00:00.000Z' };
const withLate = (tickets: readonly ExportTicket[]) =>
  tickets.map((ticket) => ({ ...ticket, messages: [...ticket.messages, LATE] }));

type Kept = 'nothing' | 'time' | 'requester';

/** The same number, of another customer at another time, or with one of both kept. */
const swapped = (ticket: ExportTicket, n: number, kept: Kept = 'nothing'): ExportTicket => {
  const createdAt = kept === 'time' ? ticket.createdAt : `2025-01-0${n}T10:00:00.000Z`;
  const contact = kept === 'requester' ? ticket.contact : { email: `other${n}@example.com` };
  const content = `Words of another customer ${n}`;
  const messages = [{ actorType: 'customer', contact, content, occurredAt: createdAt }];
  return { ...ticket, subject: `Another question, no. ${n}`, createdAt, contact, messages };
};

const written = (run: UnfairRun, since: number) =>
  run.target.seen.slice(since).filter(({ method }) => method === 'PUT' || method === 'POST');

describe('an ID that is another ticket now is not written into the old one', () => {
  it.each<Kept>(['nothing', 'time', 'requester'])(
    '[swapincomplete] which was incomplete (kept: %s)',
    async (kept) => {
      const run = await unfairly();
      const tickets = exportTickets(10);
      let refused: string | undefined;
      run.target.ways.put = (_, __, id) => {
        refused ??= id;
        return id === refused ? { reported: { status: 422 }, effect: 'never' } : undefined;
      };
      expect((await run.sends(tickets)).tickets).toMatchObject({ done: 9, failed: 1 });
      run.target.ways.put = undefined;
      const open = run.held().find(({ messages }) => messages.length === 0);
      const at = tickets.findIndex(({ subject }) => subject === open?.sent['subject']);
      run.write(tickets.map((each, nth) => (nth === at ? swapped(each, 1, kept) : each)));
      const since = run.target.seen.length;
      const dry = await run.run(['--dry-run']);
      if (kept === 'nothing') expect(dry.codes).toContain('another-ticket-now');
      const ended = await run.run();
      expect(ended.code).toBe(3);
      expect(ended.tickets).toMatchObject({ done: 9, failed: 1 });
      expect(ended.codes).toContain('another-ticket-now');
      expect(written(run, since)).toEqual([]);
      expect(open?.messages).toEqual([]);
    },
  );

  it.each<[Kept, string]>([
    ['nothing', 'another-ticket-now'],
    ['time', 'delta-held'],
    ['requester', 'delta-held'],
  ])('[swapids] which was done, and a delta came (kept: %s)', async (kept, code) => {
    const run = await unfairly();
    const tickets = exportTickets(10);
    await run.imports(tickets);
    run.write(tickets.map((each, nth) => (nth === 3 ? swapped(each, 1, kept) : each)));
    const since = run.target.seen.length;
    const ended = await run.run(['--delta']);
    expect(ended.code).toBe(3);
    expect(ended.codes).toContain(code);
    if (kept === 'nothing') expect(ended.stderr).not.toContain('by hand');
    expect(written(run, since)).toEqual([]);
  });
});

it('a text that is new as a whole, in a ticket of another subject, is held however often the import runs', async () => {
  const run = await unfairly();
  const [first, second] = exportTickets(2) as [ExportTicket, ExportTicket];
  await run.imports([first, second]);
  const [one, two] = second.messages;
  run.write([
    first,
    { ...second, subject: 'Invoice', messages: [{ ...one, content: 'Wholly other words' }, two ?? {}] },
  ]);
  const since = run.target.seen.length;
  for (const flags of [[], ['--delta'], [], ['--delta']]) {
    const { codes } = await run.run(flags);
    if (flags.length > 0) expect(codes).toContain('delta-held');
  }
  expect(written(run, since)).toEqual([]);
});

it('[slowcreate] an answer that was given while the create went on is kept', async () => {
  const run = await unfairly({ create: () => ({ reported: 'truth', effect: 'now' }) });
  run.write(exportTickets(1));
  // The ticket is there at once; its answer takes three seconds of the clock, in which a bot answers.
  run.target.ways.create = () => ({ reported: 'truth', effect: 'now', after: 150 });
  run.target.ways.created = (ticket) => answerBy(ticket, 1);
  const ended = await run.run();
  expect(ended.code, ended.stderr).toBe(0);
  const [ticket] = run.held();
  expect(textsOf(ticket as HeldTicket)).toContain(TEXT);
  expect(ticket?.messages).toHaveLength(3);
});

// At this pace no reading is two seconds old.
const UNHURRIED = { clock: hurried(1), timeout: 20 };

it.each([true, false])('[pageshift] a thread whose pages move is read again (total: %s)', async (total) => {
  const run = await unfairly({ threadPage: 2, total }, UNHURRIED);
  const tickets = exportTickets(1);
  await run.sends(tickets);
  const [ticket] = run.held() as [HeldTicket];
  answerBy(ticket, 1);
  answerBy(ticket, 2);
  run.write(withLate(tickets));
  let pages = 0;
  run.target.ways.read = (path) => {
    // Between the first page and the second an agent deletes the first message, and another arrives.
    if (path.endsWith('/messages') && ++pages === 2) {
      ticket.messages.splice(0, 1);
      if (total) answerBy(ticket, 3);
    }
    return undefined;
  };
  await run.run(['--delta']);
  expect(textsOf(ticket).filter((text) => text === TEXT)).toHaveLength(total ? 3 : 2);
});

describe('[truncate] a text that the helpdesk cuts is a warning, and no edit of people', () => {
  const long = `Long words. ${'and more of them '.repeat(80)}`;
  const longExport = () => [
    ...exportTickets(1).map((each) => ({
      ...each,
      messages: [{ ...each.messages[0], content: long }, ...each.messages.slice(1)],
    })),
  ];
  const cut = (end: string) => (_: string, list: readonly Json[]) =>
    list.map((each) => {
      const content = String(each['content']);
      return content.length > 200 ? { ...each, content: content.slice(0, 200) + end } : each;
    });

  it.each<[string, UnfairWays, isSilent?: true]>([
    ['as it is', { keepList: cut('') as never }],
    ['with an ellipsis', { keepList: cut('…') as never }],
    ['in half a tag', { keepList: cut('<a hre') as never }],
    [
      'in an answer that shows the newest first',
      {
        keepList: cut('') as never,
        putAnswer: (part, list) => ({ status: 200, body: { [part]: list.toReversed() } }),
      },
    ],
    [
      'in an answer without times',
      {
        keepList: cut('') as never,
        putAnswer: (part, list) => ({
          status: 200,
          body: { [part]: list.map(({ id, content }) => ({ id, content })) },
        }),
      },
    ],
    ['in silence', { keepList: cut('') as never, putAnswer: () => ({ status: 204 }) }, true],
  ])('%s', async (_, ways, isSilent) => {
    const run = await unfairly(ways);
    const ended = await run.sends(longExport());
    expect(ended.code).toBe(0);
    expect(ended.codes).toEqual(['shortened']);
    // People may have edited what only a read shows.
    if (isSilent) return;
    run.target.ways.keepList = undefined;
    run.target.ways.putAnswer = undefined;
    const delta = await run.sends(withLate(longExport()), '--delta');
    expect(delta.problems, delta.stderr).toEqual([]);
    const [ticket] = run.held() as [HeldTicket];
    expect(ticket.messages).toHaveLength(3);
  });

  it('a text that only the answer shortens is no warning, and is read once for each length', async () => {
    const putAnswer: UnfairWays['putAnswer'] = (part, list) => ({
      status: 200,
      body: {
        [part]: list.map((each) => ({ ...each, content: `${String(each['content']).slice(0, 100)}…` })),
      },
    });
    const run = await unfairly({ putAnswer });
    const ended = await run.sends(
      exportTickets(5).map((each) => ({ ...each, messages: longExport()[0]?.messages ?? [] })),
    );
    expect(ended).toMatchObject({ code: 0, problems: [] });
    const alone = run.target.seen.filter(({ path }) => /messages\/./.test(path));
    expect(alone).toHaveLength(1);
  });
});

describe('[trialdeleted] tickets that people deleted are not imported', () => {
  async function deleted() {
    const run = await unfairly();
    const tickets = exportTickets(20);
    await run.imports(tickets.slice(0, 8), '--trial', '8');
    const all = run.target.workspace.tickets;
    const were = ['tkt-3', 'tkt-4'].flatMap((id) => all.get(id) ?? []);
    for (const { id } of were) all.delete(id);
    run.write(tickets);
    return { run, were };
  }
  const numbers = ({ tickets }: { tickets: Record<string, number> }) => [tickets['done'], tickets['failed']];

  it('in the run, its screen, the status and the next run, and each is named once', async () => {
    const { run } = await deleted();
    const ended = await run.run();
    expect([ended.code, ...numbers(ended)], ended.stderr).toEqual([3, 18, 2]);
    expect(ended.stderr).toMatch(/18 of 20 tickets are/);
    expect(ended.stdout).toContain('"sent": 36');
    expect(
      ended.problems.map(({ code, message }) => [code, /1003 /.test(message) && /1004 /.test(message)]),
    ).toEqual([['missing-in-target', true]]);
    const status = await run.run(['status', run.join('c.sqlite'), '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ tickets: { done: 18, failed: 2 } });
    const again = await run.run();
    expect([again.code, ...numbers(again)]).toEqual([3, 18, 2]);
    expect(again.codes).toEqual(['missing-in-target', 'missing-in-target']);
    expect(run.held()).toHaveLength(18);
  });

  it.each([
    [['--retry', '1003,1004'], 20, { done: 20 }],
    [['--skip', '1003,1004'], 18, { done: 18, skipped: 2 }],
    [['--retry', '1003', '--skip', '1004'], 19, { done: 19, skipped: 1 }],
  ])('until a person decides: %s', async (decision, count, outcome) => {
    const { run } = await deleted();
    expect((await run.run()).code).toBe(3);
    expect((await run.run(['resolve', ...decision])).code).toBe(0);
    const ended = await run.run();
    expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: outcome, problems: [] });
    expect(run.held()).toHaveLength(count);
    expect(await run.run()).toMatchObject({ code: 0, tickets: outcome, problems: [] });
  });

  it('until the helpdesk shows them again', async () => {
    const { run, were } = await deleted();
    expect((await run.run()).code).toBe(3);
    for (const ticket of were) run.target.workspace.tickets.set(ticket.id, ticket);
    expect(await run.run()).toMatchObject({ code: 0, tickets: { done: 20 }, problems: [] });
    expect(were.map(({ messages }) => messages.length)).toEqual([2, 2]);
  });

  it('a list that hides tickets deletes none of them', async () => {
    const { run } = await deleted();
    run.target.ways.shown = (all) => all.filter(({ id }) => id !== 'tkt-5');
    const ended = await run.run();
    expect([ended.code, ...numbers(ended)], ended.stderr).toEqual([3, 18, 2]);
  });
});

describe('[notyet] a ticket that a lagging replica does not show after its create', () => {
  it.each([
    ['to reads and writes', true],
    ['to writes', false],
  ])('%s is waited for', async (_, alsoReads) => {
    const run = await unfairly();
    const young = (id: string) => {
      const { madeAt } = run.target.workspace.tickets.get(id) ?? { madeAt: 0 };
      // 0.2 s are four of this clock's.
      return Date.now() - madeAt < 200;
    };
    run.target.ways.put = (_, __, id) =>
      young(id) ? { reported: refusal(404, 'not_found'), effect: 'never' } : undefined;
    if (alsoReads)
      run.target.ways.read = (path) => (young(/tkt-\d+/.exec(path)?.[0] ?? '') ? 404 : undefined);
    const ended = await run.sends(exportTickets(6));
    expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: { done: 6 }, problems: [] });
    expect(run.held().map(({ messages }) => messages.length)).toEqual(Array(6).fill(2));
  });

  it('for as long as a create may be late is gone', async () => {
    const run = await unfairly({}, { clock: hurried(20), timeout: 10 });
    run.target.ways.put = (_, __, id) =>
      id === 'tkt-2' ? { reported: refusal(404, 'not_found'), effect: 'never' } : undefined;
    const ended = await run.sends(exportTickets(3));
    expect(ended, ended.stderr).toMatchObject({ code: 3, tickets: { done: 2, failed: 1 } });
  });
});

it.each([
  ['warns while another one goes on', true, 'second', ['other-import']],
  ['says nothing after another one has ended', false, 'second', []],
  ['says nothing of its own tickets that people work on', true, undefined, []],
])('[twosources] an import %s', async (_, goesOn, name, said) => {
  const run = await unfairly();
  expect((await run.sends(exportTickets(3))).problems).toEqual([]);
  run.target.ways.read = (path) => {
    if (goesOn && path === '/tickets')
      Object.assign(run.target.workspace.tickets.get('tkt-2') ?? {}, {
        // This clock runs ahead.
        madeAt: Date.now() + 3_600_000,
      });
    return undefined;
  };
  run.write(exportTickets(4));
  const isOther = ['--checkpoint', run.join('second.sqlite'), '--set', `source.name=${name}`];
  const second = await run.run(name === undefined ? [] : isOther);
  expect(second).toMatchObject({ code: 0, tickets: { done: 4 } });
  expect(second.codes).toEqual(said);
});

it('[verifydoubt] a verification says of how many tickets it speaks, and is no success while one is refused', async () => {
  const run = await unfairly();
  run.target.ways.create = (_, body) =>
    String(body['subject']).endsWith('no. 2') ? { reported: { status: 422 }, effect: 'never' } : undefined;
  expect((await run.sends(exportTickets(3))).code).not.toBe(0);
  const ended = await run.run(['verify', run.join('export.jsonl'), '--all']);
  expect(ended.stdout).toMatch(/2 of 3 tickets are equal, 1 is in doubt, refused or rejected/);
  expect(ended.code).toBe(3);
});

describe('a name that people gave to a customer stays', () => {
  const named = (tickets: readonly ExportTicket[]) =>
    tickets.map((each) => ({
      ...each,
      contact: { ...each.contact, name: `Export ${each.contact.email[8]}` },
    }));
  const namesIn = ({ target }: UnfairRun) =>
    [...target.workspace.contacts.values()].map(({ email, name }) => `${email[8]}: ${name}`).toSorted();
  const correct = ({ target }: UnfairRun, email: string) => {
    const contact = target.workspace.contacts.get(email);
    if (contact !== undefined) contact.name = 'Corrected';
  };

  it('[contactknown] an earlier name is kept, and new customers get the name in the export', async () => {
    const run = await unfairly();
    const email = 'customer1@example.com';
    run.target.workspace.contacts.set(email, { id: 'con-0', email, name: 'Known' });
    run.target.workspace.contacts.set('customer2@example.com', {
      id: 'con-1',
      email: 'customer2@example.com',
    });
    const ended = await run.imports(named(exportTickets(6)));
    expect(namesIn(run)).toEqual(['0: Export 0', '1: Known', '2: Export 2']);
    expect(ended.problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'name-kept: One customer has another name in the helpdesk than in the export. It stays.',
    ]);
    expect(run.target.seen.filter(({ path }) => path.startsWith('/contacts'))).toHaveLength(1);
  });

  it.each([
    ['[contactname]', []],
    ['[contactdelta]', ['--delta']],
  ])('%s one that was corrected between two runs', async (_, flags) => {
    const run = await unfairly();
    const tickets = named(exportTickets(6));
    await run.imports(tickets.slice(0, 3));
    correct(run, 'customer1@example.com');
    await run.imports(tickets, ...flags);
    expect(run.held()).toHaveLength(6);
    expect(namesIn(run)).toEqual(['0: Export 0', '1: Corrected', '2: Export 2']);
  });

  it.each([undefined, 'ignored'] as const)(
    'one that was corrected during the run (contacts: %s)',
    async (contacts) => {
      const run = await unfairly({ contacts });
      run.write(named(exportTickets(6)));
      run.target.ways.created = () => correct(run, 'customer1@example.com');
      expect((await run.run()).code).toBe(0);
      // The answer of the first ticket of this customer came after the correction.
      expect(namesIn(run)).toEqual(['0: Export 0', '1: Corrected', '2: Export 2']);
    },
  );

  it('may be replaced by a helpdesk that shows no contacts, which the run says', async () => {
    const run = await unfairly({ contacts: false });
    const email = 'customer1@example.com';
    run.target.workspace.contacts.set(email, { id: 'con-0', email, name: 'Known' });
    const ended = await run.sends(named(exportTickets(6)));
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('does not show its contacts');
    expect(namesIn(run)).toEqual(['0: Export 0', '1: Export 1', '2: Export 2']);
    expect(run.target.seen.filter(({ path }) => path.startsWith('/contacts'))).toHaveLength(1);
  });
});

describe('a checkpoint of an earlier version, without evidence of origins, fields, links and files', () => {
  /** 12 bytes a message: key, sent and seen. */
  const before = (thread: Buffer) =>
    Buffer.concat(
      Array.from({ length: (thread.length - 1) / 24 }, (_, at) =>
        thread.subarray(1 + 24 * at, 25 + 24 * at),
      ).flatMap((entry) => [entry.subarray(0, 8), entry.subarray(12, 16)]),
    );
  const aged = (run: UnfairRun) => {
    const db = new Database(run.join('c.sqlite'));
    db.function('before', (thread) => before(thread as Buffer));
    db.exec(
      'UPDATE ticket SET origin = NULL, thread = before(thread), fingerprints = substr(fingerprints, 1, 24)',
    );
    db.exec('ALTER TABLE ticket DROP COLUMN shown');
    db.close();
  };

  it('is read, and each ticket is looked at before it is written', async () => {
    const run = await unfairly();
    const [first, second, third] = exportTickets(3) as [ExportTicket, ExportTicket, ExportTicket];
    const linked = {
      ...second,
      messages: second.messages.map((each) => ({
        ...each,
        contentType: 'html',
        content: '<p><a href="https://shop.example.com/old">Look</a></p>',
      })),
    };
    await run.imports([first, linked, third], '--set', 'run.batchSize=1');
    aged(run);
    expect((await run.run(['status'])).stdout).toContain('3 done');
    const [held] = [run.target.workspace.tickets.get('tkt-2') as HeldTicket];
    for (const message of held.messages)
      Object.assign(message, { content: String(message['content']).replace('/old', '/new') });
    const since = run.target.seen.length;
    const delta = await run.sends([swapped(first, 1), ...withLate([linked, third])], '--delta');
    expect(delta.problems.map(({ code, ticket }) => `${ticket} ${code}`)).toContain(
      '1001 another-ticket-now',
    );
    expect(written(run, since).map(({ path }) => path)).toEqual([
      '/tickets/tkt-2/messages',
      '/tickets/tkt-3/messages',
    ]);
    const requests = run.target.seen.slice(since).map(({ method, path }) => `${method} ${path}`);
    for (const id of ['tkt-2', 'tkt-3'])
      expect(requests.indexOf(`GET /tickets/${id}`)).toBeLessThan(
        requests.indexOf(`PUT /tickets/${id}/messages`),
      );
    expect(JSON.stringify(held.messages).match(/shop\.example\.com\/\w+/g)).toEqual(
      held.messages.slice(1).map(() => 'shop.example.com/new'),
    );
    const tag = /run-\d+-\d+/.exec(JSON.stringify(held.kept['tags']))?.[0] ?? '';
    const undo = await run.run(['undo', '--run', tag, '--yes']);
    expect(undo.stdout + undo.stderr).toContain('not recorded');
    expect(run.held().map(({ messages }) => messages.length)).toEqual([2, 3, 3]);
  });
});

it.each([
  ['each of them', () => 403, 2],
  ['each after the first', (nth: number) => (nth === 1 ? 200 : 415), 0],
])('[refusedsaid] files of which the helpdesk refuses %s', async (_, status, code) => {
  await using source = await FileSource.start();
  let uploads = 0;
  const run = await unfairly({ upload: () => status(++uploads) });
  const tickets = exportTickets(6).map((ticket, n) => ({
    ...ticket,
    messages: ticket.messages.map((message, m) => ({
      ...message,
      attachments: [{ url: source.file(`/${n}-${m}.png`, picture(2 * n + m), 'image/png') }],
    })),
  }));
  run.write(tickets);
  const ended = await run.run([
    '--files',
    'target',
    '--set',
    'files.hosts=[127.0.0.1]',
    '--set',
    'files.missing=keep',
  ]);
  expect(ended.code, ended.stdout + ended.stderr).toBe(code);
  expect(run.held()).toHaveLength(code === 2 ? 0 : 6);
  if (code === 2) expect(ended.stdout + ended.stderr).toContain('files were refused one after the other');
});
