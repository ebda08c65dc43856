import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningSandbox, runningOn } from '../sandbox/running-sandbox.ts';
import { describeInBrowser } from '../support/browser.ts';
import { textsOf } from '../support/browser-window.ts';

const EVENTS = Array.from({ length: 130 }, (_, n) => ({
  eventId: `e${n}`,
  eventName: n % 2 === 0 ? 'order_created' : 'api_call',
  customerId: `cus_${n % 3}`,
  timestamp: Date.parse('2026-02-20T10:00:00Z') - n * 60_000,
  properties: { total: n },
}));

describeInBrowser('usage events in a browser', (browser) => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await runningOn();
    await fetch(`${sandbox.url}/v1/usage_events`, {
      method: 'POST',
      headers: {
        'x-mantle-app-id': sandbox.app.id,
        'x-mantle-app-api-key': sandbox.app.key,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ events: EVENTS }),
    });
  });
  afterAll(() => sandbox?.close());

  it('are browsed newest first, by customer and event, and the page requests nothing else', async () => {
    const { page, witnessed } = await browser.page();
    await page.goto(`${sandbox.url}/usage`);
    const rows = () => textsOf(page.locator('tbody tr'));
    expect((await rows())[0]).toMatch(/^order_created cus_0 \{"total":0\} e0 /);
    expect(await rows()).toHaveLength(100);
    expect(witnessed).toMatchObject({ errors: [], requests: [`${sandbox.url}/usage`] });
    await page.getByRole('link', { name: 'cus_1' }).first().click();
    await page.waitForURL(/customer=cus_1/);
    await page.getByLabel('Event', { exact: true }).selectOption('api_call');
    await page.getByLabel('Event', { exact: true }).press('Enter');
    await page.waitForURL(/event=api_call/);
    const wanted = EVENTS.filter((event) => event.customerId === 'cus_1' && event.eventName === 'api_call');
    expect(await rows()).toHaveLength(wanted.length);
  });
});
