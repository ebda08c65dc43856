import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyDocument } from '../../src/sandbox/pages/message-body.ts';
import { sanitizedBody } from '../../src/view/conversation/sanitize-body.ts';
import { describeInBrowser } from '../support/browser.ts';
import { AGENTS, type Desk, openDesk } from '../support/browser-desk.ts';
import { type Look, loadFrames } from '../support/browser-window.ts';

const fromHtml = (content: string) => sanitizedBody(content, 'html', 'page');
const fromMarkdown = (content: string) => sanitizedBody(content, 'markdown', 'page');

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

  const open = async (path: string, look: Look = {}) => {
    const { page, witnessed } = await browser.page(look);
    await page.goto(`${desk.sandbox.url}${path}`);
    return { page, witnessed };
  };
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
      // In a list a row is chosen, which has colours of its own; from a ticket the key would lead on.
      if (!path.startsWith('/tickets/')) await page.keyboard.press('j');
      expect(await violations(page), name).toEqual([]);
    }
    await page.keyboard.press('?');
    expect(await violations(page), 'the keys').toEqual([]);
  });

  it.each([false, true])('bodies in their frames pass it too (dark: %s)', async (dark) => {
    const { page } = await browser.page({ dark });
    const bodies = [
      fromHtml(
        '<h1>Hi</h1><p>a <a href="https://x.example">link</a></p><blockquote>old</blockquote><table><tr><td>1</td></tr></table><img src="https://x.example/p" alt="P">',
      ),
      fromMarkdown('# Hi\n\n> quoted\n\n`code`\n\n```\nblock\n```\n\n- one'),
    ];
    for (const body of bodies) {
      // The frame has no colour of its own: the bubble's shines through.
      const bubble = dark ? '#1b2540' : '#eaf0fd';
      await page.setContent(
        bodyDocument(body).replace('<meta', `<style>html:root{background:${bubble}}</style><meta`),
      );
      // A frame is a part of a page that has its own headings and landmarks.
      expect(
        await violations(page, ['region', 'page-has-heading-one', 'landmark-one-main', 'heading-order']),
      ).toEqual([]);
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

  it('on a phone the filters, the statuses and the thread are all within reach of a thumb', async () => {
    const { page } = await open('/', { phone: true, dark: true });
    await page.getByRole('link', { name: 'Open', exact: false }).first().tap();
    await page.waitForURL(/status=open/);
    await page.locator('a.subject').first().tap();
    await page.waitForURL(/\/tickets\//);
    const bubble = await page.locator('.bubble').first().boundingBox();
    expect(bubble?.width).toBeGreaterThan(330);
    // The facts come behind the thread, not before it.
    const [thread, facts] = await Promise.all(
      ['.thread', '.facts'].map((part) => page.locator(part).boundingBox()),
    );
    expect(facts!.y).toBeGreaterThan(thread!.y + thread!.height - 1);
  });

  it('light and dark follow the system, in frames too', async () => {
    const colours = async (dark: boolean) => {
      const { page } = await open(desk.places.thread, { dark });
      expect(await loadFrames(page)).toBe(3);
      const script = `(() => {
        const style = (element, name) => getComputedStyle(element)[name];
        const frame = document.querySelector('iframe');
        return [style(document.body, 'backgroundColor'), style(document.body, 'color'),
          style(frame.contentDocument.body, 'color'), style(frame.contentDocument.documentElement, 'backgroundColor')];
      })()`;
      return (await page.evaluate(script)) as string[];
    };
    const brightness = (colour: string) => Math.max(...(colour.match(/\d+/g) ?? []).slice(0, 3).map(Number));
    const [light, dark] = [await colours(false), await colours(true)];
    expect(light.slice(0, 3).map((colour) => brightness(colour) > 128)).toEqual([true, false, false]);
    expect(dark.slice(0, 3).map((colour) => brightness(colour) > 128)).toEqual([false, true, true]);
    expect([light[3], dark[3]]).toEqual(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)']);
  });
});

/** What axe finds wrong, of its rules and best practices; `aside` are rules that the place does not follow. */
async function violations(page: Page, aside: readonly string[] = []): Promise<string[]> {
  await page.evaluate(AXE);
  const rules = JSON.stringify(Object.fromEntries(aside.map((rule) => [rule, { enabled: false }])));
  const found = (await page.evaluate(
    `axe.run({ exclude: [] }, { iframes: false, resultTypes: ['violations'], rules: ${rules} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html + ' ' + node.failureSummary).slice(0, 2).join(' | ')))`,
  )) as string[];
  return found;
}

/** What an import notes, of long words too. */
function noteReview({ store }: Desk['sandbox']): void {
  const word = 'W'.repeat(2_000);
  const rows = [{ place: `${word}.csv:7`, fields: [['subject', word] as const, [word, 'x'] as const] }];
  const left = { reason: word, place: rows[0]?.place ?? '', ticket_id: null, rows };
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
