/** Nothing of a person's account leaves by a recipe, no row is changed on its way, and no answer holds an export up for good. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseRecipe } from '../../src/export/recipe.ts';
import { hurried } from '../support/hurried-clock.ts';
import { type Json, type Reply, serve } from '../support/platform-fakes.ts';
import { acme, desk, RECIPE } from './acme-desk.ts';

const auth = (written: string) => RECIPE.replace(/^auth: .*$/m, `auth: ${written}`);
const BASIC = auth('{ basic: ["{ACME_USER}", "{ACME_TOKEN}"] }').replace(
  'limit:',
  'headers: { X-Org: "{ACME_ORG_ID}" }\nlimit:',
);
/** Pages by a cursor or a link alone. */
const paged = (page: string) => RECIPE.replace(/page: \{ number.*\}/, `page: ${page}`);

describe('a row is never changed', () => {
  const env = { ACME_USER: 'jane.doe', ACME_TOKEN: 'acme-token-77', ACME_ORG_ID: '60012345' };
  const served = (echo: string) => {
    const { header: _, ...fake } = acme(3);
    Object.assign(fake.tickets[1] ?? {}, { echo });
    return { ...fake, env };
  };

  it('by the name of a user or an organisation, which are no secrets', async () => {
    const echo = 'jane.doe@example.com asks for 60012345';
    await using one = await desk(served(echo), BASIC);
    const { code } = await one.run();
    expect([code, one.rowsOf('tickets')[1]?.['echo']]).toEqual([0, echo]);
  });

  it('by the token that a person pasted: the row is named', async () => {
    const echo = 'my key is acme-token-77';
    await using one = await desk(served(echo), BASIC);
    const { json, said } = await one.run();
    expect(one.rowsOf('tickets')[1]?.['echo']).toBe(echo);
    expect(json).toMatchObject({
      exitCode: 3,
      flawed: [{ resource: 'tickets', id: '2', why: 'its text has the token in it' }],
    });
    expect(said).not.toContain('acme-token-77');
  });
});

describe('a recipe of another person', () => {
  it.each([
    ['another variable', auth('{ headers: { authorization: "Bearer {HELPDESK_TOKEN}" } }')],
    ['a file by another name', auth('{ headers: { authorization: "Bearer {SSL_CERT}" } }')],
    ['a header of the recipe', `${RECIPE}headers: { x-more: "{AWS_SECRET_ACCESS_KEY}" }\n`],
    ['the client of OAuth', auth('{ oauth: { path: /token, client: "{HOME}", secret: "{ACME_SECRET}" } }')],
  ])('reads no variable but its own: %s', (_, recipe) => {
    expect(() => parseRecipe(recipe, 'acme.yaml')).toThrowError(
      expect.objectContaining({ lines: [expect.stringMatching(/must begin with ACME_/)] }),
    );
  });

  it.each([
    ['an address of its own', RECIPE.replace('regions:', 'byDefault: https://evil.example, regions:')],
    [
      'a token request elsewhere',
      auth(
        '{ oauth: { path: /t, host: [acme, evil], client: "{ACME_CLIENT}", secret: "{ACME_CLIENT_SECRET}" } }',
      ),
    ],
    [
      'a path that is an address',
      auth('{ oauth: { path: "@evil.example/t", client: "{ACME_CLIENT}", secret: "{ACME_S}" } }'),
    ],
    ['a list that is an address', RECIPE.replace('get: /tickets\n', 'get: https://evil.example/tickets\n')],
    [
      'the variables of the import',
      RECIPE.replaceAll('ACME_URL', 'HELPDESK_URL').replaceAll('ACME_', 'HELPDESK_'),
    ],
  ])('is refused with %s', (_, recipe) => {
    expect(() => parseRecipe(recipe, 'acme.yaml')).toThrowError(
      expect.objectContaining({ code: 'configuration' }),
    );
  });

  it.each([
    [
      'an alias of itself',
      RECIPE.replace('    rows: comments', '    where: &a { any: [*a] }\n    rows: comments'),
    ],
    ['lists', `${RECIPE}more: ${'['.repeat(60_000)}`],
    ['keys', `name: x\n${'? '.repeat(5000)}\n title: y`],
  ])('that nests without end says so: %s', (_, recipe) => {
    expect(() => parseRecipe(recipe, 'acme.yaml')).toThrowError(
      expect.objectContaining({ code: 'configuration', lines: ['It nests without end.'] }),
    );
  });

  it('names the address that it reads before the first request', async () => {
    await using one = await desk(acme(1));
    const { said } = await one.run();
    expect(said).toMatch(new RegExp(`Reading from ${one.served.origin}`));
  });
});

describe('a list that comes round again ends with a sentence', () => {
  const row = (id: number): Json => ({ id });
  it.each<[string, string, (nth: number) => Reply]>([
    [
      'two cursors in turn',
      paged('{ cursor: c, from: next }'),
      (nth) => ({ body: { tickets: [row(nth % 2)], next: `c${nth % 2}` } }),
    ],
    [
      'a new cursor each time',
      paged('{ cursor: c, from: next }'),
      (nth) => ({ body: { tickets: [row(1)], next: `c${nth}` } }),
    ],
    [
      'links in a ring of seven',
      paged('{ next: next }'),
      (nth) => ({ body: { tickets: [row(nth % 7)], next: `/tickets?p=${nth % 7}` } }),
    ],
    [
      'empty pages without end',
      paged('{ cursor: c, from: next }'),
      (nth) => ({ body: { tickets: [], next: `c${nth}` } }),
    ],
    ['a number that is not heeded', RECIPE, () => ({ body: { tickets: [row(1), row(2)], count: 9 } })],
  ])('%s', async (_, recipe, answer) => {
    await using one = await desk(acme(0), recipe);
    let nth = 0;
    one.served.fault = (_nth, path) => (path.startsWith('/tickets?') ? answer(nth++) : undefined);
    const { code, said } = await one.run();
    expect([code, said]).toEqual([6, expect.stringMatching(/Acme Desk repeats its list of tickets/)]);
    expect(nth).toBeLessThan(60);
  });
});

describe('an answer that is not as it should be', () => {
  const raw = (tickets: string) => ({ raw: `{"tickets":[${tickets}],"count":1}` });
  it.each<[string, string]>([
    ['an ID that is an object', '{"id":{"toString":1,"valueOf":2},"x":1}'],
    ['a count that is an object', '{"id":1,"comment_count":{"valueOf":2}}'],
  ])('%s is a row all the same', async (_, ticket) => {
    await using one = await desk(acme(0));
    one.served.fault = (_nth, path) => (path.startsWith('/tickets?') ? raw(ticket) : undefined);
    const { code, said } = await one.run();
    expect([code, said]).toEqual([3, expect.not.stringMatching(/disk|space|bug/)]);
    expect(one.rowsOf('tickets')).toEqual([JSON.parse(ticket)]);
  });

  it('a row that nests without end is named, and the others are kept', async () => {
    await using one = await desk(acme(0));
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    one.served.fault = (_nth, path) =>
      path.includes('page=1') ? raw(`{"id":1,"x":${deep}},{"id":2}`) : undefined;
    expect((await one.run({ clock: hurried(1) })).json).toMatchObject({
      exitCode: 3,
      flawed: [{ resource: 'tickets', id: '1', why: 'it nests too deeply to be written' }],
    });
    expect(one.idsOf('tickets')).toEqual([2]);
  });

  it.each(['..', '.', ''])('an ID of dots (%j) is part of no address', async (id) => {
    const fake = acme(1);
    Object.assign(fake.tickets[0] ?? {}, { id });
    await using one = await desk(fake);
    for (const _ of 'again')
      expect((await one.run()).json).toMatchObject({
        exitCode: 3,
        missing: [
          {
            resource: 'comments',
            parent: id || expect.stringMatching(/^\w{32}$/),
            why: 'its ID cannot be asked for',
          },
          {},
        ],
      });
    expect(one.served.asked.filter((path) => !path.startsWith('/tickets?'))).toEqual([]);
  });

  it('one of more than 64 MiB is asked for once, and says so', async () => {
    await using one = await desk(acme(1));
    one.served.fault = () => ({ raw: Buffer.alloc(65 * 2 ** 20, '1') });
    const { code, said } = await one.run({ clock: hurried(1) });
    expect([code, said, one.served.asked.length]).toEqual([2, expect.stringMatching(/more than 64 MiB/), 1]);
  });
});

it('the token of a link is kept nowhere, and only the owner reads the files', async () => {
  await using one = await desk(acme(2), paged('{ next: next }'));
  await using elsewhere = await serve('other', acme(1));
  const next = `${elsewhere.origin}/tickets?tok=acme-token-77&page=2&since=2000`;
  one.served.fault = (nth, path) =>
    nth === 1
      ? { body: { tickets: [{ id: 9 }], next } }
      : path.includes('page=2')
        ? { status: 500 }
        : undefined;
  expect((await one.run()).code).toBe(6);
  const files = readdirSync(one.folder.path, { recursive: true, withFileTypes: true });
  const kept = files.filter(({ name }) => name !== 'acme.yaml');
  const modes = kept.map((file) => [file.isFile(), statSync(`${file.parentPath}/${file.name}`).mode & 0o777]);
  expect(modes.every(([isFile, mode]) => mode === (isFile ? 0o600 : 0o700))).toBe(true);
  const written = kept.filter((file) => file.isFile());
  const texts = written.map((file) => readFileSync(`${file.parentPath}/${file.name}`, 'latin1'));
  expect(texts.join()).not.toContain('acme-token-77');
  expect(texts.join()).toContain('page=2');
  one.served.fault = () => undefined;
  expect((await one.run()).code).toBe(3);
  expect(one.served.asked.join()).not.toContain('acme-token-77');
  expect(elsewhere.asked).toEqual([]);
});
