import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, type Look } from '../../support/browser.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { conversation, dryView, factsWith, pageOf, runView } from '../sample.ts';
import { hostileReport } from './hostile-report.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PARAGRAPH =
  '<p>A sentence that is long enough to be broken into several lines on a phone, and on paper.</p>';
const LONG = `${PARAGRAPH.repeat(6)}<ol><li>one</li><li>two</li></ol><blockquote><p>quoted</p></blockquote>`;

describeInBrowser('the report in a browser', (browser) => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeAll(() => {
    folder = temporaryFolder();
  });
  afterAll(() => folder?.[Symbol.dispose]());

  const open = async (markup: string, look: Look = {}) => {
    const file = folder.join('report.html');
    writeFileSync(file, markup);
    const url = pathToFileURL(file).href;
    const { page, witnessed } = await browser.page(look);
    await page.goto(url);
    return { page, witnessed, url };
  };

  it('hostile texts in every place run nothing, load nothing, and lead nowhere', async () => {
    const texts = hostileTexts('top.hits=(top.hits||0)+1');
    expect(texts.length).toBeGreaterThanOrEqual(60);
    const { page, witnessed, url } = await open(hostileReport(texts));
    const frames = page.frames().slice(1);
    expect(await page.locator('article.ticket').count()).toBe(texts.length);
    expect(frames.length).toBeGreaterThan(50);
    // A frame that is only beginning to load has no address yet.
    await expect.poll(() => [...new Set(frames.map((frame) => frame.url()))]).toEqual(['about:srcdoc']);
    await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    expect(await page.evaluate('window.hits')).toBeUndefined();
    expect(page.url()).toBe(url);
    expect(witnessed.requests.filter((request) => request !== url && request !== 'about:srcdoc')).toEqual([]);
    expect(witnessed.popups).toEqual([]);
  });

  it('the same run if they are not made harmless: the test would see it', async () => {
    const [first, second, third, fourth] = hostileTexts('top.hits=(top.hits||0)+1');
    const { page } = await open(`<!doctype html><title>x</title>${first}${second}${third}${fourth}`);
    await expect.poll(() => page.evaluate('window.hits')).toBe(4);
  });

  it.each<[string, Look]>([
    ['on a desk', {}],
    ['on a phone', { phone: true }],
  ])('%s nothing is wider than the window, and a body is as high as its text', async (_, look) => {
    const messages = [
      {
        actorType: 'customer' as const,
        contentType: 'html' as const,
        content: LONG,
        occurredAt: '2024-01-01T00:00:00.000Z',
        contact: { email: `${'x'.repeat(60)}@${'y'.repeat(60)}.example.com` },
      },
    ];
    const { page } = await open(
      pageOf(dryView({ samples: { conversations: [conversation({ messages })] } })),
      look,
    );
    const { wide, width } = await page.evaluate<{ wide: number; width: number }>(
      '({ wide: document.documentElement.scrollWidth, width: innerWidth })',
    );
    expect(wide).toBe(width);
    const frame = await page.locator('iframe').boundingBox();
    const body = await page.frames()[1]?.locator('body').boundingBox();
    expect(body?.height).toBeGreaterThan(300);
    expect(Math.abs((frame?.height ?? 0) - (body?.height ?? 0))).toBeLessThan(30);
  });

  it('on paper a body is shown whole, as text', async () => {
    const { page } = await open(pageOf(dryView()));
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('iframe').first().isVisible()).toBe(false);
    expect(await page.locator('.below').first().isVisible()).toBe(true);
    expect(await page.locator('nav').isVisible()).toBe(false);
  });

  it.each([
    ['a dry run', dryView()],
    ['a run', runView()],
    [
      'one with much to say',
      dryView({
        facts: {
          export: {
            ...factsWith().export,
            files: Array.from({ length: 20 }, (_, at) => `exports/${'x'.repeat(80)}-${at}.csv`),
          },
          stopped: { message: 'It stopped. '.repeat(60), hint: 'Look there. '.repeat(60) },
        },
      }),
    ],
  ])('of %s, the decision is one page of A4', async (_, data) => {
    const { page } = await open(pageOf(data));
    await page.emulateMedia({ media: 'print' });
    // A4 without its margins, at 96 dots an inch.
    await page.setViewportSize({ width: 680, height: 1000 });
    const box = await page.locator('.decision').boundingBox();
    expect(box?.height).toBeGreaterThan(300);
    expect(box?.height).toBeLessThanOrEqual(1009);
  });

  it.each<[string, string, Look]>([
    ['a dry run, light', pageOf(dryView()), {}],
    ['a dry run, dark, on a phone', pageOf(dryView()), { dark: true, phone: true }],
    ['a run, dark', pageOf(runView()), { dark: true }],
  ])('%s passes the accessibility check', async (_, markup, look) => {
    const { page, witnessed } = await open(markup, look);
    expect(await violations(page)).toEqual([]);
    expect(witnessed.errors).toEqual([]);
  });
});

/** The check cannot look into a frame without scripts; what is in it is text on the colours of the page. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const run = "axe.run(document, { iframes: false, resultTypes: ['violations'] })";
  const { violations: found } = await page.evaluate<{
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  }>(run);
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ''}`);
}
