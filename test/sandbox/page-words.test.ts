import { describe, expect, it } from 'vitest';
import { linkedText } from '../../src/sandbox/pages/message-body.ts';
import {
  fileSize,
  gapWords,
  hrefWith,
  initials,
  pageNumber,
  utcDay,
} from '../../src/sandbox/pages/page-parts.ts';
import { extension } from '../../src/sandbox/pages/thread.ts';
import { excerptOf } from '../../src/sandbox/store/search.ts';
import { sanitizedBody } from '../../src/view/conversation/sanitize-body.ts';

const fromHtml = (content: string) => sanitizedBody(content, 'html', 'page');
const fromMarkdown = (content: string) => sanitizedBody(content, 'markdown', 'page');

const HOUR = 3_600_000;

describe('small words of the pages', () => {
  it.each([
    ['Ann Lee', 'AL'],
    ['Anna Maria van der Lee', 'AL'],
    ['ann.lee@example.com', 'AC'],
    ['佐藤 美咲', '佐美'],
    ['𝒳 avier', '𝒳A'],
    ['“Éva”', 'É'],
    ['<script>', 'S'],
    ['???', '?'],
    ['', '?'],
  ])('the initials of %j are %s', (name, expected) => expect(initials(name)).toBe(expected));

  it.each([
    [23 * HOUR, undefined],
    [24 * HOUR, 'a day later'],
    [24 * 7 * HOUR, '7 days later'],
    [24 * 60 * HOUR, '2 months later'],
    [24 * 800 * HOUR, '2 years later'],
    [-HOUR, undefined],
  ])('%i ms between two entries are %s', (ms, expected) => expect(gapWords(ms)).toBe(expected));

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1000, '1.0 kB'],
    [810_387, '810 kB'],
    [999_999, '1.0 MB'],
    [12_345_678, '12 MB'],
  ])('%i bytes are %s', (bytes, expected) => expect(fileSize(bytes)).toBe(expected));

  it.each([
    ['a.pdf', 'PDF'],
    ['スクリーン.png', 'PNG'],
    ['archive.tar.gz', 'GZ'],
    ['Makefile', 'FILE'],
  ])('the kind of %s is %s', (name, expected) => expect(extension(name)).toBe(expected));

  it('days are in UTC, page numbers are positive, addresses leave out empty filters', () => {
    expect(utcDay('2024-03-04T23:30:00-05:00')).toBe('5 Mar 2024');
    expect(['2', '0', '-1', 'x', '1e3', undefined].map(pageNumber)).toEqual([2, 1, 1, 1, 1, 1]);
    expect(hrefWith('/', { a: '1', b: 'x y' }, { a: '' })).toBe('/?b=x+y');
  });
});

describe('how a thread begins', () => {
  it.each([
    ['Hello\n\n  there\tAnn', 'text', 'Hello there Ann'],
    ['5 < 6 <b>', 'text', '5 < 6 <b>'],
    [
      '<p>Dear&nbsp;<b>Ann</b>,</p><p>a &lt; b &amp; c &#8230; &#x41;</p>',
      'html',
      'Dear Ann , a < b & c … A',
    ],
    ['<!-- x > y --><STYLE>p{color:red}</STYLE><head><title>t</title></head>Hi', 'html', 'Hi'],
    ['1 < 2 <i>yes</i>', 'html', '1 < 2 yes'],
    ['İİİİ<STYLE>p{}</STYLE>after', 'html', 'İİİİ after'],
    ['text <style>never closed', 'html', 'text'],
    [
      '# Title\n\n- **bold** and `code`\n> [link](https://x.example) ![pic](y)',
      'markdown',
      'Title bold and code link pic',
    ],
    ['\u0000\u0007', 'text', ''],
  ] as const)('%j (%s) is %j', (content, type, expected) => expect(excerptOf(content, type)).toBe(expected));

  it('is short, well-formed and quick for hostile bodies', () => {
    const long = excerptOf('🎉'.repeat(500));
    expect(long.length).toBeLessThanOrEqual(181);
    expect(long.isWellFormed()).toBe(true);
    expect(excerptOf('\ud800 x').isWellFormed()).toBe(true);
    for (const evil of ['<', '<!--', '<style>', '&', '[', '![](', '*', '`', '<a '])
      for (const type of ['html', 'markdown', 'text'] as const)
        expect(excerptOf(evil.repeat(1_000_000), type).length).toBeLessThan(200);
  });
});

describe('plain text', () => {
  const shown = (text: string) => linkedText(text).map(String).join('');
  const link = (url: string) =>
    `<a href="${url}" target="_blank" rel="noopener noreferrer nofollow">${url}</a>`;
  it.each([
    ['see https://a.example/x?y=1.', `see ${link('https://a.example/x?y=1')}.`],
    ['(https://a.example/x)', `(${link('https://a.example/x')})`],
    ['https://a.example/x_(y)', link('https://a.example/x_(y)')],
    ['javascript:alert(1) ftp://x www.a.example', 'javascript:alert(1) ftp://x www.a.example'],
    ['https://', 'https://'],
    ['https://a.example/"onclick=alert(1)', `${link('https://a.example/')}"onclick=alert(1)`],
  ])('%j has its web addresses as links', (text, expected) => expect(shown(text)).toBe(expected));

  it('stays quick, and loses nothing, if every word looks like an address', () => {
    for (const evil of ['https://x.y/ ', ')', 'https://)', 'https://x)))', '(https://x.y).'])
      expect(shown(evil.repeat(10_000)).replace(/<[^>]*>/g, '')).toBe(evil.repeat(10_000));
  });
});

describe('formatted bodies', () => {
  it.each([
    ['**b** and _i_', '<p><strong>b</strong> and <em>i</em></p>'],
    ['one\ntwo', '<p>one<br />two</p>'],
    [
      'see https://a.example',
      '<p>see <a href="https://a.example" rel="noopener noreferrer nofollow" target="_blank">https://a.example</a></p>',
    ],
    ['a <b>raw</b> <script>alert(1)</script>', '<p>a <b>raw</b> </p>'],
    ['[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
    ['|a|\n|-|\n|b|', '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>'],
  ])('markdown %j', (markdown, expected) =>
    expect(fromMarkdown(markdown).replace(/\n/g, '').trim()).toBe(expected),
  );

  it('pictures in the body show, and others say that they are elsewhere', () => {
    const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    expect(fromHtml(`<img src="${pixel}" alt="dot" onerror="x">`)).toBe(`<img src="${pixel}" alt="dot" />`);
    expect(fromHtml('<img src="https://t.example/p.gif" alt="Logo">')).toBe(
      '<samp>Logo (picture on t.example, not loaded)</samp>',
    );
    expect(fromHtml('<img src="cid:1">')).toBe('<samp>picture, not loaded</samp>');
    for (const src of [
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html,x',
      'javascript:x',
      `${pixel}"x`,
    ])
      expect(fromHtml(`<img src='${src}'>`)).not.toContain('<img');
  });
});
