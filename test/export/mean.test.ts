/** Platforms that answer as no reference describes: nothing is lost without a word, and nothing comes twice. */
import { expect, it } from 'vitest';
import type { Json, Reply } from '../support/platform-fakes.ts';
import { acme, desk, RECIPE, upTo } from './acme-desk.ts';

const CURSOR = RECIPE.replace(
  'page: { number: page, size: 2 }',
  'page: { cursor: after, from: next }',
).replace('    total: count\n', '');
const LINK = RECIPE.replace('page: { number: page, size: 2 }', 'page: { next: next }');

const row = (id: unknown): Json => ({ id, updated_at: '2024-01-01T00:00:00Z', comment_count: 1 });
const list = (ids: unknown[], more: Json = {}): Reply => ({
  body: { tickets: ids.map(row), ...more },
  headers: {},
});

it.each<[string, string, (page: number, path: string) => Reply | undefined, number[], number]>([
  [
    'an empty page that is not the last',
    LINK,
    (nth) =>
      [list([1], { next: '/tickets?p=2' }), list([], { next: '/tickets?p=3' }), list([2], { next: null })][
        nth
      ],
    [1, 2],
    0,
  ],
  ['a row twice on a page', LINK, (nth) => [list([1, 1, 2, 1], { next: null })][nth], [1, 2], 0],
  [
    'ids as texts on one page and as numbers on the next',
    LINK,
    (nth) => [list(['1', '2'], { next: '/tickets?p=2' }), list([1, 2, 3], { next: null })][nth],
    [1, 2, 3],
    0,
  ],
  [
    'a cursor that repeats',
    CURSOR,
    (nth) => [list([1], { next: 'a' }), list([2], { next: 'a' })][nth],
    [1, 2],
    0,
  ],
  [
    'a link to another host, port and scheme with a user in it',
    LINK,
    (nth, path) =>
      [
        list([1], { next: 'ftp://me:secret@evil.example:8443/tickets?p=2' }),
        path === '/tickets?p=2' ? list([2], { next: null }) : undefined,
      ][nth],
    [1, 2],
    0,
  ],
  ['a count that is higher than its rows', RECIPE, () => list([1], { count: 7 }), [1], 3],
])('%s', async (_, recipe, answer, ids, exitCode) => {
  await using one = await desk(acme(3), recipe);
  let nth = 0;
  one.served.fault = (_, path) => (path.startsWith('/tickets?') ? answer(nth++, path) : undefined);
  const { json } = await one.run();
  expect([[...new Set(one.idsOf('tickets').map(Number))], json['exitCode']]).toEqual([ids, exitCode]);
});

it.each<[string, Reply]>([
  ['a null in place of the list', { body: { tickets: null }, headers: {} }],
  ['a list of nulls is no row', { body: { tickets: [null, null], count: 2 }, headers: {} }],
  ['a text in place of the list', { body: { tickets: 'none' }, headers: {} }],
  ['a redirect to another host', { status: 302, headers: { location: 'http://evil.example/' } }],
])('%s ends with a word', async (_, reply) => {
  await using one = await desk(acme(3));
  one.served.fault = (_, path) => (path.startsWith('/tickets?') ? reply : undefined);
  expect([2, 3]).toContain((await one.run()).json['exitCode']);
});

it('a pause until an HTTP date and a 500 in the middle lose nothing', async () => {
  await using one = await desk(acme(5));
  const faults: Reply[] = [
    { status: 500 },
    { status: 429, headers: { 'retry-after': new Date(one.options.clock.now() + 3000).toUTCString() } },
  ];
  one.served.fault = (nth) => (nth > 2 ? faults.pop() : undefined);
  expect([(await one.run()).json['exitCode'], one.idsOf('tickets'), faults]).toEqual([0, upTo(5), []]);
});
