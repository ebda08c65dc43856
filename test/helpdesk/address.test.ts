import { describe, expect, it } from 'vitest';
import { isLoopback, normalizeApiPath, parseBaseUrl } from '../../src/helpdesk/address.ts';

describe('the base URL', () => {
  it.each([
    ['https://desk.example', { origin: 'https://desk.example', prefix: '', href: 'https://desk.example' }],
    [' https://desk.example/ ', { origin: 'https://desk.example', prefix: '', href: 'https://desk.example' }],
    [
      'https://DESK.example:443/a/b//',
      { origin: 'https://desk.example', prefix: '/a/b', href: 'https://desk.example/a/b' },
    ],
    ['http://127.0.0.1:3000', { origin: 'http://127.0.0.1:3000', prefix: '', href: 'http://127.0.0.1:3000' }],
  ])('%s', (text, expected) => {
    expect(parseBaseUrl(text)).toEqual(expected);
  });

  it('without encryption to another machine it works, with a warning', () => {
    expect(parseBaseUrl('http://desk.example').warning).toContain('not encrypted');
  });

  it.each([
    '',
    'desk.example',
    'ftp://desk.example',
    'https://',
    'https://user:secret@desk.example',
    'https://secret@desk.example',
    'https://desk.example?x=1',
    'https://desk.example#x',
    '/api',
  ])('%s is refused as a configuration error that shows no password', (text) => {
    expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({ code: 'configuration', exitCode: 2 }));
    expect(() => parseBaseUrl(text)).not.toThrow(/secret/);
  });

  it.each([
    ['localhost', true],
    ['LOCALHOST.', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example', false],
    ['10.0.0.1', false],
  ])('%s is this machine: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  it.each([
    ['/api/core/v1', '/api/core/v1'],
    ['api/core/v1/', '/api/core/v1'],
    ['/', ''],
    ['', ''],
  ])('API path %j is %j', (path, expected) => {
    expect(normalizeApiPath(path)).toBe(expected);
  });

  it.each(['/a b', '/a?b', '/a#b', '/../x', 'a/./b', '/a%2fb', '\\a'])('API path %j is refused', (path) => {
    expect(() => normalizeApiPath(path)).toThrow(expect.objectContaining({ code: 'configuration' }));
  });
});
