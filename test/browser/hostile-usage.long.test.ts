/** Hostile texts where usage events, customers, plans and metrics have theirs. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseBillingSeed } from '../../src/sandbox/app-api/catalog.ts';
import { START } from '../sandbox/manual-clock.ts';
import { type RunningSandbox, runningOn } from '../sandbox/running-sandbox.ts';
import { describeInBrowser, type Witnessed } from '../support/browser.ts';
import { addressesOf, expectHarmless, HIT, touchEverything } from '../support/browser-harmless.ts';
import { type SentEvent, sendUsage } from '../support/browser-usage.ts';
import { hostileTexts } from '../support/hostile-texts.ts';

/** Names and ids are trimmed when they are taken. */
const HOSTILE = hostileTexts(HIT).map((text) => text.trim());

/** Everything that a seed can call by a name. */
const BILLING = parseBillingSeed(
  {
    metrics: HOSTILE.map((text) => ({ key: text, name: text, eventName: text })),
    plans: HOSTILE.map((text) => ({
      id: text,
      name: text,
      amount: 1,
      currencyCode: text,
      features: { [text]: { name: text, type: 'limit', value: 1, description: text } },
    })),
    customers: HOSTILE.map((text, n) => ({
      id: text,
      name: text,
      myshopifyDomain: `${text}.example`,
      plan: [text, HOSTILE[(n + 1) % HOSTILE.length]],
      status: 'active',
    })),
  },
  'billing.json',
);

const EVENTS = HOSTILE.map(
  (text, n): SentEvent => ({
    eventId: text,
    eventName: text,
    customerId: text,
    timestamp: new Date(START - n * 60_000).toISOString(),
    properties: { [text]: text, list: [text], nested: { [text]: text } },
  }),
);

describeInBrowser('hostile texts in usage events and customers', (browser) => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await runningOn({ billing: BILLING });
    await sendUsage(sandbox, EVENTS);
  });
  afterAll(() => sandbox?.close());

  const open = async (path: string) => {
    const { page, witnessed } = await browser.page();
    const url = `${sandbox.url}${path}`;
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    await expectInPlace(page, witnessed, { url, home: sandbox.url });
    return page;
  };

  it('do run in a page that takes no care: the test would see it', async () => {
    const { page } = await browser.page();
    const url = `${sandbox.url}/careless`;
    const cells = EVENTS.slice(0, 5).map(({ eventName }) => `<td title="${eventName}">${eventName}</td>`);
    const body = `<!doctype html><title>careless</title><table><tr>${cells.join('')}</tr></table>`;
    await page.route(url, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
    await page.goto(url);
    await expect.poll(() => page.evaluate('window.hits')).toBeGreaterThan(5);
  });

  it('are text in the list of events, on all its pages', async () => {
    const rows: number[] = [];
    for (const path of ['/usage', '/usage?page=2']) {
      const page = await open(path);
      rows.push(await page.locator('tbody tr').count());
      expect(
        await page.evaluate('[...document.querySelectorAll("tbody tr")].every((r) => r.cells.length === 5)'),
      ).toBe(true);
    }
    expect(rows).toEqual([100, HOSTILE.length - 100]);
  });

  it('are text in the list of customers, on all its pages', async () => {
    let rows = 0;
    for (let n = 1; rows < HOSTILE.length; n++) {
      const page = await open(`/usage/customers?page=${n}`);
      const found = await page.locator('tbody tr').count();
      expect(found).toBeGreaterThan(0);
      rows += found;
    }
    expect(rows).toBe(HOSTILE.length);
  });

  it('are text on the page of a customer: its name, ids, plans, metrics and features', async () => {
    for (let n = 0; n < HOSTILE.length; n += 6) {
      const text = HOSTILE[n] ?? '';
      const page = await open(`/usage/customer?${new URLSearchParams({ id: text })}`);
      expect(await page.locator('h1').textContent()).toBe(text.replaceAll('\u0000', '\ufffd'));
      expect(await page.locator('.metrics tbody tr').count()).toBe(HOSTILE.length);
    }
  });

  it('are text where somebody searches, filters or asks for them', async () => {
    for (let n = 0; n < HOSTILE.length; n += 12) {
      const [customer = '', event = '', search = '', id = ''] = HOSTILE.slice(n, n + 4);
      await open(`/usage?${new URLSearchParams({ customer, event })}`);
      await open(`/usage?${new URLSearchParams({ customer: event, event: customer, page: search })}`);
      await open(`/usage/customers?${new URLSearchParams({ search, page: id })}`);
      await open(`/usage/customer?${new URLSearchParams({ id: `${id} of nobody` })}`);
    }
  });
});

/** The page is whole, has nothing in it that the texts brought along, and wakes nothing when it is touched. */
async function expectInPlace(
  page: Page,
  witnessed: Witnessed,
  where: { readonly url: string; readonly home: string },
): Promise<void> {
  expect(await page.locator('main').count()).toBe(1);
  expect(await page.locator(`.shell :is(${FOREIGN})`).count(), where.url).toBe(0);
  const handlers = `[...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames()).filter((name) => name.startsWith('on') || name === 'ping')`;
  expect(await page.evaluate(handlers), where.url).toEqual([]);
  await touchEverything(page, 'main *, aside *');
  const addresses = await addressesOf(page);
  expect(addresses.length).toBeGreaterThan(3);
  expect(addresses.filter((address) => !/^(?:\/(?!\/)|#|data:,$)/.test(address))).toEqual([]);
  await expectHarmless(page, witnessed, where);
}

/** What these pages have none of. */
const FOREIGN =
  'script, style, iframe, object, embed, img, video, audio, base, meta, link, math, xss, template';
