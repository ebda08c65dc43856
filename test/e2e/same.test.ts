/**
 * What counts as the same ticket, message and file, and what as the work of people: each case is a schedule in which a coarser
 * comparison mixed two customers' tickets, or deleted or doubled what people had.
 */
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { FileSource, picture } from '../support/file-source.ts';
import { hurried } from '../support/hurried-clock.ts';
import { type HeldTicket, type Json, refusal, type UnfairWays } from '../support/unfair-target.ts';
import { answerBy, TEXT, textsOf } from './unfair/people.ts';
import { type ExportTicket, exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const late: Json = {
  actorType: 'system',
  content: 'A line that came late',
  occurredAt: '2024-03-20T00:00:00.000Z',
};
const withLate = (tickets: readonly ExportTicket[]) =>
  tickets.map((ticket) => ({ ...ticket, messages: [...ticket.messages, late] }));

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
      await unfairly({}, async (run) => {
        const tickets = exportTickets(10);
        let refused: string | undefined;
        run.target.ways.put = (_, __, id) => {
          refused ??= id;
          return id === refused ? { reported: { status: 422 }, effect: 'never' } : undefined;
        };
        run.write(tickets);
        expect((await run.run()).tickets).toMatchObject({ done: 9, failed: 1 });
        run.target.ways.put = undefined;
        const open = [...run.target.workspace.tickets.values()].find(({ messages }) => messages.length === 0);
        const at = tickets.findIndex(({ subject }) => subject === open?.sent['subject']);
        run.write(tickets.map((each, nth) => (nth === at ? swapped(each, 1, kept) : each)));
        const since = run.target.seen.length;
        const dry = await run.run(['--dry-run']);
        if (kept === 'nothing') expect(dry.problems.map(({ code }) => code)).toContain('another-ticket-now');
        const ended = await run.run();
        expect(ended.code).toBe(3);
        expect(ended.tickets).toMatchObject({ done: 9, failed: 1 });
        expect(ended.problems.map(({ code }) => code)).toContain('another-ticket-now');
        expect(written(run, since)).toEqual([]);
        expect(open?.messages).toEqual([]);
      });
    },
  );

  it.each<[Kept, string]>([
    ['nothing', 'another-ticket-now'],
    ['time', 'delta-held'],
    ['requester', 'delta-held'],
  ])('[swapids] which was done, and a delta came (kept: %s)', async (kept, code) => {
    await unfairly({}, async (run) => {
      const tickets = exportTickets(10);
      run.write(tickets);
      expect((await run.run()).code).toBe(0);
      run.write(tickets.map((each, nth) => (nth === 3 ? swapped(each, 1, kept) : each)));
      const since = run.target.seen.length;
      const ended = await run.run(['--delta']);
      expect(ended.code).toBe(3);
      expect(ended.problems.map((each) => each.code)).toContain(code);
      if (kept === 'nothing') expect(ended.stderr).not.toContain('by hand');
      expect(written(run, since)).toEqual([]);
    });
  });
});

it('a text that is new as a whole, in a ticket of another subject, is held however often the import runs', async () => {
  await unfairly({}, async (run) => {
    const [first, second] = exportTickets(2) as [ExportTicket, ExportTicket];
    run.write([first, second]);
    expect((await run.run()).code).toBe(0);
    const [one, two] = second.messages;
    run.write([
      first,
      { ...second, subject: 'Invoice', messages: [{ ...one, content: 'Wholly other words' }, two ?? {}] },
    ]);
    const since = run.target.seen.length;
    for (const flags of [[], ['--delta'], [], ['--delta']]) {
      const { problems } = await run.run(flags);
      if (flags.length > 0) expect(problems.map(({ code }) => code)).toContain('delta-held');
    }
    expect(written(run, since)).toEqual([]);
  });
});

describe('a changed ticket is never called unchanged', () => {
  const invalid = (ticket: ExportTicket) => ({ ...withLate([ticket])[0], status: 'waiting_on_parts' });

  it('one whose row became invalid is named as invalid by a run, and rejected by a delta', async () => {
    await unfairly({}, async (run) => {
      const tickets = exportTickets(4);
      run.write(tickets);
      await run.run();
      run.write([invalid(tickets[0] as ExportTicket) as ExportTicket, ...tickets.slice(1)]);
      const plain = await run.run();
      expect(plain.problems.map(({ code }) => code)).toContain('invalid-status');
      const shown = await run.screen('--delta');
      expect(shown.code).toBe(3);
      expect(shown.stdout + shown.stderr).toMatch(/3 of (the )?4 tickets/);
      const delta = await run.run(['--delta']);
      expect(delta.code).toBe(3);
      expect(delta.tickets).toMatchObject({ done: 3, rejected: 1 });
      expect(delta.stdout).toContain('"sent": 8');
    });
  });
});

it('[slowcreate] an answer that was given while the create went on is kept', async () => {
  await unfairly({ create: () => ({ reported: 'truth', effect: 'now' }) }, async (run) => {
    run.write(exportTickets(1));
    // The ticket is there at once; its answer takes three seconds of the clock, in which a bot answers.
    run.target.ways.create = () => ({ reported: 'truth', effect: 'now', after: 150 });
    run.target.ways.created = (ticket) => answerBy(ticket, 1);
    const ended = await run.run();
    expect(ended.code, ended.stderr).toBe(0);
    const [ticket] = [...run.target.workspace.tickets.values()];
    expect(textsOf(ticket as HeldTicket)).toContain(TEXT);
    expect(ticket?.messages).toHaveLength(3);
  });
});

describe('what the export did not change goes back as people have it', () => {
  const LINK = '<p>Look at <a href="https://shop.example.com/old">the page</a></p>';
  const withFile = (tickets: readonly ExportTicket[]) =>
    tickets.map((ticket) => ({
      ...ticket,
      messages: ticket.messages.map((message, nth) =>
        nth > 0
          ? message
          : {
              ...message,
              content: `${LINK} ${message['content']}`,
              contentType: 'html',
              attachments: [{ url: 'https://files.example.com/passport.png', name: 'passport.png' }],
            },
      ),
    }));

  it.each<[string, (message: Json) => Json]>([
    ['[hrefedit] a link', (m) => ({ content: String(m['content']).replace('/old', '/new') })],
    ['[hrefedit] a picture', (m) => ({ content: `${m['content']}<img src="https://a.example/1.png">` })],
    [
      '[redactfile] a redacted file of the same name',
      () => ({ attachments: [{ url: 'https://desk.example.com/r/passport.png', name: 'passport.png' }] }),
    ],
    [
      '[copies] the copy of the service',
      () => ({ attachments: [{ id: 'f1', url: 'https://desk.example.com/c/9', name: 'passport.png' }] }),
    ],
  ])('%s', async (_, edit) => {
    await unfairly({}, async (run) => {
      const tickets = withFile(exportTickets(1));
      run.write(tickets);
      expect((await run.run()).code).toBe(0);
      const [ticket] = [...run.target.workspace.tickets.values()] as [HeldTicket];
      const [first] = ticket.messages;
      Object.assign(first ?? {}, edit(first ?? {}));
      const edited = structuredClone(first);
      run.write(withLate(tickets));
      const delta = await run.run(['--delta']);
      expect(delta.code, delta.stderr).toBe(0);
      expect(ticket.messages).toHaveLength(3);
      const { content, attachments } = ticket.messages[0] as Json;
      expect({ content, urls: urlsOf(attachments) }).toEqual({
        content: edited?.['content'],
        urls: urlsOf(edited?.['attachments']),
      });
    });
  });
});

const urlsOf = (attachments: unknown) => (attachments as { url: string }[]).map(({ url }) => url);

// At this pace no reading is two seconds old.
const UNHURRIED = { clock: hurried(1), timeout: 20 };

it.each([true, false])('[pageshift] a thread whose pages move is read again (total: %s)', async (total) => {
  await unfairly(
    { threadPage: 2, total },
    async (run) => {
      const tickets = exportTickets(1);
      run.write(tickets);
      await run.run();
      const [ticket] = [...run.target.workspace.tickets.values()] as [HeldTicket];
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
    },
    UNHURRIED,
  );
});

const withoutMailIds = <T>(_: string, list: readonly T[]): T[] =>
  list.map((each) => ({ ...each, messageId: undefined }));

it.each<[string, (message: Json) => string]>([
  ['an hour', ({ occurredAt }) => new Date(Date.parse(String(occurredAt)) + 3_600_000).toISOString()],
  ['to whole minutes', ({ occurredAt }) => `${String(occurredAt).slice(0, 16)}:00.000Z`],
])('[timeshift] a message whose time was corrected is moved: %s', async (_, timeOf) => {
  await unfairly({ keepList: withoutMailIds }, async (run) => {
    const tickets = exportTickets(1);
    run.write(tickets);
    await run.run();
    const [ticket] = [...run.target.workspace.tickets.values()] as [HeldTicket];
    const ids = ticket.messages.map(({ id }) => id);
    answerBy(ticket, 1);
    const corrected = tickets.map((each) => ({
      ...each,
      messages: each.messages.map((message, nth) =>
        nth === 0 ? message : { ...message, occurredAt: timeOf(message) },
      ),
    }));
    run.write(withLate(corrected));
    const delta = await run.run(['--delta']);
    expect(delta.code, delta.stderr).toBe(0);
    expect(textsOf(ticket).toSorted()).toEqual(
      ['Message 1 of ticket 1', 'Message 2 of ticket 1', TEXT, late['content']].toSorted(),
    );
    expect(ticket.messages.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });
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
    await unfairly(ways, async (run) => {
      run.write(longExport());
      const ended = await run.run();
      expect(ended.code).toBe(0);
      expect(ended.problems.map(({ code }) => code)).toEqual(['shortened']);
      // People may have edited what only a read shows.
      if (isSilent) return;
      run.target.ways.keepList = undefined;
      run.target.ways.putAnswer = undefined;
      run.write(withLate(longExport()));
      const delta = await run.run(['--delta']);
      expect(delta.problems, delta.stderr).toEqual([]);
      const [ticket] = [...run.target.workspace.tickets.values()] as [HeldTicket];
      expect(ticket.messages).toHaveLength(3);
    });
  });

  it('a text that only the answer shortens is no warning, and is read once for each length', async () => {
    const putAnswer: UnfairWays['putAnswer'] = (part, list) => ({
      status: 200,
      body: {
        [part]: list.map((each) => ({ ...each, content: `${String(each['content']).slice(0, 100)}…` })),
      },
    });
    await unfairly({ putAnswer }, async (run) => {
      run.write(exportTickets(5).map((each) => ({ ...each, messages: longExport()[0]?.messages ?? [] })));
      const ended = await run.run();
      expect(ended).toMatchObject({ code: 0, problems: [] });
      const alone = run.target.seen.filter(({ path }) => /messages\/./.test(path));
      expect(alone).toHaveLength(1);
    });
  });
});

describe('[trialdeleted] tickets that people deleted are not imported', () => {
  const deleted = (work: (run: UnfairRun, were: HeldTicket[]) => Promise<void>, ways: UnfairWays = {}) =>
    unfairly(ways, async (run) => {
      const tickets = exportTickets(20);
      run.write(tickets.slice(0, 8));
      expect((await run.run(['--trial', '8'])).code).toBe(0);
      const all = run.target.workspace.tickets;
      const were = ['tkt-3', 'tkt-4'].flatMap((id) => all.get(id) ?? []);
      for (const { id } of were) all.delete(id);
      run.write(tickets);
      await work(run, were);
    });
  const numbers = ({ tickets }: { tickets: Record<string, number> }) => [tickets['done'], tickets['failed']];

  it('in the run, its screen, the status and the next run, and each is named once', async () => {
    await deleted(async (run) => {
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
      expect(again.problems.map(({ code }) => code)).toEqual(['missing-in-target', 'missing-in-target']);
      expect(run.target.workspace.tickets.size).toBe(18);
    });
  });

  it.each([
    [['--retry', '1003,1004'], 20, { done: 20 }],
    [['--skip', '1003,1004'], 18, { done: 18, skipped: 2 }],
    [['--retry', '1003', '--skip', '1004'], 19, { done: 19, skipped: 1 }],
  ])('until a person decides: %s', async (decision, count, outcome) => {
    await deleted(async (run) => {
      expect((await run.run()).code).toBe(3);
      expect((await run.run(['resolve', ...decision])).code).toBe(0);
      const ended = await run.run();
      expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: outcome, problems: [] });
      expect(run.target.workspace.tickets.size).toBe(count);
      expect(await run.run()).toMatchObject({ code: 0, tickets: outcome, problems: [] });
    });
  });

  it('until the helpdesk shows them again', async () => {
    await deleted(async (run, were) => {
      expect((await run.run()).code).toBe(3);
      for (const ticket of were) run.target.workspace.tickets.set(ticket.id, ticket);
      expect(await run.run()).toMatchObject({ code: 0, tickets: { done: 20 }, problems: [] });
      expect(were.map(({ messages }) => messages.length)).toEqual([2, 2]);
    });
  });

  it('a list that hides tickets deletes none of them', async () => {
    await deleted(async (run) => {
      run.target.ways.shown = (all) => all.filter(({ id }) => id !== 'tkt-5');
      const ended = await run.run();
      expect([ended.code, ...numbers(ended)], ended.stderr).toEqual([3, 18, 2]);
    });
  });
});

describe('[notyet] a ticket that a lagging replica does not show after its create', () => {
  it.each([
    ['to reads and writes', true],
    ['to writes', false],
  ])('%s is waited for', async (_, alsoReads) => {
    await unfairly({}, async (run) => {
      const young = (id: string) => {
        const { madeAt } = run.target.workspace.tickets.get(id) ?? { madeAt: 0 };
        // 0.2 s are four of this clock's.
        return Date.now() - madeAt < 200;
      };
      run.target.ways.put = (_, __, id) =>
        young(id) ? { reported: refusal(404, 'not_found'), effect: 'never' } : undefined;
      if (alsoReads)
        run.target.ways.read = (path) => (young(/tkt-\d+/.exec(path)?.[0] ?? '') ? 404 : undefined);
      run.write(exportTickets(6));
      const ended = await run.run();
      expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: { done: 6 }, problems: [] });
      expect([...run.target.workspace.tickets.values()].map(({ messages }) => messages.length)).toEqual(
        Array(6).fill(2),
      );
    });
  });

  it('for as long as a create may be late is gone', async () => {
    await unfairly(
      {},
      async (run) => {
        run.target.ways.put = (_, __, id) =>
          id === 'tkt-2' ? { reported: refusal(404, 'not_found'), effect: 'never' } : undefined;
        run.write(exportTickets(3));
        const ended = await run.run();
        expect(ended, ended.stderr).toMatchObject({ code: 3, tickets: { done: 2, failed: 1 } });
      },
      { clock: hurried(20), timeout: 10 },
    );
  });
});

it.each([
  ['warns while another one goes on', true, 'second', ['other-import']],
  ['says nothing after another one has ended', false, 'second', []],
  ['says nothing of its own tickets that people work on', true, undefined, []],
])('[twosources] an import %s', async (_, goesOn, name, said) => {
  await unfairly({}, async (run) => {
    run.write(exportTickets(3));
    expect((await run.run()).problems).toEqual([]);
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
    expect(second.problems.map(({ code }) => code)).toEqual(said);
  });
});

it('[verifydoubt] a verification says of how many tickets it speaks, and is no success while one is refused', async () => {
  await unfairly({}, async (run) => {
    run.target.ways.create = (_, body) =>
      String(body['subject']).endsWith('no. 2') ? { reported: { status: 422 }, effect: 'never' } : undefined;
    run.write(exportTickets(3));
    expect((await run.run()).code).not.toBe(0);
    const ended = await run.run(['verify', run.join('export.jsonl'), '--all']);
    expect(ended.stdout).toMatch(/2 of 3 tickets are equal, 1 is in doubt, refused or rejected/);
    expect(ended.code).toBe(3);
  });
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
    await unfairly({}, async (run) => {
      const email = 'customer1@example.com';
      run.target.workspace.contacts.set(email, { id: 'con-0', email, name: 'Known' });
      run.target.workspace.contacts.set('customer2@example.com', {
        id: 'con-1',
        email: 'customer2@example.com',
      });
      run.write(named(exportTickets(6)));
      const ended = await run.run();
      expect(ended.code, ended.stderr).toBe(0);
      expect(namesIn(run)).toEqual(['0: Export 0', '1: Known', '2: Export 2']);
      expect(ended.problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
        'name-kept: One customer has another name in the helpdesk than in the export. It stays.',
      ]);
      expect(run.target.seen.filter(({ path }) => path.startsWith('/contacts'))).toHaveLength(1);
    });
  });

  it.each([
    ['[contactname]', []],
    ['[contactdelta]', ['--delta']],
  ])('%s one that was corrected between two runs', async (_, flags) => {
    await unfairly({}, async (run) => {
      const tickets = named(exportTickets(6));
      run.write(tickets.slice(0, 3));
      expect((await run.run()).code).toBe(0);
      correct(run, 'customer1@example.com');
      run.write(tickets);
      expect((await run.run(flags)).code).toBe(0);
      expect(run.target.workspace.tickets.size).toBe(6);
      expect(namesIn(run)).toEqual(['0: Export 0', '1: Corrected', '2: Export 2']);
    });
  });

  it.each([undefined, 'ignored'] as const)(
    'one that was corrected during the run (contacts: %s)',
    async (contacts) => {
      await unfairly({ contacts }, async (run) => {
        run.write(named(exportTickets(6)));
        run.target.ways.created = () => correct(run, 'customer1@example.com');
        expect((await run.run()).code).toBe(0);
        // The answer of the first ticket of this customer came after the correction.
        expect(namesIn(run)).toEqual(['0: Export 0', '1: Corrected', '2: Export 2']);
      });
    },
  );

  it('may be replaced by a helpdesk that shows no contacts, which the run says', async () => {
    await unfairly({ contacts: false }, async (run) => {
      const email = 'customer1@example.com';
      run.target.workspace.contacts.set(email, { id: 'con-0', email, name: 'Known' });
      run.write(named(exportTickets(6)));
      const ended = await run.run();
      expect(ended.code).toBe(0);
      expect(ended.stderr).toContain('does not show its contacts');
      expect(namesIn(run)).toEqual(['0: Export 0', '1: Export 1', '2: Export 2']);
      expect(run.target.seen.filter(({ path }) => path.startsWith('/contacts'))).toHaveLength(1);
    });
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
    await unfairly({}, async (run) => {
      const [first, second, third] = exportTickets(3) as [ExportTicket, ExportTicket, ExportTicket];
      const linked = {
        ...second,
        messages: second.messages.map((each) => ({
          ...each,
          contentType: 'html',
          content: '<p><a href="https://shop.example.com/old">Look</a></p>',
        })),
      };
      run.write([first, linked, third]);
      expect((await run.run(['--set', 'run.batchSize=1'])).code).toBe(0);
      aged(run);
      expect((await run.run(['status'])).stdout).toContain('3 done');
      const [held] = [run.target.workspace.tickets.get('tkt-2') as HeldTicket];
      for (const message of held.messages)
        Object.assign(message, { content: String(message['content']).replace('/old', '/new') });
      const since = run.target.seen.length;
      run.write([swapped(first, 1), ...withLate([linked, third])]);
      const delta = await run.run(['--delta']);
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
      expect([...run.target.workspace.tickets.values()].map(({ messages }) => messages.length)).toEqual([
        2, 3, 3,
      ]);
    });
  });
});

it.each([
  ['each of them', () => 403, 2],
  ['each after the first', (nth: number) => (nth === 1 ? 200 : 415), 0],
])('[refusedsaid] files of which the helpdesk refuses %s', async (_, status, code) => {
  await using source = await FileSource.start();
  let uploads = 0;
  await unfairly({ upload: () => status(++uploads) }, async (run) => {
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
    expect(run.target.workspace.tickets.size).toBe(code === 2 ? 0 : 6);
    if (code === 2) expect(ended.stdout + ended.stderr).toContain('files were refused one after the other');
  });
});
