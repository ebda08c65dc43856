import { expect, it } from 'vitest';
import { htmlText } from '../../src/view/conversation/html-text.ts';

const bare = (html: string) => htmlText(html).replace(/\s+/g, '');

it.each([
  ['<p>a <b>b</b></p>', 'ab'],
  ['a<script>alert(1)</script><style>p{}</style>b', 'ab'],
  ['1 &lt; 2 &#x26; 3 &euro;', '1<2&3€'],
  ['1 < 2 and <!-- no --> 3', '1<2and3'],
  ['&#99999999;&#x110000;', '\ufffd\ufffd'],
])('the text of %s is what a person reads', (html, text) => {
  expect(bare(html)).toBe(text);
});

it('hostile markup is read in linear time', () => {
  expect(bare('<a'.repeat(100_000))).toBe('');
  expect(bare('<script>'.repeat(50_000))).toBe('');
});
