import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { AGENTS, type Desk, openDesk } from '../support/browser-desk.ts';
import { type Look, textsOf } from '../support/browser-window.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describeInBrowser('how the pages look', (browser) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk({ agents: [...AGENTS, LONG_AGENT] });
    long = await longWords(desk.sandbox);
    noteReview(desk.sandbox);
  });
  let long: { ticket: string };
  afterAll(() => desk?.sandbox.close());

  const places = (): [string, string][] => [
    ['the inbox', '/?tag=imported'],
    ['an empty inbox', '/?search=nowhere'],
    ['a ticket', desk.places.thread],
    ['a ticket without messages', desk.places.bare],
    ['a page that is not there', '/tickets/tkt_1'],
    ['what was not imported', '/left-out'],
    ['rows of long words', '/?sort=oldest&tag=long'],
    ['a ticket of long words', long.ticket],
  ];

  it.each<[string, Look]>([
    ['light', {}],
    ['between phone and desk', { size: { width: 820, height: 1100 } }],
    ['dark, on a phone', { phone: true, dark: true }],
  ])('%s, every page passes the accessibility check', async (_, look) => {
    const { page } = await browser.page(look);
    for (const [name, path] of places()) {
      await page.goto(`${desk.sandbox.url}${path}`);
      expect(await violations(page), name).toEqual([]);
    }
  });

  it('nothing is wider than the window, from small phones to laptops', async () => {
    const { page } = await browser.page();
    for (const [name, path] of places()) {
      await page.goto(`${desk.sandbox.url}${path}`);
      for (const width of [320, 390, 640, 820, 1100, 1440]) {
        await page.setViewportSize({ width, height: 700 });
        const wide = await page.evaluate('document.documentElement.scrollWidth');
        expect(wide, `${name} at ${width}`).toBeLessThanOrEqual(width);
      }
    }
  });

  it.each([
    [false, 88],
    [true, 153],
  ])('the first ticket is near the top (phone: %s)', async (phone, most) => {
    const { page } = await browser.page({ plain: true, phone });
    await page.goto(`${desk.sandbox.url}/`);
    expect((await page.locator('.row').first().boundingBox())?.y).toBeLessThanOrEqual(most);
  });

  it('a thread has customers on the left, agents on the right, notes marked, and events at their time', async () => {
    const { page, witnessed } = await browser.page({ plain: true });
    await page.goto(`${desk.sandbox.url}${desk.places.thread}`);
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

/** What axe finds wrong, of its rules and best practices. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    `axe.run({ exclude: [] }, { iframes: false, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html + ' ' + node.failureSummary).slice(0, 2).join(' | ')))`,
  )) as string[];
  return found;
}

/** What an import notes, of long words too. */
function noteReview({ store }: Desk['sandbox']): void {
  const word = 'W'.repeat(2_000);
  const rows = [{ place: `${word}.csv:7`, fields: [['subject', word] as const, [word, 'x'] as const] }];
  const left = { reason: word, advice: word, place: rows[0]?.place ?? '', ticket_id: null, rows };
  store.review.note(
    (['rejected', 'failed', 'in-doubt'] as const).map((outcome, n) => {
      return { ...left, external_id: `${word}${n}`, outcome, subject: n === 0 ? word : `Left ${n}` };
    }),
  );
}

const LONG_AGENT = { id: 'W'.repeat(500), email: 'long@desk.example', name: 'W'.repeat(500) };

/** Words without an end, in every field that takes one. */
async function longWords(sandbox: Desk['sandbox']): Promise<{ ticket: string }> {
  const word = 'W'.repeat(20_000);
  const email = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example`;
  const contact = { email, name: word };
  const id = await sandbox.create({
    subject: word,
    contact,
    tags: ['long', word.slice(0, 2_000)],
    assignedToId: LONG_AGENT.id,
    managedBy: word.slice(0, 500),
    createdAt: '2010-01-01T00:00:00Z',
  });
  await sandbox.call('PUT', `/tickets/${id}/messages`, [
    {
      actorType: 'customer',
      contact,
      content: `${word} https://x.example/${word}`,
      occurredAt: '2010-01-01T00:00:00Z',
      attachments: [{ url: `https://x.example/${word}`, name: word, contentType: word.slice(0, 200) }],
    },
    { actorType: 'agent', agentId: LONG_AGENT.id, content: `<p>${word}</p>`, contentType: 'html' },
  ]);
  await sandbox.call('PUT', `/tickets/${id}/events`, [
    { type: word.slice(0, 100), oldValue: { a: word }, newValue: { a: word }, actorType: 'system' },
  ]);
  return { ticket: `/tickets/${id}` };
}
