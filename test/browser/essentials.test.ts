/** What a reader of the sandbox needs first: the inbox, its keys, and a thread. Everything else is in the long tests. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { type Desk, openDesk } from '../support/browser-desk.ts';
import { loadFrames, textOf, textsOf } from '../support/browser-window.ts';

describeInBrowser('the sandbox in a browser', (browser) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.sandbox.close());

  const open = async (path: string) => {
    const { page, witnessed } = await browser.page();
    await page.goto(`${desk.sandbox.url}${path}`);
    return { page, witnessed };
  };

  it('the inbox shows the newest tickets first, with requester, excerpt, status, tags and assignee, and requests nothing else', async () => {
    const { page, witnessed } = await open('/');
    const subjects = await page.locator('a.subject').allTextContents();
    expect(subjects.slice(0, 3)).toEqual([
      'The kettle arrived broken',
      'An older question of Ann',
      'Nothing in it',
    ]);
    const first = page.locator('.ticket').first();
    const shown = await textOf(first);
    for (const part of [
      'Ann Lee',
      'Hello, my kettle is broken',
      'open',
      'urgent',
      'damage',
      'returns',
      '4 Mar 2024',
    ])
      expect(shown).toContain(part);
    expect(shown).not.toContain('imported');
    expect(await first.getByTitle('Assigned to Kim Park').count()).toBe(1);
    expect(witnessed.errors).toEqual([]);
    expect(witnessed.requests).toEqual([`${desk.sandbox.url}/`]);
  });

  it('the inbox is read by keyboard: down, up, open, next ticket, back, search, keys', async () => {
    const { page } = await open('/');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await focused()).toBe('An older question of Ann');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tickets\//);
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Nothing in it' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'An older question of Ann' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'The kettle arrived broken' }).waitFor();
    await page.keyboard.press('k');
    expect(await page.locator('h1').textContent()).toBe('The kettle arrived broken');
    await page.keyboard.press('u');
    await page.waitForURL(`${desk.sandbox.url}/`);
    expect(await focused()).toBe('The kettle arrived broken');
    await page.keyboard.press('/');
    await page.keyboard.type('j?k');
    expect(await page.getByRole('searchbox').inputValue()).toBe('j?k');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await textOf(page.getByRole('dialog'))).toContain('next and previous ticket');
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('a thread has customers on the left, agents on the right, notes marked, and events at their time', async () => {
    const { page, witnessed } = await open(desk.places.thread);
    const boxes = await page.locator('.bubble').evaluateAll((bubbles) =>
      bubbles.map((bubble) => {
        const { left, right } = bubble.getBoundingClientRect();
        return { left, right, className: bubble.parentElement?.className ?? '' };
      }),
    );
    const [customer, note, agent, system] = boxes;
    expect(boxes.map(({ className }) => className.replace(' wide', ''))).toEqual([
      'message customer',
      'message agent internal',
      'message agent',
      'message system',
      'message customer',
    ]);
    expect(customer!.left).toBeLessThan(agent!.left);
    expect(agent!.right).toBeGreaterThan(customer!.right);
    expect(note!.right).toBeCloseTo(agent!.right, 0);
    expect(system!.left).toBeGreaterThan(customer!.left);
    const lines = await textsOf(page.locator('.thread > li'));
    expect(lines[1]).toContain('Internal note, not visible to the customer Kim Park');
    expect(lines[4]).toContain('Kim Park changed the status open → to pending');
    expect(lines[5]).toBe('7 days later');
    expect(lines.at(-1)).toContain('System agent assigned Leo Brandt → to Kim Park');
    expect(witnessed.errors).toEqual([]);
    expect(witnessed.requests.filter((request) => !request.endsWith('/body'))).toEqual([page.url()]);
  });

  it('a thread gives every formatted body a frame as tall as the body, also when the window changes', async () => {
    const { page } = await open(desk.places.thread);
    expect(await loadFrames(page)).toBe(3);
    const heights = await sizes(page);
    expect(heights).toHaveLength(3);
    for (const { frame, body } of heights) expect(Math.abs(frame - body)).toBeLessThan(2);
    expect(Math.max(...heights.map(({ frame }) => frame))).toBeGreaterThan(900);
    await page.setViewportSize({ width: 400, height: 800 });
    await expect
      .poll(async () => Math.max(...(await sizes(page)).map(({ frame, body }) => Math.abs(frame - body))))
      .toBeLessThan(2);
  });
});

interface Framed {
  contentDocument?: { body: { getBoundingClientRect(): { height: number } } };
}

function sizes(page: Page): Promise<{ frame: number; body: number }[]> {
  return page.locator('iframe').evaluateAll((frames) =>
    frames.map((frame) => ({
      frame: frame.getBoundingClientRect().height,
      body: (frame as unknown as Framed).contentDocument?.body.getBoundingClientRect().height ?? -1,
    })),
  );
}
