/** Nothing is missing without a word: ticket numbers that no list has, rows that move, lists that are left out, ways to sign in. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtinRecipe, recipeNames } from '../../src/export/recipe.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { hurried } from '../support/hurried-clock.ts';
import { type Json, serve, zendesk } from '../support/platform-fakes.ts';
import { acme, desk, RECIPE } from './acme-desk.ts';

const NUMBERS = RECIPE.replace(
  /^ {2}notes:.*$/m,
  '  unlisted: { get: "/archive/{numbers}", page: { numbers: [tickets] }, file: tickets, noun: ticket, optional: true }',
);

/** Tickets 1, 2 and 5 are listed, 3 is archived, 4 is gone. */
function archive() {
  const fake = acme(5);
  const [archived] = fake.tickets.splice(2, 2);
  return {
    ...fake,
    routes: [
      ...fake.routes,
      [/^\/archive\/(\d)$/, ({ match: [, id] }) => (id === '3' ? { ...archived } : { status: 404 })],
    ] as typeof fake.routes,
  };
}

describe('ticket numbers that no list has', () => {
  it('are asked for once: archived tickets come, deleted ones are counted', async () => {
    await using one = await desk(archive(), NUMBERS);
    const { json, said } = await one.run();
    expect(one.idsOf('tickets')).toEqual([1, 2, 3, 5]);
    expect(json).toMatchObject({
      exitCode: 0,
      gaps: [{ noun: 'ticket', highest: 5, missing: 1, asked: true }],
    });
    expect(said).toMatch(/2 ticket numbers up to 5 are in no list/);
    const before = one.served.asked.length;
    expect((await one.run()).json).toMatchObject({ exitCode: 0, gaps: [{ missing: 1 }] });
    expect(one.served.asked.slice(before).filter((path) => path.startsWith('/archive'))).toEqual([]);
  });

  it('are named with their number if the account has no archive', async () => {
    await using one = await desk(archive(), NUMBERS);
    one.served.fault = (_, path) => (path.startsWith('/archive') ? { status: 403 } : undefined);
    const asText = one.typed.filter((word) => word !== '--json');
    const { code, stdout } = await commandLine(asText, one.options);
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/Ticket numbers go to 5; 2 are not in the export/),
    ]);
    expect(one.served.asked.filter((path) => path.startsWith('/archive')).length).toBe(1);
  });

  it('say nothing of numbers that are not consecutive', async () => {
    const fake = archive();
    Object.assign(fake.tickets[2] ?? {}, { id: 9_000_000 });
    await using one = await desk(fake, NUMBERS);
    expect((await one.run()).json['gaps']).toEqual([]);
  });
});

it('a list by cursor is read again until nothing is new, so a row that moves is found', async () => {
  const tickets: Json[] = [1, 2, 3, 4, 5].map((id) => ({ id, comment_count: 1 }));
  const recipe = RECIPE.replace(/page: \{ number.*\}/, 'page: { cursor: at, from: next, again: true }');
  await using one = await desk(
    {
      ...acme(5),
      routes: [
        [
          /^\/tickets$/,
          ({ url }) => {
            const at = Number(url.searchParams.get('at') ?? 0);
            const page = {
              tickets: tickets.slice(at, at + 2),
              count: 5,
              next: at < 4 ? String(at + 2) : null,
            };
            // the last one is answered, and goes to the first page
            if (at === 0 && tickets[0]?.['id'] === 1) tickets.unshift(...tickets.splice(4, 1));
            return page;
          },
        ],
        ...acme(5).routes.slice(1),
      ],
    },
    recipe,
  );
  expect((await one.run()).json['exitCode']).toBe(0);
  expect(one.idsOf('tickets')).toEqual([1, 2, 3, 4, 5]);
});

describe('--without', () => {
  it('leaves a list out, and asks for none of it', async () => {
    await using one = await desk(acme(2));
    const ended = await commandLine([...one.typed, '--without', 'comments,notes'], one.options);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 0, counts: [{ noun: 'ticket', count: 2 }] });
    expect(one.served.asked.filter((path) => /comments|notes/.test(path))).toEqual([]);
  });

  it('names the nearest list for a misspelt one', async () => {
    await using one = await desk(acme(2));
    const { code, stderr } = await commandLine([...one.typed, '--without', 'coments'], one.options);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/"coments" cannot be left out\..*comments/)]);
  });

  it('is offered for a list that takes a request for each ticket, with its time', async () => {
    using folder = temporaryFolder();
    await using served = await serve('zendesk', zendesk());
    const options = { cwd: folder.path, env: served.env, clock: hurried(100) };
    const { stderr } = await commandLine(['export', 'zendesk'], options);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /side conversations take a request for each ticket, 50 minutes for 10,000\. Leave them out with --without side_conversations/,
    );
  });
});

describe('Zendesk', () => {
  const oauth = { ZENDESK_CLIENT_ID: 'client', ZENDESK_CLIENT_SECRET: 'zd-client-secret' };
  it.each([
    ['by OAuth', oauth, 'Bearer zd-access-1'],
    ['by OAuth, though a token of before is set too', { ...oauth, ...zendesk().env }, 'Bearer zd-access-1'],
    ['by the token, if only that is set', zendesk().env, zendesk().header?.[1] ?? ''],
  ])('is signed in to %s', async (_, env, header) => {
    using folder = temporaryFolder();
    const fake = zendesk();
    await using served = await serve('zendesk', {
      ...{ ...fake, env, header: ['authorization', header] },
      oauth: ['/oauth/tokens', 'zd-access-1'],
    });
    const { ZENDESK_URL } = served.env;
    const typed = ['export', 'zendesk', '--json'];
    const options = {
      cwd: folder.path,
      env: { ...env, ZENDESK_URL: String(ZENDESK_URL) },
      clock: hurried(100),
    };
    const { stdout } = await commandLine(typed, options);
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, gaps: [{ highest: 46, asked: true }] });
  });
});

it.each(recipeNames())(
  'the recipe of %s names its pages and the traps that it was written against',
  (name) => {
    const { resources } = builtinRecipe(name);
    expect(resources.filter(({ docs }) => docs === undefined).map((one) => one.name)).toEqual([]);
    expect(resources.some(({ trap }) => trap !== undefined)).toBe(true);
  },
);

it.each([
  ['zendesk', { via: { channel: 'native_messaging' } }],
  ['zendesk-tables', { via_channel: 'native_messaging' }],
])('%s: messaging tickets without their words are a finding with their number', async (layout, via) => {
  for (const [ids, says] of [
    [[41, 42], '2 messaging tickets have no conversation in this export, such as 41; `export zendesk`'],
    [[41], '1 messaging ticket has no conversation in this export, 41; `export zendesk`'],
  ] as const) {
    using folder = temporaryFolder();
    const ticket = {
      subject: 'Chat',
      description: 'With Ruth',
      status: 'open',
      requester_id: 7,
      submitter_id: 7,
    };
    const rows = ids.map((id) =>
      JSON.stringify({ id, ...ticket, created_at: '2024-04-08T08:00:00Z', ...via }),
    );
    mkdirSync(folder.join('export'));
    writeFileSync(folder.join('export/tickets.jsonl'), rows.join('\n'));
    writeFileSync(
      folder.join('export/users.jsonl'),
      '{"id":7,"email":"ruth@example.com","name":"Ruth","role":"end-user"}',
    );
    const { stdout } = await commandLine(['run', 'export', '--dry-run', '--json'], { cwd: folder.path });
    const message = expect.stringContaining(`${says} fetches it.`);
    const finding = expect.objectContaining({ code: 'incomplete-thread', count: ids.length, message });
    expect(JSON.parse(stdout)).toMatchObject({ layout, problems: expect.arrayContaining([finding]) });
  }
});
