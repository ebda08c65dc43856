import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { cut, documentText, documentTexts, value } from '../../../src/view/html/page-parts.ts';

describe('texts of strangers in a document', () => {
  it.each([
    ['<b>', '&lt;b&gt;'],
    [`"'&`, '&quot;&#39;&amp;'],
    ['&lt;', '&amp;lt;'],
    ['a\u0000b\u001bc', 'a\ufffdb\ufffdc'],
    ['\ud800', '\ufffd'],
    ['one\r\ntwo\rthree\tfour', 'one\ntwo\nthree\tfour'],
  ])('%j becomes %j', (text, escaped) => expect(String(html`${documentText(text)}`)).toBe(escaped));

  it('are found however deep they stand', () => {
    expect(documentTexts({ a: ['\u0000', { b: '\r' }], c: 1, d: undefined })).toEqual({
      a: ['\ufffd', { b: '\n' }],
      c: 1,
      d: undefined,
    });
  });

  it('a long text is cut within no character', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('abc…');
    expect(cut('ab😀', 3)).toBe('ab…');
    expect(String(value('x'.repeat(1000))).length).toBeLessThan(320);
  });
});
