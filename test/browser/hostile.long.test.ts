import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningSandbox, runningOn } from '../sandbox/running-sandbox.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectHarmless, HIT } from '../support/browser-harmless.ts';
import { hostileTexts } from '../support/hostile-texts.ts';

const HOSTILE = hostileTexts(HIT);
/** Messages of a ticket: a page of a thread holds a hundred. */
const PER_TICKET = 90;

describeInBrowser('hostile texts in a browser', (browser) => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(100);
    sandbox = await runningOn();
  });
  afterAll(() => sandbox?.close());

  it.each(['html', 'markdown', 'text'])(
    'in %s bodies run nothing, load nothing, and lead nowhere',
    async (type) => {
      const { page, witnessed } = await browser.page();
      for (let first = 0; first < HOSTILE.length; first += PER_TICKET) {
        const id = await sandbox.create({ subject: `All as ${type}` });
        const messages = HOSTILE.slice(first, first + PER_TICKET).map((content) => ({
          actorType: 'system',
          content,
          contentType: type,
        }));
        expect((await sandbox.call('PUT', `/tickets/${id}/messages`, messages)).status).toBe(200);
        const url = `${sandbox.url}/tickets/${id}`;
        await page.goto(url);
        const frames = page.frames().slice(1);
        expect(frames.length > 0).toBe(type !== 'text');
        const active =
          'script, style, form, iframe, object, svg, math, meta, base, link, [style], [id], [name]';
        for (const frame of frames) expect(await frame.locator(`body :is(${active})`).count()).toBe(0);
        expect(
          await page.locator(`.bubble :is(.text, .rich) :is(script, form, svg, [style], [id])`).count(),
        ).toBe(0);
        await expectHarmless(page, witnessed, { url, home: sandbox.url });
      }
    },
    240_000,
  );

  it('the page stops what got past the sanitizer: its policy allows no script, and its frames none either', async () => {
    const { page, witnessed } = await browser.page();
    const id = await sandbox.create({ subject: 'One' });
    const url = `${sandbox.url}/tickets/${id}`;
    const answer = await page.goto(url);
    const headers = (await answer?.allHeaders()) ?? {};
    const body = HOSTILE.join('');
    const srcdoc = body.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    // No policy stops a refresh; the answer 204 ends it without another page.
    await page.route('**', (route) => route.fulfill({ status: 204 }));
    await page.route(url, (route) =>
      route.fulfill({
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': headers['content-security-policy'] ?? '',
        },
        body: `<!doctype html><title>x</title><iframe sandbox="" srcdoc="${srcdoc}"></iframe><div>${body}</div>`,
      }),
    );
    await page.goto(url);
    expect(await page.evaluate('window.hits')).toBeUndefined();
    expect(witnessed.popups).toEqual([]);
  });
});
