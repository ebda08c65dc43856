import { describe, expect, it } from 'vitest';
import {
  documentToMarkdown as adfToMarkdown,
  wikiToMarkdown,
} from '../../src/mapping/compile/jira-markup.ts';
import { rowsOf } from '../support/rows.ts';

const { documents } = rowsOf<{ documents: [string, Record<string, unknown>, string][] }>(
  import.meta.dirname,
  'markup.yaml',
);

describe('a rich-text document becomes markdown', () => {
  it.each(documents)('%s', (_, document, markdown) => {
    expect(adfToMarkdown(document)).toBe(markdown);
  });

  it('ends for a document nested without end', () => {
    let deep: unknown = { type: 'text', text: 'x' };
    for (let at = 0; at < 5000; at++) deep = { type: 'panel', content: [deep] };
    expect(adfToMarkdown({ type: 'doc', version: 1, content: [deep] }).length).toBeLessThan(10_000);
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
    ['{{code}} and \u00000\u0000', '`code` and 0'],
    ['plain text - with - dashes, 10-20 and *', 'plain text - with - dashes, 10-20 and *'],
  ])('%j', (wiki, markdown) => {
    expect(wikiToMarkdown(wiki)).toBe(markdown);
  });
});
