import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { type Desk, openDesk } from '../support/browser-desk.ts';
import { textOf } from '../support/browser-window.ts';

describeInBrowser('the inbox in a browser', (browser) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.sandbox.close());

  const open = async (path = '/', look = {}) => {
    const { page, witnessed } = await browser.page(look);
    await page.goto(`${desk.sandbox.url}${path}`);
    const subjects = () => page.locator('a.subject').allTextContents();
    return { page, witnessed, subjects };
  };

  it('filters by status, tag, assignee and contact, all at once, and clears them', async () => {
    const { page, subjects } = await open();
    await page.getByRole('link', { name: 'Closed' }).click();
    expect(await subjects()).toHaveLength(29);
    // With the pointer a choice applies at once; selectOption alone is neither pointer nor key.
    await page.getByRole('heading', { name: 'Inbox' }).click();
    await page.getByLabel('tag', { exact: true }).selectOption('billing');
    await page.waitForURL(/tag=billing/);
    expect(await subjects()).toHaveLength(28);
    // With the keyboard it waits for Enter: a menu changes at every step through it.
    await page.getByLabel('assignee').press('ArrowDown');
    await page.getByLabel('assignee').selectOption('agt_leo');
    expect(page.url()).not.toContain('agt_leo');
    await page.getByLabel('assignee').press('Enter');
    await page.waitForURL(/assignee=agt_leo/);
    expect(await subjects()).toHaveLength(10);
    expect(page.url()).toContain('status=closed');
    expect(page.url()).not.toContain('search');
    await page.getByText('Clear filters').click();
    expect(await subjects()).toHaveLength(50);
  });

  it('leads from a tag in a row to all tickets with it', async () => {
    const { page, subjects } = await open();
    await page.locator('.ticket a.tag', { hasText: 'damage' }).click();
    expect(await subjects()).toEqual(['The kettle arrived broken']);
    expect(page.url()).toBe(`${desk.sandbox.url}/?tag=damage`);
  });

  it('filters tickets without assignee, and sorts by the oldest', async () => {
    const { page, subjects } = await open('/?sort=oldest');
    expect((await subjects())[0]).toBe('Question number 0');
    await page.getByLabel('assignee').selectOption('(unassigned)');
    await page.getByLabel('assignee').press('Enter');
    await page.waitForURL(/assignee=/);
    expect((await subjects())[0]).toBe('Question number 1');
  });

  it('searches subjects and contacts, parts of Japanese words too, and says when nothing is found', async () => {
    const { page, subjects } = await open();
    for (const [text, found] of [
      ['kettle', ['The kettle arrived broken']],
      ['商品', ['返品した商品の返金について']],
      ['ann lee', ['The kettle arrived broken', 'An older question of Ann']],
    ] as const) {
      await page.getByRole('searchbox').fill(text);
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(`**/?search=${encodeURIComponent(text).replace('%20', '+')}`);
      expect(await subjects()).toEqual(found);
    }
    await page.goto(`${desk.sandbox.url}/?search=nowhere&status=open`);
    expect(await textOf(page.locator('main'))).toContain('No ticket matches');
    await page.getByText('Look in all statuses').click();
    expect(page.url()).toBe(`${desk.sandbox.url}/?search=nowhere`);
  });

  it('goes through its pages', async () => {
    const { page, subjects } = await open();
    await page.getByRole('link', { name: 'Next' }).click();
    expect(await textOf(page.locator('main'))).toContain('Page 2 of 3');
    await page.keyboard.press('n');
    await page.waitForURL(/page=3/);
    expect((await subjects()).at(-1)).toBe('Question number 0');
    await page.keyboard.press('p');
    await page.waitForURL(/page=2/);
  });

  it('offers no tag that tells one ticket from all others, and shows the first ticket on a phone', async () => {
    await desk.sandbox.create({
      subject: 'Imported',
      tags: ['zendesk-77', 'from-zendesk', 'run-20240101-000000', 'topic'],
      createdAt: '2022-01-01T00:00:00Z',
    });
    const { page } = await open('/', { size: { width: 390, height: 800 } });
    const tags = (await page.getByLabel('tag', { exact: true }).locator('option').allTextContents()).join();
    expect(tags).toContain('topic');
    expect(tags).not.toMatch(/zendesk|run-/);
    const bottom = await page
      .locator('.ticket')
      .first()
      .evaluate((row) => row.getBoundingClientRect().bottom);
    expect(bottom).toBeLessThan(500);
  });

  it('keeps its filter for the way back from a ticket', async () => {
    const { page } = await open('/?status=closed&tag=imported');
    await page.locator('a.subject').nth(2).click();
    await page.getByRole('link', { name: 'Inbox' }).last().click();
    expect(page.url()).toBe(`${desk.sandbox.url}/?status=closed&tag=imported`);
  });

  it('works without scripts: filters have a button, times are in UTC', async () => {
    const { page, subjects } = await open('/', { plain: true });
    await page.getByLabel('tag', { exact: true }).selectOption('shipping');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await subjects()).toHaveLength(50);
    await page.goto(`${desk.sandbox.url}${desk.places.thread}`);
    expect(await textOf(page.locator('.message time').first())).toBe('4 Mar 2024, 22:15');
  });
});
