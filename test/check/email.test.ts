import { describe, expect, it } from 'vitest';
import { isEmail, normalizeEmail } from '../../src/check/people.ts';

describe('e-mail addresses', () => {
  it.each([
    'ann@example.com',
    '  Ann@Example.COM\n',
    "o'brien+tag@mail.example.co.uk",
    'a..b@docomo.ne.jp',
    'user_name%x@example.museum',
    'jürgen@müller.de',
    '用户@例子.广告',
    'a@xn--bcher-kva.example',
    'a@b.xn--p1ai',
    '1@2.de',
    `${'x'.repeat(64)}@example.com`,
  ])('%j is one', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    '',
    '   ',
    'ann',
    'ann@',
    '@example.com',
    'ann@localhost',
    'ann@example',
    'ann@@example.com',
    'ann@exa mple.com',
    'an n@example.com',
    'Ann <ann@example.com>',
    'ann@example.com, bob@example.com',
    'ann@example.com;bob@example.com',
    'mailto:ann@example.com',
    'ann@-example.com',
    'ann@example-.com',
    'ann@example..com',
    'ann@.example.com',
    'ann@example.com.',
    'ann@127.0.0.1',
    'ann@example.c',
    '"ann"@example.com',
    'ann\u0000@example.com',
    `${'x'.repeat(65)}@example.com`,
    `a@${'x'.repeat(64)}.com`,
    `a@${'x.'.repeat(130)}com`,
  ])('%j is not an address', (text) => {
    expect(isEmail(text)).toBe(false);
  });

  it('is normalized by trimming and lowercasing', () => {
    expect(normalizeEmail('\t Ann.Lee@EXAMPLE.com ')).toBe('ann.lee@example.com');
  });
});

it.each(['\u00ad', '\u200b', '\u200c', '\u200d', '\u200e', '\u2060', '\u2066', '\ufeff'])(
  'an address is the same with the invisible character %j anywhere in it',
  (sign) => {
    for (const text of [`${sign}ann@example.com`, `an${sign}n@exam${sign}ple.com`, `ann@example.com${sign} `])
      expect([normalizeEmail(text), isEmail(text)]).toEqual(['ann@example.com', true]);
  },
);
