import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { look } from '../sandbox/running-sandbox.ts';
import { describeInBrowser } from '../support/browser.ts';
import { type Desk, openDesk } from '../support/browser-desk.ts';
import { type Look, loadFrames, textOf, textsOf } from '../support/browser-window.ts';

describeInBrowser('a ticket in a browser', (browser) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.sandbox.close());

  const open = async (look: Look = {}, path = desk.places.thread) => {
    const { page, witnessed } = await browser.page(look);
    await page.goto(`${desk.sandbox.url}${path}`);
    return { page, witnessed };
  };

  it.each([
    ['America/New_York', '4 Mar 2024, 17:15', '5 Mar 2024, 04:00'],
    ['Asia/Tokyo', '5 Mar 2024, 07:15', '5 Mar 2024, 18:00'],
  ])('tells original times in %s, and names the zone once', async (timeZone, first, third) => {
    const { page } = await open({ timeZone });
    const times = await textsOf(page.locator('.message time'));
    expect([times[0], times[2]]).toEqual([first, third]);
    expect(await page.locator('.message time').first().getAttribute('title')).toContain(
      '2024-03-04T22:15:00.000Z',
    );
    expect(await page.locator('[data-zone]').count()).toBe(1);
    expect(await textOf(page.locator('[data-zone]'))).toBe(timeZone);
  });

  it('shows html and markdown formatted, own pictures, and a word in the place of foreign ones', async () => {
    const { page, witnessed } = await open();
    expect(await loadFrames(page)).toBe(3);
    const [note, html, markdown] = bodyFrames(page);
    expect(await textOf(note!.locator('strong'))).toBe('this week');
    expect(await textOf(html!.locator('b'))).toBe('Ann');
    expect(await html!.locator('tr').count()).toBe(40);
    expect(
      await html!.locator('img').evaluate((image) => (image as { naturalWidth?: number }).naturalWidth),
    ).toBe(1);
    expect(await textOf(html!.locator('samp'))).toBe('Logo (picture on pixel.example.com, not loaded)');
    expect(await markdown!.locator('h1, li, pre').allInnerTexts()).toEqual([
      'Thanks',
      'one',
      'two',
      'code\n',
    ]);
    expect(othersThanBodies(witnessed.requests)).toEqual([page.url()]);
  });

  it('opens links in text and in frames as tabs of their own that know nothing of the page', async () => {
    const { page } = await open();
    await page.context().route(/example\.com/, (route) => route.fulfill({ body: 'elsewhere' }));
    expect(await loadFrames(page)).toBe(3);
    for (const link of [
      page.locator('.text a'),
      bodyFrames(page)[1]!.locator('a'),
      page.locator('.files a').first(),
    ]) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
      await tab.waitForLoadState();
      expect(tab.url()).toBe(await link.getAttribute('href'));
      expect(await tab.evaluate('[window.opener, document.referrer]')).toEqual([null, '']);
      await tab.close();
    }
    expect(page.url()).toBe(`${desk.sandbox.url}${desk.places.thread}`);
  });

  it('names attachments with their kind and size', async () => {
    const { page } = await open();
    const files = await textsOf(page.locator('.files li'));
    expect(files).toEqual(['JPG kettle.jpg image/jpeg · 810 kB', 'PDF 領.pdf application/pdf']);
  });

  it('shows every field and the contact, and leads to all tickets of the contact', async () => {
    const { page } = await open();
    const facts = await textOf(page.locator('.facts'));
    for (const part of ['Ann Lee', 'ann@example.com', 'urgent', 'Kim Park', 'imported', 'damage', 'old-desk'])
      expect(facts).toContain(part);
    await page.getByText('All tickets of the contact').click();
    expect(await page.locator('a.subject').count()).toBe(2);
  });

  it('gives out a formatted message as it was sent, as text that a browser shows as text', async () => {
    const { page } = await open();
    const href = await page.locator('a.source').nth(1).getAttribute('href');
    const response = await page.goto(`${desk.sandbox.url}${href}`);
    expect(response?.headers()['content-type']).toBe('text/plain; charset=utf-8');
    expect(await response?.text()).toMatch(/^<p>Dear <b>Ann<\/b>/);
    expect(await page.locator('b').count()).toBe(0);
    const other = `${desk.sandbox.url}${desk.places.bare}/messages/${href?.split('/').at(-1)}`;
    expect((await page.goto(other))?.status()).toBe(404);
  });

  it('shows a thread of a thousand HTML messages at once, with frames for the visible ones alone', async () => {
    const id = await desk.sandbox.create({ subject: 'Thousand' });
    const messages = Array.from({ length: 1000 }, (_, n) => ({
      actorType: 'system',
      content: `<p>Message <b>${n}</b></p>${'<p>More of it.</p>'.repeat(20)}`,
      contentType: 'html',
    }));
    await desk.sandbox.call('PUT', `/tickets/${id}/messages`, messages);
    const { page } = await open({}, `/tickets/${id}`);
    await page.locator('[data-fitted]').first().waitFor();
    expect(await page.locator('.framed').count()).toBe(200);
    expect(await page.locator('iframe').count()).toBeLessThan(20);
    expect(await textOf(bodyFrames(page)[0]!.locator('b'))).toBe('0');
    await page.locator('.framed').last().scrollIntoViewIfNeeded();
    await page.locator('.framed').last().locator('[data-fitted]').waitFor();
    expect(await page.locator('iframe').count()).toBeLessThan(40);
  });

  it('without scripts has its bodies too', async () => {
    const { page } = await open({ plain: true });
    const bodies = page.frameLocator('iframe >> nth=0');
    expect(await textOf(bodies.locator('strong'))).toBe('this week');
  });

  it('cuts a body of megabytes, and leads to the whole of it', async () => {
    const id = await desk.sandbox.create({ subject: 'Long' });
    const content = `${'0123456789'.repeat(300_000)} the end`;
    await desk.sandbox.call('PUT', `/tickets/${id}/messages`, [{ actorType: 'system', content }]);
    const { page } = await open({}, `/tickets/${id}`);
    expect(await textOf(page.locator('.cut'))).toContain('The first 100,000 of 3,000,008 characters');
    const href = await page.getByText('The whole message').getAttribute('href');
    expect(await (await look(`${desk.sandbox.url}${href}`)).text()).toBe(content);
  });
});

function othersThanBodies(requests: readonly string[]): string[] {
  return requests.filter((request) => !request.endsWith('/body'));
}

function bodyFrames(page: Page): Frame[] {
  return page.frames().filter((frame) => frame !== page.mainFrame());
}
