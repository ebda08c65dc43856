import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { type Desk, openDesk } from '../support/browser-desk.ts';
import { textOf, textsOf } from '../support/browser-window.ts';

describeInBrowser('the contacts in a browser', (browser) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.sandbox.close());

  it('are listed by e-mail, are searched, and lead to their tickets', async () => {
    const { page, witnessed } = await browser.page();
    await page.goto(`${desk.sandbox.url}/contacts`);
    const rows = () => textsOf(page.locator('tbody tr'));
    expect((await rows())[0]).toBe('AL Ann Lee ann@example.com 2 4 Mar 2024');
    expect(await rows()).toHaveLength(32);
    await page.getByRole('searchbox').fill('美咲');
    await page.getByRole('searchbox').press('Enter');
    await page.waitForURL(/search=/);
    expect(await rows()).toEqual([
      '佐美 佐藤 美咲 misaki@example.com 1 1 Feb 2024'.replace('1 Feb', '31 Jan'),
    ]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/contacts\/con_/);
    expect(await textOf(page.locator('h1'))).toBe('佐藤 美咲');
    await page.getByRole('link', { name: '返品' }).click();
    expect(await textOf(page.locator('h1'))).toBe('返品した商品の返金について');
    expect(witnessed.errors).toEqual([]);
  });

  it('have a page each, with their tickets newest first and a way to those of one status', async () => {
    const { page } = await browser.page();
    await page.goto(`${desk.sandbox.url}${desk.places.ann}`);
    const subjects = page.locator('a.subject');
    expect(await subjects.allTextContents()).toEqual([
      'The kettle arrived broken',
      'An older question of Ann',
    ]);
    await page.getByRole('link', { name: '1 closed' }).click();
    expect(await subjects.allTextContents()).toEqual(['An older question of Ann']);
    expect(page.url()).toContain('status=closed');
  });

  it('that do not exist are a page that says so', async () => {
    const { page } = await browser.page();
    const response = await page.goto(`${desk.sandbox.url}/contacts/con_000000009999`);
    expect(response?.status()).toBe(404);
    expect(await textOf(page.locator('main'))).toContain('There is no contact con_000000009999');
  });
});
