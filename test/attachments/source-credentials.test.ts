import { describe, expect, it } from 'vitest';
import { readSourceCredentials } from '../../src/attachments/source-credentials.ts';

const applied = (lines: string, address: string, wasEncrypted = false) =>
  readSourceCredentials(lines, 'TEST').headersFor(new URL(address), wasEncrypted);

describe('a credential goes to its own host alone', () => {
  it.each([
    [
      'its host',
      'a.example Authorization: Bearer T',
      'https://a.example/f',
      false,
      { authorization: 'Bearer T' },
    ],
    ['another host', 'a.example Authorization: Bearer T', 'https://b.example/f', false, {}],
    ['a host below it', 'a.example Authorization: Bearer T', 'https://x.a.example/f', false, {}],
    ['a host that ends alike', 'a.example Authorization: Bearer T', 'https://nota.example/f', false, {}],
    ['another port', 'a.example Authorization: Bearer T', 'https://a.example:8443/f', false, {}],
    [
      'the port that was named',
      'a.example:8443 Authorization: Bearer T',
      'https://a.example:8443/f',
      false,
      { authorization: 'Bearer T' },
    ],
    ['all below a wildcard', '*.a.example X-Key: k', 'https://x.y.a.example/f', false, { 'x-key': 'k' }],
    ['not the name of a wildcard itself', '*.a.example X-Key: k', 'https://a.example/f', false, {}],
    ['not what only ends like a wildcard', '*.a.example X-Key: k', 'https://xa.example/f', false, {}],
    [
      'no connection that is not encrypted',
      'a.example Authorization: Bearer T',
      'http://a.example/f',
      false,
      {},
    ],
    [
      'the plain host that was named so',
      'http://a.example Cookie: s=1',
      'http://a.example/f',
      false,
      { cookie: 's=1' },
    ],
    ['no plain hop behind an encrypted one', 'http://a.example Cookie: s=1', 'http://a.example/f', true, {}],
    ['this machine in plain', '127.0.0.1:8080 X-Key: k', 'http://127.0.0.1:8080/f', false, { 'x-key': 'k' }],
    [
      'not this machine behind an encrypted hop',
      '127.0.0.1:8080 X-Key: k',
      'http://127.0.0.1:8080/f',
      true,
      {},
    ],
  ])('%s', (_, lines, address, wasEncrypted, expected) => {
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
