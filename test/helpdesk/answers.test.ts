/** What an answer says, in the forms that helpdesks give it. */
import { describe, expect, it } from 'vitest';
import { announcedFile, nameOfCaller, organizationIn, pageOf, totalOf } from '../../src/helpdesk/answers.ts';
import type { Answer } from '../../src/helpdesk/http.ts';

const answer = (body: unknown): Answer => ({
  ...{ type: 'answer', status: 200, headers: {} },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

describe('a page of a list', () => {
  const tickets = [{ id: 't1' }];
  it.each<[what: string, body: unknown, shows: unknown]>([
    ['bare', tickets, { last: true }],
    ['without a word on further ones', { tickets }, { last: true }],
    ['with null as its cursor', { tickets, cursor: null }, { last: true }],
    ['with an empty cursor', { tickets, cursor: '' }, { last: true }],
    ['with a number as its cursor', { tickets, cursor: 7 }, { cursor: '7' }],
    ['with a cursor beside its end', { tickets, cursor: 'x', hasNextPage: false }, { last: true }],
    ['with an object as its cursor', { tickets, cursor: {} }, undefined],
    ['that promises another one and says not where', { tickets, hasNextPage: true }, undefined],
    ['with further ones under another name', { tickets, nextPage: 2 }, undefined],
    ['with another name that says nothing', { tickets, nextPage: null }, { last: true }],
    ['with a ticket without an id', { tickets: [{}] }, undefined],
    ['with what is no ticket', { tickets: ['t1'] }, undefined],
    ['that is no list', { tickets: {} }, undefined],
  ])('%s', (_, body, shows) => {
    const page = pageOf(answer(body), 'tickets', true);
    expect(page && (page.cursor === undefined ? { last: true } : { cursor: page.cursor })).toEqual(shows);
  });

  it('of messages may have some without an id', () => {
    expect(pageOf(answer({ messages: [{ a: 1 }] }), 'messages', false)?.items).toEqual([{ a: 1, id: '' }]);
  });
});

it.each([
  [{ total: 0 }, { total: 0 }],
  [{ total: 3 }, { total: 3 }],
  [{ total: -1 }, {}],
  [{ total: 1.5 }, {}],
  [{ total: '3' }, {}],
  [[], {}],
  ['text', undefined],
  ['null', undefined],
])('the total of %j', (body, total) => {
  expect(totalOf(answer(body))).toEqual(total);
});

const ORGANIZATION = { id: 'o1', name: 'Acme' };
it.each<[body: unknown, isBare: boolean, id: string | undefined, name: string | undefined]>([
  [{ organization: ORGANIZATION }, true, 'o1', 'Acme'],
  [ORGANIZATION, true, 'o1', 'Acme'],
  [{ name: ' Acme ' }, true, 'Acme', 'Acme'],
  [{ name: ' ' }, true, undefined, undefined],
  [{ name: 7 }, true, undefined, undefined],
  [{ user: { id: 'u1', email: 'a@b.example', organizationId: 'o2' } }, false, 'o2', 'a@b.example'],
  [
    { me: { id: 'u1', name: 'x'.repeat(200), organization: { name: 'Acme' } } },
    false,
    'Acme',
    'x'.repeat(100),
  ],
  [{ id: 'u1' }, false, undefined, undefined],
])('whom %j names', (body, isBare, id, name) => {
  expect(organizationIn(answer(body), isBare)).toEqual(id === undefined ? {} : { id });
  expect(nameOfCaller(answer(body))).toBe(name);
});

it('an answer without JSON names nobody', () => {
  expect([organizationIn(answer('<html>'), true), nameOfCaller(answer('<html>'))]).toEqual([
    undefined,
    undefined,
  ]);
});

const FILE = { signedUrl: 'https://up.example/1', downloadUrl: 'https://down.example/1' };
it.each([
  [FILE, FILE],
  [{ attachment: { ...FILE, id: 'a1' } }, FILE],
  [{ signedUrl: FILE.signedUrl }, undefined],
  [{ downloadUrl: FILE.downloadUrl }, undefined],
  [{ ...FILE, signedUrl: 'no address' }, undefined],
  [{ ...FILE, downloadUrl: '/relative' }, undefined],
  [{ ...FILE, downloadUrl: 'javascript:alert(1)//https://x' }, undefined],
  [{ ...FILE, downloadUrl: 'data:text/html,x' }, undefined],
  [{ ...FILE, signedUrl: 'file:///etc/passwd' }, undefined],
])('the place for a file in %j', (body, place) => {
  expect(announcedFile(answer(body))).toEqual(place);
});
