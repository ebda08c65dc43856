import { describe, expect, it } from 'vitest';
import { cleanName, expiryOf, keyOf, nameInAddress } from '../../src/attachments/address.ts';
import { addressesInBody, replaceAddresses } from '../../src/attachments/addresses-in-body.ts';
import type { ContentType } from '../../src/domain/payload.ts';
import { labelOf } from '../../src/verify/guarded-request.ts';

/** Every address in place of another one: what was found, and what the body is then. */
function swap(content: string, contentType: ContentType) {
  const found = addressesInBody(content, contentType).filter(({ written }) => written.startsWith('http'));
  return {
    shown: found.filter(({ kind }) => kind === 'shown').map(({ written }) => written),
    links: found.filter(({ kind }) => kind === 'link').map(({ written }) => written),
    body: replaceAddresses(
      content,
      found.map((one) => ({ found: one, address: 'https://new.example/a&b' })),
    ),
  };
}

describe('addresses in an html body', () => {
  it.each([
    ['<img src="http://x/a.png">', ['http://x/a.png'], '<img src="https://new.example/a&amp;b">'],
    [
      "<IMG alt=x SRC='http://x/a.png?a=1&amp;b=2'/>",
      ['http://x/a.png?a=1&b=2'],
      "<IMG alt=x SRC='https://new.example/a&amp;b'/>",
    ],
    [
      '<img src=http://x/a.png width=3>',
      ['http://x/a.png'],
      '<img src="https://new.example/a&amp;b" width=3>',
    ],
    [
      '<video poster="http://x/p.jpg"><source src="http://x/v.mp4"></video>',
      ['http://x/v.mp4'],
      '<video poster="http://x/p.jpg"><source src="https://new.example/a&amp;b"></video>',
    ],
    ['<p style="background:url(http://x/a.png)"><img srcset="http://x/b.png 2x">', [], undefined],
    ['<script src="http://x/a.js"></script><!-- <img src="http://x/no.png"> -->', [], undefined],
    ['text http://x/a.png and <b title="http://x/b.png">', [], undefined],
    ['<img src="http://x/a', [], undefined],
  ])('%s', (body, shown, changed) => {
    const swapped = swap(body, 'html');
    expect(swapped.shown).toEqual(shown);
    if (changed !== undefined) expect(swapped.body).toBe(changed);
  });

  it('links are distinguished from embedded files', () => {
    expect(swap('<a href="http://x/f.pdf"><img src="http://x/i.png"></a>', 'html')).toMatchObject({
      links: ['http://x/f.pdf'],
      shown: ['http://x/i.png'],
    });
  });
});

describe('addresses in Markdown', () => {
  it.each([
    ['![a](http://x/a.png)', ['http://x/a.png'], [], '![a](https://new.example/a&b)'],
    ['![a](<http://x/a b.png> "t")', ['http://x/a b.png'], [], undefined],
    ['![a](http://x/a_(1).png "t")', ['http://x/a_(1).png'], [], '![a](https://new.example/a&b "t")'],
    ['[![a](http://x/i.png)](http://x/f.pdf)', ['http://x/i.png'], ['http://x/f.pdf'], undefined],
    [
      '![logo][l]\n\n[l]: http://x/a.png',
      ['http://x/a.png'],
      [],
      '![logo][l]\n\n[l]: https://new.example/a&b',
    ],
    ['[t][l]\n\n[l]: http://x/a.pdf', [], ['http://x/a.pdf'], undefined],
    ['`![a](http://x/a.png)` and\n```\n![b](http://x/b.png)\n```\n', [], [], undefined],
    ['<img src="http://x/a.png">', ['http://x/a.png'], [], '<img src="https://new.example/a&amp;b">'],
    ['see http://x/f.pdf.', [], ['http://x/f.pdf'], 'see https://new.example/a&b.'],
  ])('%s', (body, shown, links, changed) => {
    const swapped = swap(body, 'markdown');
    expect(swapped.shown).toEqual(shown);
    expect(swapped.links).toEqual(links);
    if (changed !== undefined) expect(swapped.body).toBe(changed);
  });
});

it('all pictures within the text of one link are found', () => {
  const body = '[![a](http://x/a.png) and ![b](http://x/b.png)](https://example.com)';
  expect(swap(body, 'markdown').shown).toEqual(['http://x/a.png', 'http://x/b.png']);
});

it('a picture in Markdown is one in plain text too, and no link twice', () => {
  expect(swap('See ![a](http://x/a.png) or [c](http://x/c.pdf)', 'text')).toMatchObject({
    shown: ['http://x/a.png'],
    links: ['http://x/c.pdf'],
  });
});

it('a link in plain text ends before the sentence does', () => {
  expect(swap('(see http://x/a(1).pdf), or http://x/b.pdf!', 'text')).toEqual({
    shown: [],
    links: ['http://x/a(1).pdf', 'http://x/b.pdf'],
    body: '(see https://new.example/a&b), or https://new.example/a&b!',
  });
});

describe('an address by itself', () => {
  it('is the same file with any signature', () => {
    const signed = (signature: string) =>
      `https://s3.example/a.png?X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600&X-Amz-Signature=${signature}`;
    expect(keyOf(signed('1'))).toBe(keyOf(signed('2')));
    expect(keyOf('https://x.example/download?id=1')).not.toBe(keyOf('https://x.example/download?id=2'));
    expect(keyOf('https://x.example/a?token=1')).not.toBe(keyOf('https://x.example/a?token=2'));
  });

  it.each([
    ['https://s3.example/a?X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600', '2026-01-01T01:00:00.000Z'],
    ['https://cdn.example/a?Expires=1767225600&Signature=x&Key-Pair-Id=y', '2026-01-01T00:00:00.000Z'],
    ['https://blob.example/a?se=2026-01-01T00%3A00%3A00Z&sig=x', '2026-01-01T00:00:00.000Z'],
    ['https://x.example/a?id=3', undefined],
    ['https://s3.example/a?X-Amz-Expires=3600', undefined],
    ['https://s3.example/a?X-Amz-Date=20260101T000000Z', undefined],
  ])('tells when it ends: %s', (address, ends) => {
    const at = expiryOf(address);
    expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(ends);
  });

  it('is shown without its query and its user', () => {
    expect(labelOf('https://user:pass@x.example/a/b.png?token=secret')).toBe('x.example/a/b.png');
  });

  it.each([
    ['https://x.example/a/b%20c.png', 'b c.png'],
    ['https://x.example/token/abc/?name=report.pdf', 'report.pdf'],
    ['https://x.example/a/..%2F..%2Fetc%2Fpasswd', 'passwd'],
    ['https://x.example/', undefined],
  ])('gives the name of the file: %s', (address, name) => {
    expect(nameInAddress(address)).toBe(name);
  });

  it('a name of a file has no half character, however long it is', () => {
    expect(cleanName('a\ud800.png')).toBe('a\ufffd.png');
    expect(cleanName(`${'x'.repeat(145)}👍👍.png`)).toBe(`${'x'.repeat(145)}\ufffd.png`);
  });
});
