import { describe, expect, it } from 'vitest';
import { initials } from '../../src/sandbox/pages.ts';
import { excerptOf } from '../../src/sandbox/store/search.ts';
import { sanitizedBody } from '../../src/view/conversation/sanitize-body.ts';

const fromHtml = (content: string) => sanitizedBody(content, 'html', 'page');
const fromMarkdown = (content: string) => sanitizedBody(content, 'markdown', 'page');

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
