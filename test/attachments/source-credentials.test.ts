import { describe, expect, it } from 'vitest';
import { readSourceCredentials } from '../../src/attachments/source-credentials.ts';

const applied = (lines: string, address: string, wasEncrypted = false) =>
  readSourceCredentials(lines, 'TEST').headersFor(new URL(address), wasEncrypted);

describe('a credential goes to its own host alone', () => {
  const BEARER = { authorization: 'Bearer T' };
  const A = 'a.example Authorization: Bearer T';
  const PLAIN = 'http://a.example Cookie: s=1';
  it.each<[string, string, string, object, wasEncrypted?: true]>([
    ['its host', A, 'https://a.example/f', BEARER],
    ['another host', A, 'https://b.example/f', {}],
    ['a host below it', A, 'https://x.a.example/f', {}],
    ['a host that ends alike', A, 'https://nota.example/f', {}],
    ['another port', A, 'https://a.example:8443/f', {}],
    ['the port that was named', A.replace('e ', 'e:8443 '), 'https://a.example:8443/f', BEARER],
    ['all below a wildcard', '*.a.example X-Key: k', 'https://x.y.a.example/f', { 'x-key': 'k' }],
    ['not the name of a wildcard itself', '*.a.example X-Key: k', 'https://a.example/f', {}],
    ['not what only ends like a wildcard', '*.a.example X-Key: k', 'https://xa.example/f', {}],
    ['no connection that is not encrypted', A, 'http://a.example/f', {}],
    ['the plain host that was named so', PLAIN, 'http://a.example/f', { cookie: 's=1' }],
    ['no plain hop behind an encrypted one', PLAIN, 'http://a.example/f', {}, true],
    ['this machine in plain', '127.0.0.1:8080 X-Key: k', 'http://127.0.0.1:8080/f', { 'x-key': 'k' }],
    [
      'not this machine behind an encrypted hop',
      '127.0.0.1:8080 X-Key: k',
      'http://127.0.0.1:8080/f',
      {},
      true,
    ],
  ])('%s', (_, lines, address, expected, wasEncrypted) => {
    expect(applied(lines, address, wasEncrypted)).toEqual(expected);
  });

  it.each([
    ['https://a.example/f', 'the credential for a.example in TEST is not the right one'],
    ['http://a.example/f', 'the credential for a.example was not sent over an unencrypted connection'],
    ['http://b.example/f', 'the credential for b.example in TEST is not the right one'],
    ['https://c.example/f', 'give a credential for c.example in TEST'],
  ])('a refusal by %s says what to change', (address, advice) => {
    const lines = 'a.example X-Key: k\nb.example X-Key: k\nhttp://b.example Cookie: c';
    expect(readSourceCredentials(lines, 'TEST').advice(new URL(address))).toContain(advice);
  });

  it('several headers of one host all go', () => {
    const lines = '# old desk\na.example X-Key: k\n\na.example Cookie: s=1; t=2';
    expect(applied(lines, 'https://a.example/f')).toEqual({ 'x-key': 'k', cookie: 's=1; t=2' });
  });

  it.each(['a.example Bearer geheim', 'a.example', 'http://[ X-Key: geheim', 'a.example : geheim'])(
    'an unusable line is named without its value: %s',
    (line) => {
      expect(() => readSourceCredentials(`a.example X-Key: k\n${line}`, 'TEST')).toThrow(
        'TEST, line 2, is not a credential.',
      );
    },
  );
});
