/** What a reader of the sandbox needs first, in a browser that runs no script. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { type Desk, openDesk } from '../support/browser-desk.ts';
import { textOf, textsOf } from '../support/browser-window.ts';

describeInBrowser('the sandbox in a browser', (browser) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.sandbox.close());

  const open = async (path: string, phone = false) => {
    const { page, witnessed } = await browser.page({ plain: true, phone });
    await page.goto(`${desk.sandbox.url}${path}`);
    return { page, witnessed, subjects: () => page.locator('.row > a').allTextContents() };
  };

  it('the inbox shows the newest tickets first, with customer, excerpt, status, tags and assignee, and requests nothing else', async () => {
    const { page, witnessed, subjects } = await open('/');
    expect((await subjects()).slice(0, 3)).toEqual([
      'The kettle arrived broken',
      'An older question of Ann',
      'Nothing in it',
    ]);
    const shown = await textOf(page.locator('.row').first());
    for (const part of [
      'Ann Lee',
      'Hello, my kettle is broken',
      'open',
      'urgent',
      'damage',
      '2024-03-04',
      'Kim Park',
    ])
      expect(shown).toContain(part);
    expect(shown).not.toContain('imported');
    expect(witnessed.errors).toEqual([]);
    expect(witnessed.requests).toEqual([`${desk.sandbox.url}/`]);
  });

  it.each([
    [false, 88],
    [true, 153],
  ])('the first ticket is near the top (phone: %s)', async (phone, most) => {
    const { page } = await open('/', phone);
    expect((await page.locator('.row').first().boundingBox())?.y).toBeLessThanOrEqual(most);
  });

  it('the inbox is filtered by status, tag and assignee at once, searched, and read page by page', async () => {
    const { page, subjects } = await open('/');
    await page.getByRole('link', { name: 'Closed' }).click();
    expect(await subjects()).toHaveLength(29);
    await page.getByText('Filter').click();
    await page.getByLabel('Tag').fill('billing');
    await page.getByLabel('Assigned to').fill('leo');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await subjects()).toHaveLength(10);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('searchbox').fill('商品');
    await page.getByRole('searchbox').press('Enter');
    expect(await subjects()).toEqual(['返品した商品の返金について']);
    await page.goto(`${desk.sandbox.url}/?sort=oldest`);
    expect((await subjects())[0]).toBe('Question number 0');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/page=2/);
    expect(await textOf(page.locator('.pager'))).toContain('Page 2 of 3');
  });

  it('a thread has customers on the left, agents on the right, notes marked, and events at their time', async () => {
    const { page, witnessed } = await open(desk.places.thread);
    const boxes = await page.locator('.bubble').evaluateAll((bubbles) =>
      bubbles.map((bubble) => {
        const { left, right } = bubble.getBoundingClientRect();
        return { left, right, className: bubble.parentElement?.className ?? '' };
      }),
    );
    const [customer, note, agent] = boxes;
    expect(boxes.map(({ className }) => className.replace(' wide', ''))).toEqual([
      'message customer',
      'message agent internal',
      'message agent',
      'message system',
      'message customer',
    ]);
    expect(customer!.right).toBeLessThan(note!.right);
    expect(note!.right).toBeCloseTo(agent!.right, 0);
    const lines = await textsOf(page.locator('.thread > li'));
    expect(lines[1]).toContain('Internal note, not visible to the customer Kim Park');
    expect(lines[4]).toContain('Kim Park changed the status open → pending');
    expect(witnessed.errors).toEqual([]);
    expect(witnessed.requests.filter((request) => request !== 'about:srcdoc')).toEqual([page.url()]);
  });
});
