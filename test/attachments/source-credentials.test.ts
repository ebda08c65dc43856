import { describe, expect, it } from 'vitest';
import { readSourceCredentials } from '../../src/attachments/source-credentials.ts';

const applied = (lines: string, address: string, wasEncrypted = false) => {
  const { url, headers } = readSourceCredentials(lines, 'TEST').apply(new URL(address), wasEncrypted);
  return { query: url.search, ...headers };
};
const BASIC = `Basic ${Buffer.from('ana:pw').toString('base64')}`;

describe('a credential goes to its own host alone', () => {
  it.each([
    ['its host', 'a.example bearer T', 'https://a.example/f', false, { authorization: 'Bearer T' }],
    ['another host', 'a.example bearer T', 'https://b.example/f', false, {}],
    ['a host below it', 'a.example bearer T', 'https://x.a.example/f', false, {}],
    ['a host that ends alike', 'a.example bearer T', 'https://nota.example/f', false, {}],
    ['another port', 'a.example bearer T', 'https://a.example:8443/f', false, {}],
    [
      'the port that was named',
      'a.example:8443 bearer T',
      'https://a.example:8443/f',
      false,
      { authorization: 'Bearer T' },
    ],
    [
      'all below a wildcard',
      '*.a.example basic ana:pw',
      'https://x.y.a.example/f',
      false,
      { authorization: BASIC },
    ],
    ['not the name of a wildcard itself', '*.a.example basic ana:pw', 'https://a.example/f', false, {}],
    ['not what only ends like a wildcard', '*.a.example basic ana:pw', 'https://xa.example/f', false, {}],
    ['no connection that is not encrypted', 'a.example bearer T', 'http://a.example/f', false, {}],
    [
      'the plain host that was named so',
      'http://a.example cookie s=1',
      'http://a.example/f',
      false,
      { cookie: 's=1' },
    ],
    ['no plain hop behind an encrypted one', 'http://a.example cookie s=1', 'http://a.example/f', true, {}],
    [
      'this machine in plain',
      '127.0.0.1:8080 header X-Key: k',
      'http://127.0.0.1:8080/f',
      false,
      { 'x-key': 'k' },
    ],
    [
      'not this machine behind an encrypted hop',
      '127.0.0.1:8080 header X-Key: k',
      'http://127.0.0.1:8080/f',
      true,
      {},
    ],
  ])('%s', (_, lines, address, wasEncrypted, expected) => {
    expect(applied(lines, address, wasEncrypted)).toEqual({ query: '', ...expected });
  });

  it('user and password of an address never go out; a query credential is set, not doubled', () => {
    const credentials = readSourceCredentials('a.example query key=NEW', 'TEST');
    const { url, headers } = credentials.apply(new URL('https://joe:pw@a.example/f?key=old&x=1'));
    expect(url.href).toBe('https://a.example/f?key=NEW&x=1');
    expect(headers).toEqual({});
  });

  it.each([
    ['https://b.example/f?key=K%2B1&x=a%20b', 'https://b.example/f?x=a+b'],
    ['http://a.example/f?key=K%2B1', 'http://a.example/f'],
    [
      'https://sso.example/login?next=https%3A%2F%2Fa.example%2Ff%3Fx%3D1%26key%3DK%2B1',
      'https://sso.example/login',
    ],
    [
      'https://sso.example/?next=https%253A%252F%252Fa.example%252Ff%253Fkey%253DK%25252B1',
      'https://sso.example/',
    ],
    // Nothing of it is there: the address stays as it is written, since it may be signed.
    ['https://b.example/f?key=other&x=a%20b', 'https://b.example/f?key=other&x=a%20b'],
    ['https://b.example/f?mykey=K%2B1', 'https://b.example/f?mykey=K%2B1'],
  ])('what a redirect repeats of it goes no further: %s', (address, expected) => {
    const credentials = readSourceCredentials('a.example query key=K+1', 'TEST');
    expect(credentials.apply(new URL(address)).url.href).toBe(expected);
  });

  it('the same key of two hosts goes to both of them', () => {
    const credentials = readSourceCredentials('a.example query key=K\nb.example query key=K', 'TEST');
    for (const host of ['a.example', 'b.example'])
      expect(credentials.apply(new URL(`https://${host}/f?key=K`)).url.href).toBe(`https://${host}/f?key=K`);
    expect(credentials.apply(new URL('https://c.example/f?key=K')).url.href).toBe('https://c.example/f');
  });

  it('JSON says the same', () => {
    const text = JSON.stringify({ 'a.example': { bearer: 'T', header: 'X-Key: k' } });
    expect(applied(text, 'https://a.example/f')).toEqual({
      query: '',
      authorization: 'Bearer T',
      'x-key': 'k',
    });
  });
});
