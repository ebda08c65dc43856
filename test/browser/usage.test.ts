import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningSandbox, runningOn } from '../sandbox/running-sandbox.ts';
import { describeInBrowser } from '../support/browser.ts';
import { BILLING, EVENTS, type SentEvent, sendUsage } from '../support/browser-usage.ts';
import { textOf, textsOf } from '../support/browser-window.ts';

describeInBrowser('usage events and customers in a browser', (browser) => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await runningOn({ billing: BILLING });
    await sendUsage(sandbox);
  });
  afterAll(() => sandbox?.close());

  const open = async (path = '/usage') => {
    const { page, witnessed } = await browser.page();
    await page.goto(`${sandbox.url}${path}`);
    return { page, witnessed, rows: () => textsOf(page.locator('tbody tr')) };
  };

  it('are shown newest first with name, customer, properties and time, and the page asks nobody else', async () => {
    const { page, witnessed, rows } = await open();
    const [first, second] = await rows();
    expect(first).toBe(
      'order_created Blue Bottle Shop note a "quoted", cut line, 絵文字 🎉 total 49.9 list [1,{"a":"b"}] none null +1 evt-0000 1 Mar 2026, 07:00',
    );
    expect(second).toBe('api_call Old Oak Books total 1 currency EUR evt-0001 1 Mar 2026, 05:30');
    expect(await textOf(page.locator('.filters .sum'))).toBe('230 events');
    expect(witnessed.errors).toEqual([]);
    expect(witnessed.requests).toEqual([`${sandbox.url}/usage`]);
  });

  it('go through their pages without one twice or one left out', async () => {
    const { page } = await open();
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) {
      ids.push(...(await textsOf(page.locator('td.id'))));
      const next = page.getByRole('link', { name: 'Next' });
      if ((await next.count()) === 1) await next.click();
    }
    expect(ids).toEqual(EVENTS.map(({ eventId }) => eventId));
  });

  it('are filtered by customer, by domain, by name, by both, and cleared again', async () => {
    const { page, rows } = await open();
    await page
      .getByRole('link', { name: /^Old Oak Books/ })
      .first()
      .click();
    await page.waitForURL(/customer=cus_2/);
    expect(await rows()).toHaveLength(countOf(({ customerId }) => customerId === 'cus_2'));
    await page.getByRole('heading', { name: 'Usage events' }).click();
    await page.getByLabel('Event', { exact: true }).selectOption('api_call');
    await page.waitForURL(/event=api_call/);
    expect(page.url()).toContain('customer=cus_2');
    expect(await rows()).toHaveLength(
      countOf(({ customerId, eventName }) => customerId === 'cus_2' && eventName === 'api_call'),
    );
    await page.getByText('Clear filters').click();
    expect(await rows()).toHaveLength(100);
    await page.getByLabel('Customer: id or domain').fill('blue-bottle.example.com');
    await page.getByLabel('Customer: id or domain').press('Enter');
    await page.waitForURL(/customer=blue/);
    expect(await rows()).toHaveLength(countOf(({ customerId }) => customerId === 'cus_1'));
    expect(
      await page
        .getByRole('link', { name: /^Blue Bottle Shop/ })
        .first()
        .getAttribute('aria-current'),
    ).toBe('page');
  });

  it('are taken away as a CSV that holds what was sent, to the letter', async () => {
    const { page } = await open();
    const { name, text } = await download(page, 'CSV');
    expect(name).toBe('usage-events.csv');
    expect(eventsOfCsv(text)).toEqual(EVENTS);
  });

  it('are taken away as JSONL as well, and only those that are shown', async () => {
    const { page } = await open('/usage?customer=cus_9+%3Ci%3E&event=order_created');
    const shown = EVENTS.filter(
      ({ customerId, eventName }) => customerId === 'cus_9 <i>' && eventName === 'order_created',
    );
    const { text } = await download(page, 'JSONL');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(shown);
    expect(eventsOfCsv((await download(page, 'CSV')).text)).toEqual(shown);
  });

  it('lead to their customer, with plan, price, usage in every window and features', async () => {
    const { page } = await open();
    await page.getByRole('row').nth(1).getByRole('link', { name: 'Blue Bottle Shop' }).click();
    expect(await textOf(page.locator('h1'))).toBe('Blue Bottle Shop');
    expect(await textsOf(page.locator('.tiles > div'))).toEqual([
      'Plan Pro + Live chat',
      'Price 88 USD every 30 days',
      'Billed by the platform’s app pricing',
      'Domain blue-bottle.example.com',
      'Period since 15 Feb 2026',
      `Events ${countOf(({ customerId }) => customerId === 'cus_1')} events`,
    ]);
    const orders = EVENTS.filter(
      ({ customerId, eventName }) => customerId === 'cus_1' && eventName === 'order_created',
    );
    const revenue = orders.reduce((sum, { properties }) => sum + Number(properties?.['total']), 0);
    const metrics = await textsOf(page.locator('.metrics tbody tr'));
    expect(metrics[0]).toMatch(new RegExp(`^Orders .* ${orders.length}$`));
    expect(metrics[1]).toMatch(
      new RegExp(`^Revenue .* ${revenue.toLocaleString('en').replace('.', '\\.')}$`),
    );
    expect(await textsOf(page.locator('section').last().locator('tbody tr'))).toContain(
      'exports limit unlimited',
    );
    await page.getByRole('link', { name: 'Usage events' }).click();
    expect(page.url()).toBe(`${sandbox.url}/usage`);
  });

  it('customers are listed with status, plan and events, those without events too, are searched and read by keyboard', async () => {
    const { page, rows } = await open();
    await page.getByRole('link', { name: 'All customers' }).click();
    expect(await rows()).toHaveLength(6);
    expect((await rows()).at(-1)).toBe('Just Looking cus_5 none 0');
    for (const [text, found] of [
      ['oak', 'Old Oak Books cus_2'],
      ['<I>', 'cus_9 <i>'],
    ] as const) {
      await page.getByRole('searchbox').fill(text);
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(/search=/);
      expect((await rows()).map((row) => row.startsWith(found))).toEqual([true]);
      await page.goto(`${sandbox.url}/usage/customers`);
    }
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/usage\/customer\?id=/);
    expect(await textOf(page.locator('h1'))).not.toBe('');
    await page.goto(`${sandbox.url}/usage/customers?search=nowhere`);
    expect(await textOf(page.locator('main'))).toContain('No customer matches');
  });

  it('where nothing is, the page says how something comes there', async () => {
    const { page } = await open('/usage?event=never_sent');
    expect(await textOf(page.locator('main'))).toContain('No event matches');
    await page.getByRole('link', { name: 'All usage events' }).click();
    expect(page.url()).toBe(`${sandbox.url}/usage`);
    const response = await page.goto(`${sandbox.url}/usage/customer?id=nobody`);
    expect(response?.status()).toBe(404);
    expect(await textOf(page.locator('main'))).toContain('There is no customer nobody');
    await page.goto(`${sandbox.url}/usage/customer?id=cus_5`);
    expect(await textOf(page.locator('main'))).toMatch(
      /Without a subscription there are no features\. Times/,
    );
    const fresh = await runningOn();
    try {
      await page.goto(`${fresh.url}/usage`);
      expect(await textOf(page.locator('main'))).toContain(
        'helpdesk-import billing usage-events usage.csv --sandbox',
      );
      expect(await page.getByRole('link', { name: 'CSV' }).count()).toBe(0);
      await page.goto(`${fresh.url}/usage/customers`);
      expect(await textOf(page.locator('main'))).toContain('Nobody here yet');
    } finally {
      await fresh.close();
    }
  });
});

const countOf = (matches: (event: SentEvent) => boolean) => EVENTS.filter(matches).length;

async function download(page: Page, label: string): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: label, exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

function eventsOfCsv(text: string): unknown[] {
  return (parse(text, { columns: true }) as Record<string, string>[]).map(
    ({ properties = '', ...event }) => ({
      ...event,
      ...(properties === '' ? {} : { properties: JSON.parse(properties) as unknown }),
    }),
  );
}
