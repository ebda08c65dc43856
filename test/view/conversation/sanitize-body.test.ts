import { describe, expect, it } from 'vitest';
import { sanitizedBody } from '../../../src/view/conversation/sanitize-body.ts';

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

describe('a body made harmless', () => {
  it.each([
    [
      'a link',
      '<a href="https://x.example/a" onclick="b()" title="t">x</a>',
      '<a href="https://x.example/a" rel="noopener noreferrer nofollow" target="_blank">x</a>',
      '<a title="https://x.example/a">x</a>',
    ],
    [
      'a link into the page itself',
      '<a href="/tickets">x</a>',
      '<a rel="noopener noreferrer nofollow" target="_blank">x</a>',
      '<a title="/tickets">x</a>',
    ],
    [
      'a picture of its own',
      `<img src="${PIXEL}" alt="dot">`,
      `<img src="${PIXEL}" alt="dot" />`,
      '<samp>dot (picture, not shown)</samp>',
    ],
    [
      'a picture from elsewhere',
      '<img src="//t.example/p" alt="Logo">',
      '<samp>Logo (picture on t.example, not loaded)</samp>',
      '<samp>Logo (picture on t.example, not shown)</samp>',
    ],
    [
      'its direction and the start of a list',
      '<ol start="3" dir="rtl" class="x"><li>a</li></ol>',
      '<ol start="3" dir="rtl"><li>a</li></ol>',
      undefined,
    ],
    ['what no reader sees', '<title>t</title><template>u</template><option>o</option>v', 'v', undefined],
  ])('%s: on a page and in a document', (_, body, page, document = page) => {
    expect(sanitizedBody(body, 'html', 'page')).toBe(page);
    expect(sanitizedBody(body, 'html', 'document')).toBe(document);
  });
});
