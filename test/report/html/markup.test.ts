import { describe, expect, it } from 'vitest';
import { cut, escapeText, html, trusted, value } from '../../../src/report/html/markup.ts';

describe('markup', () => {
  it.each([
    ['<b>', '&lt;b&gt;'],
    [`"'&`, '&quot;&#39;&amp;'],
    ['&lt;', '&amp;lt;'],
    ['a\u0000b\u001bc', 'a\ufffdb\ufffdc'],
    ['\ud800', '\ufffd'],
    ['one\r\ntwo\rthree\tfour', 'one\ntwo\nthree\tfour'],
  ])('%j becomes %j', (text, escaped) => expect(escapeText(text)).toBe(escaped));

  it('what a template takes in is escaped, unless it is markup', () => {
    expect(html`<p title="${'"x'}">${'<i>'}${html`<b>${'&'}</b>`}${trusted('<hr>')}</p>`.text).toBe(
      '<p title="&quot;x">&lt;i&gt;<b>&amp;</b><hr></p>',
    );
  });

  it('lists come one behind the other, and nothing is shown for nothing', () => {
    expect(html`[${[1, '<', [html`<br>`]]}${undefined}${null}${false}${0}]`.text).toBe('[1&lt;<br>0]');
  });

  it('a long text is cut within no character', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('abc…');
    expect(cut('ab😀', 3)).toBe('ab…');
    expect(value('x'.repeat(1000)).text.length).toBeLessThan(320);
  });
});
