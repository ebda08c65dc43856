import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODY_HEADERS, bodyDocument, bodyFrame } from '../../src/sandbox/pages/message-body.ts';
import { PAGE_HEADERS } from '../../src/sandbox/pages/page-shell.ts';
import { type RunningSandbox, runningOn } from '../sandbox/running-sandbox.ts';
import { describeInBrowser, type Witnessed } from '../support/browser.ts';
import { addressesOf, expectHarmless, HIT, touchEverything } from '../support/browser-harmless.ts';
import { loadFrames } from '../support/browser-window.ts';
import { hostileTexts } from '../support/hostile-texts.ts';

const HOSTILE = hostileTexts(HIT);
describeInBrowser('hostile texts in a browser', (browser) => {
  let sandbox: RunningSandbox;
  let bodies: { type: string; path: string }[];
  beforeAll(async () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(100);
    sandbox = await runningOn();
    bodies = await Promise.all(
      ['html', 'markdown', 'text'].map(async (type) => ({ type, path: await hostileThread(sandbox, type) })),
    );
  });
  afterAll(() => sandbox?.close());

  const harmless = (page: Page, witnessed: Witnessed, url: string) =>
    expectHarmless(page, witnessed, { url, home: sandbox.url });

  it('do run, and ask others, in frames that take no care: the test would see it', async () => {
    const { page, witnessed } = await browser.page();
    const frames = (await unsanitizedFrames(page, {})).replace(/ sandbox="[^"]*"/g, '');
    await page.route(/evil\.example/, (route) => route.abort());
    await page.route(`${sandbox.url}/careless`, (route) =>
      route.fulfill({
        contentType: 'text/html; charset=utf-8',
        body: `<!doctype html><title>frames</title>${frames}`,
      }),
    );
    await page.goto(`${sandbox.url}/careless`).catch(() => undefined);
    await expect.poll(() => page.evaluate('window.hits').catch(() => 0)).toBeGreaterThan(20);
    const asked = () =>
      new Set(witnessed.requests.filter((request) => request.includes('evil.example'))).size;
    await expect.poll(asked).toBeGreaterThan(5);
  });

  it.each(['html', 'markdown', 'text'])('in %s bodies stay in their place', async (type) => {
    const { page, witnessed } = await browser.page();
    const url = `${sandbox.url}${bodies.find((body) => body.type === type)?.path}`;
    await page.goto(url);
    const frames = await loadFrames(page);
    expect(frames).toBe(type === 'text' ? 0 : HOSTILE.length);
    await harmless(page, witnessed, url);
    // Pressing every link and passing over everything wakes nothing either.
    await touchEverything(page, '.thread *, .content *');
    const hrefs = await addressesOf(page);
    expect(hrefs.length).toBeGreaterThan(10);
    expect(hrefs.filter((href) => !/^(?:https?:\/\/|mailto:|\/(?!\/)|#|data:,$)/.test(href))).toEqual([]);
    expect(
      await page.evaluate(`[...document.querySelectorAll('iframe')].flatMap((frame) =>
        [...frame.contentDocument.querySelectorAll('.content script, .content style, .content form, .content iframe, .content object, .content svg, .content math, .content meta, .content base, .content link, .content [style], .content [id], .content [name]')]).length`),
    ).toBe(0);
    await harmless(page, witnessed, url);
    await pressLinks(page);
    await harmless(page, witnessed, url);
  });

  it('cannot leave the frame even if nothing was sanitized: the second defence suffices', async () => {
    const { page, witnessed } = await browser.page();
    const url = `${sandbox.url}/unsanitized`;
    const frames = await unsanitizedFrames(page, BODY_HEADERS);
    await page.route(url, (route) =>
      route.fulfill({
        headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
        body: `<!doctype html><title>frames</title>${frames}`,
      }),
    );
    await page.route(/evil\.example/, (route) => route.abort());
    await page.goto(url);
    for (let n = 0; n < LEAVING.length; n++) {
      const frame = page.frameLocator(`iframe >> nth=${HOSTILE.length + n}`);
      const target = frame.locator('[data-press]');
      // A click is a permission: leaving is tried with it.
      if ((await target.count()) > 0) await target.click({ timeout: 2_000, force: true });
    }
    expect(await page.evaluate('window.hits')).toBeUndefined();
    expect(page.url()).toBe(url);
    expect(await page.title()).toBe('frames');
    expect(witnessed.requests.filter((request) => request.includes('evil.example'))).toEqual([]);
    expect(witnessed.popups).toEqual([]);
  });
});

/** Clicks each of the links, in the page and in its frames; those to web addresses lead on no further. */
async function pressLinks(page: Page): Promise<void> {
  const url = page.url();
  const pressed =
    await page.evaluate(`[document, ...[...document.querySelectorAll('iframe')].map((f) => f.contentDocument)]
      .flatMap((d) => {
        d.addEventListener('click', (event) => {
          if (/^(?:https?|mailto):/.test(event.target.closest('a').href)) event.preventDefault();
        });
        return [...d.querySelectorAll('.thread a, .content a')];
      })
      .map((a) => a.click()).length`);
  expect(pressed).toBeGreaterThan(2);
  expect(await page.evaluate('window.hits')).toBeUndefined();
  expect(page.url()).toBe(url);
}

/** What tries to take the window along, when pressed or by itself. */
const LEAVING = [
  '<a data-press target=_top href="https://evil.example/top">x</a>',
  '<a data-press target=_parent href="https://evil.example/parent">x</a>',
  '<a data-press href="https://evil.example/self">x</a>',
  `<a data-press target=_top href="javascript:${HIT}">x</a>`,
  '<form action="https://evil.example/form" target=_top><button data-press>x</button></form>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/refresh">',
  '<iframe src="https://evil.example/frame"></iframe>',
  `<button data-press onclick="${HIT}">x</button>`,
  '<title>taken</title><base href="https://evil.example/"><img src=base.png>',
];

/** Each text as it is, in a frame as the pages make them. */
async function unsanitizedFrames(page: Page, headers: Readonly<Record<string, string>>): Promise<string> {
  const texts = [...HOSTILE, ...LEAVING];
  await page.route(/\/unsanitized-body\/\d+$/, (route) =>
    route.fulfill({
      headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
      body: bodyDocument(texts[Number(route.request().url().split('/').at(-1))] ?? ''),
    }),
  );
  const frames = await Promise.all(
    texts.map(async (_, n) => String(await bodyFrame(`/unsanitized-body/${n}`, 'Message'))),
  );
  return frames.join('').replaceAll('loading="lazy"', '');
}

/** A ticket whose messages are the whole corpus, in one format. */
async function hostileThread(sandbox: RunningSandbox, contentType: string): Promise<string> {
  const id = await sandbox.create({ subject: `All as ${contentType}`, createdAt: '2020-01-01T00:00:00Z' });
  const messages = HOSTILE.map((content) => ({ actorType: 'system', content, contentType }));
  const put = await sandbox.call('PUT', `/tickets/${id}/messages`, messages);
  if (put.status !== 200) throw new Error(JSON.stringify(put.body));
  return `/tickets/${id}`;
}
