import { describe, expect, it } from 'vitest';
import { messageBody } from '../../../src/view/html/conversation.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { pageOf, type Tag, tagsOf, unescaped } from '../sample.ts';
import { hostileReport, viewOf } from './hostile-report.ts';

const HOSTILE = hostileTexts('alert(1)');

const PAGE_TAGS = new Set(
  (
    '!doctype html head meta title link style body a div nav ol li span header p b svg circle path h1 dl dt dd time ' +
    'bdi main section h2 h3 h4 table caption thead tbody tr th td i rect g line text code article ul figure ' +
    'figcaption details summary iframe footer br pre mark'
  ).split(' '),
);
const BODY_TAGS = new Set(
  (
    '!doctype html meta title style body p br hr div span h1 h2 h3 h4 h5 h6 blockquote pre code b strong i em u s del ' +
    'ins small sub sup mark abbr cite q kbd samp ul ol li dl dt dd table caption thead tbody tfoot tr td th a'
  ).split(' '),
);

describe('hostile texts everywhere in a report', () => {
  it.each(HOSTILE)('%s stays text', (text) => {
    const page = hostileReport([text]);
    // Everything that is left of a `<` is a tag of the report's own, whole and with quoted values.
    const rest = page
      .replace(/<\/?[a-z!][a-z0-9-]*(?:\s+[a-z0-9:-]+(?:="[^"<>]*")?)*\s*\/?>/gi, '')
      .replace(/<style>[\s\S]*?<\/style>/g, '');
    expect(rest.match(/<.{0,80}/)).toBeNull();
    expect(strangeIn(tagsOf(page), PAGE_TAGS, isOwnAttribute)).toEqual([]);
    const frames = tagsOf(page).filter(({ name }) => name === 'iframe');
    expect(frames.every(({ attributes }) => attributes['sandbox'] === '')).toBe(true);
    for (const { attributes } of frames)
      expect(strangeIn(tagsOf(unescaped(attributes['srcdoc'] ?? '')), BODY_TAGS, isBodyAttribute)).toEqual(
        [],
      );
  });
});

it('a report holds no half characters, and no control characters but line ends and tabs', () => {
  const page = pageOf(viewOf(['a\u0000\u001b[2J\u009b\ud800\uffffb<b></b>']));
  expect(page.isWellFormed()).toBe(true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/);
});

type AttributeRule = (tag: string, attribute: string, worth: string) => boolean;

const isOwnAttribute: AttributeRule = (tag, attribute, worth) => {
  if (attribute === 'href') return /^(?:#[a-z-]+$|https?:\/\/|data:,$)/i.test(worth);
  if (attribute === 'srcdoc') return tag === 'iframe';
  return !/^(?:on|style$|src|formaction|ping|background|action)/.test(attribute);
};

const BODY_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  '!doctype': ['html'],
  html: ['lang', 'dir'],
  meta: ['charset'],
  body: ['dir'],
  a: ['title'],
  ol: ['start'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan'],
};
const isBodyAttribute: AttributeRule = (tag, attribute) =>
  attribute === 'dir' || BODY_ATTRIBUTES[tag]?.includes(attribute) === true;

/** Tags and attributes that the report does not make by itself. */
function strangeIn(tags: readonly Tag[], known: ReadonlySet<string>, allows: AttributeRule): string[] {
  return tags.flatMap(({ name, attributes }) => [
    ...(known.has(name) ? [] : [name]),
    ...Object.entries(attributes)
      .filter(([key, worth]) => !allows(name, key, worth))
      .map(([key, worth]) => `${name} ${key}="${worth}"`),
  ]);
}

describe('bodies', () => {
  /** Something bold in it needs a frame. */
  const below = (content: string, type: 'html' | 'markdown' = 'html') => {
    const markup = String(messageBody(`${content}<b></b>`, type, 'x'));
    return unescaped(/<div class="below" dir="auto">([\s\S]*?)<\/div>/.exec(markup)?.[1] ?? '');
  };

  it.each([
    ['<p>One</p>\n<p>Two<br>three</p>', 'One\n\nTwo\nthree'],
    ['<ul><li>a</li><li>b</li></ul>after', '• a\n• b\n\nafter'],
    ['<ol><li>a</li><li>b<ul><li>c</li></ul></li></ol>', '1. a\n2. b• c'],
    ['<ol start="3"><li>c</li><li>d</li></ol>', '3. c\n4. d'],
    ['<table><tr><td>a</td><td>b</td></tr></table>', 'a  b'],
    ['a &lt;b&gt; &amp; c', 'a <b> & c'],
    ['<script>x</script><style>y</style>z', 'z'],
    ['<img src="https://x.example/p.gif" alt="Logo">', 'Logo (picture on x.example, not shown)'],
  ])('%j reads as %j where there is no frame', (markup, text) => expect(below(markup)).toBe(text));

  it('markdown is rendered, and markup in it sanitized', () => {
    const text = String(messageBody('**bold** <b onclick="x">raw</b>\n\n1. one\n2. two', 'markdown', 'x'));
    const frame = unescaped(/srcdoc="([^"]*)"/.exec(text)?.[1] ?? '');
    expect(frame).toContain('<strong>bold</strong> <b>raw</b>');
    expect(below('1. one\n2. two', 'markdown')).toBe('1. one\n2. two');
  });
});
