import { describe, expect, it } from 'vitest';
import {
  documentToMarkdown as adfToMarkdown,
  wikiToMarkdown,
} from '../../src/mapping/compile/jira-markup.ts';

const text = (value: string, ...marks: object[]) => ({ type: 'text', text: value, marks });
const node = (type: string, content: unknown[], attrs?: object) => ({ type, content, attrs });
const doc = (...content: unknown[]) => ({ type: 'doc', version: 1, content });

describe('a rich-text document becomes markdown', () => {
  it.each([
    [
      'marks',
      doc(
        node('paragraph', [
          text('a '),
          text('b', { type: 'strong' }),
          text('c', { type: 'code' }),
          text('d', { type: 'link', attrs: { href: 'https://example.com' } }),
        ]),
      ),
      'a **b**`c`[d](https://example.com)',
    ],
    [
      'blocks',
      doc(
        node('heading', [text('T')], { level: 2 }),
        node('paragraph', [text('p'), { type: 'hardBreak' }, text('q')]),
        { type: 'rule' },
      ),
      '## T\n\np\nq\n\n---',
    ],
    [
      'lists',
      doc(
        node('bulletList', [
          node('listItem', [
            node('paragraph', [text('a')]),
            node('orderedList', [node('listItem', [node('paragraph', [text('b')])])]),
          ]),
        ]),
      ),
      '- a\n  1. b',
    ],
    ['code', doc(node('codeBlock', [text('x *y*')], { language: 'js' })), '```js\nx *y*\n```'],
    [
      'quotes and panels',
      doc(node('blockquote', [node('paragraph', [text('a')]), node('paragraph', [text('b')])])),
      '> a\n> \n> b',
    ],
    [
      'tables',
      doc(
        node('table', [
          node('tableRow', [node('tableHeader', [node('paragraph', [text('h')])])]),
          node('tableRow', [node('tableCell', [node('paragraph', [text('a|b')])])]),
        ]),
      ),
      '| h |\n| --- |\n| a\\|b |',
    ],
    [
      'mentions, emoji, cards',
      doc(
        node('paragraph', [
          { type: 'mention', attrs: { text: '@Ann' } },
          text(' '),
          { type: 'emoji', attrs: { shortName: ':)', text: '🙂' } },
          { type: 'inlineCard', attrs: { url: 'https://example.com/x' } },
        ]),
      ),
      '@Ann 🙂https://example.com/x',
    ],
    [
      'content as text',
      { type: 'doc', version: '1', content: JSON.stringify([node('paragraph', [text('a')])]) },
      'a',
    ],
    ['unknown nodes', doc(node('newThing', [node('paragraph', [text('kept')])])), 'kept'],
    ['nonsense', { type: 'doc', content: [null, 3, { type: 'text' }, { content: 'x' }] }, ''],
  ])('%s', (_, document, markdown) => {
    expect(adfToMarkdown(document)).toBe(markdown);
  });

  it('ends for a document nested without end', () => {
    let deep: unknown = text('x');
    for (let at = 0; at < 5000; at++) deep = node('panel', [deep]);
    expect(adfToMarkdown(doc(deep)).length).toBeLessThan(10_000);
  });
});

describe('wiki markup becomes markdown', () => {
  it.each([
    ['h2. Title', '## Title'],
    ['*bold* and _it_ and -gone- and {{code}}', '**bold** and *it* and ~~gone~~ and `code`'],
    ['a*b*c 2*3*4 snake_case_name', 'a*b*c 2*3*4 snake_case_name'],
    ['* one\n** two\n# first', '- one\n   - two\n1. first'],
    [
      '[text|https://example.com/a?b=c] [https://example.com]',
      '[text](https://example.com/a?b=c) <https://example.com>',
    ],
    ['[~accountid:557058:abc] said', '@557058:abc said'],
    ['{code:java}\nint *x* = 1;\n{code}', '```java\nint *x* = 1;\n```'],
    ['{noformat}*x*{noformat}', '```\n*x*\n```'],
    ['{quote}\na\nb\n{quote}', '> a\n> b'],
    ['bq. said', '> said'],
    ['||a||b||\n|1|2|', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
    ['!shot.png|thumbnail! !!! wow', '[shot.png] !!! wow'],
    ['{color:red}hot{color}', 'hot'],
    ['----', '---'],
    ['plain text - with - dashes, 10-20 and *', 'plain text - with - dashes, 10-20 and *'],
  ])('%s', (wiki, markdown) => {
    expect(wikiToMarkdown(wiki)).toBe(markdown);
  });
});
