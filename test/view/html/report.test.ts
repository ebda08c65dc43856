import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/domain/problem.ts';
import type { View } from '../../../src/view/run-view.ts';
import {
  conversation,
  dryView,
  factsWith,
  NOTHING_LOST,
  pageOf,
  runView,
  snapshotOf,
  tagsOf,
  textOf,
  trialView,
  unescaped,
} from '../sample.ts';

const clean = { ...NOTHING_LOST, tickets: { read: 3, pending: 3 }, problems: snapshotOf([]) };
const checkpointView = runView({ facts: { mode: 'checkpoint' }, samples: undefined, next: [] });
const open = {
  failed: [
    {
      ...{ externalId: '98', outcome: 'failed' as const, code: 'refused', status: 422 },
      reason: 'contact.email is not accepted',
    },
  ],
  inDoubt: [
    {
      ...{ externalId: '99', tag: 'zendesk-99', sentAt: '2025-06-01T08:00:00.000Z' },
      reason: 'The connection was closed before an answer came.',
    },
  ],
};
const halfDone = {
  read: 12_430,
  done: 12_000,
  rejected: 41,
  skipped: 200,
  failed: 1,
  inDoubt: 3,
  pending: 185,
};
const decision = ['outcome', 'lost', 'next'];
const content = ['mapping', 'tickets'];

const KINDS: readonly [string, View, readonly string[]][] = [
  [
    'a dry run',
    dryView(),
    [...decision, 'errors', 'warnings', 'agents', 'loss', ...content, 'conversations'],
  ],
  ['a dry run without a flaw', dryView({ facts: clean }), [...decision, ...content, 'conversations']],
  [
    'a run with tickets left open',
    runView({ facts: { tickets: halfDone, ...open } }),
    [...decision, 'in-doubt', 'failed', 'agents', 'loss', ...content, 'runs', 'conversations'],
  ],
  ['a run', runView(), [...decision, 'agents', 'loss', ...content, 'runs', 'conversations']],
  ['a trial', trialView([true, false]), [...decision, 'conversations', 'agents', 'loss', ...content, 'runs']],
  ['a checkpoint alone', checkpointView, ['outcome', 'lost', 'agents', 'loss', 'mapping', 'tickets', 'runs']],
];

describe.each(KINDS)('the report of %s', (_, data, expected) => {
  const page = pageOf(data);
  const tags = tagsOf(page);

  it('has these sections in this order, and all of them in its contents', () => {
    const ids = tags.filter(({ name }) => name === 'section').map(({ attributes }) => attributes['id']);
    expect(ids).toEqual(expected);
    const nav = /<nav[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '';
    expect(tagsOf(nav).flatMap(({ attributes }) => attributes['href'] ?? [])).toEqual(
      expected.map((id) => `#${id}`),
    );
  });

  it('every link within it leads somewhere, and no id is used twice', () => {
    const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const links = tags
      .flatMap(({ attributes }) => attributes['href'] ?? [])
      .filter((to) => to.startsWith('#'));
    expect(links.filter((to) => !ids.includes(to.slice(1)))).toEqual([]);
  });

  it('asks nothing of anybody and runs nothing', () => {
    const forbidden = new Set(['script', 'object', 'embed', 'form', 'base', 'img', 'video', 'audio']);
    expect(tags.filter(({ name }) => forbidden.has(name))).toEqual([]);
    const keys = new Set(tags.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys].filter((key) => /^(on|style|src$|background|ping)/.test(key))).toEqual([]);
    expect(tags.filter(({ name }) => name === 'link').map(({ attributes }) => attributes['href'])).toEqual([
      'data:,',
    ]);
    expect(page).not.toMatch(/@import|url\(/);
  });

  it('its policy allows its own styles by their digests, and nothing else', () => {
    const policy = tags.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
    const content = policy?.attributes['content'] ?? '';
    expect(content).toMatch(/^default-src 'none'; style-src /);
    const styles = [...unescaped(page).matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, style = '']) => style,
    );
    expect(styles.length).toBeGreaterThan(0);
    for (const style of styles) expect(content).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
  });
});

describe('what the report says', () => {
  const text = textOf(pageOf(dryView()));
  it('a dry run names the ready tickets, the time and the rejected ones', () => {
    expect(text).toContain('12,189 of 12,230 tickets are ready to import.');
    expect(text).toMatch(/time\s+about 33 min/);
    expect(text).toContain('Left out: 180 exclude rule "spam", 20 created before --since.');
    expect(text).toContain('41 rejected tickets, until corrected');
  });

  it('a conversation shows who wrote what and when, notes as notes, and history between', () => {
    const page = pageOf(dryView());
    expect(text).toContain('Where is my order?');
    expect(text).toMatch(/Ana Ruiz.{1,40}customer\s+2024-03-05 10:00 UTC\s+It should have come on Monday\./);
    expect(text).toMatch(
      /Internal note, not visible to the customer\s+agt_02\s+agent\s+2024-03-05 12:00 UTC/,
    );
    expect(text).toMatch(/agent\s+changed the status\s+open\s+→\s+closed\s+2024-03-06 10:00 UTC/);
    expect(text).toContain('label.pdf 1.2 kB');
    expect(tagsOf(page).filter(({ name }) => name === 'iframe')).toHaveLength(2);
  });

  it('a trial shows failed checks openly, and passed ones by their number', () => {
    const data = trialView([true, false]);
    const shown = textOf(pageOf(data));
    expect(shown).toMatch(/failed:\s+message order\s+Swapped\./);
    expect(shown).toContain('1 check passed');
    expect(textOf(pageOf({ ...data, samples: undefined }))).toContain('Ticket 4711');
  });

  it('conversations beyond the size of a mail are left out', () => {
    const many = Array.from({ length: 50 }, () => conversation());
    const page = pageOf(dryView({ samples: { conversations: many } }), { mostBytes: 20_000 });
    const shown = page.match(/<article class="ticket">/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(1);
    expect(shown).toBeLessThan(20);
  });
});

describe('size', () => {
  it('the report of a million tickets with everything wrong is still a page of 400 kB at most', () => {
    const long = 'x'.repeat(50_000);
    const many = <T>(count: number, make: (index: number) => T) =>
      Array.from({ length: count }, (_, i) => make(i));
    const problem = (index: number): Problem => ({
      severity: 'error',
      code: `code-${index}`,
      ticket: long,
      file: long,
      line: index,
      field: long,
      message: long,
      count: 1_000_000,
    });
    const big = conversation({
      messages: many(1000, (index) => ({
        actorType: 'agent' as const,
        agentId: long,
        contentType: 'html' as const,
        content: `<p>${'<b>&amp;</b>'.repeat(10_000)}</p>`,
        occurredAt: new Date(index).toISOString(),
        attachments: many(100, () => ({ url: `https://x.example/${long}`, name: long })),
      })),
    });
    const lost = many(1000, () => ({
      ...{ what: long, agent: long, author: long, count: 1 },
      ...{ how: 'none' as const, messages: 1, events: 0, assigned: 0 },
    }));
    const mapping = many(1000, (n) => ({ kind: 'status' as const, from: `${n}${long}`, to: long, count: 1 }));
    const months = many(120_000, (n) => {
      const year = String(Math.floor(n / 12)).padStart(4, '0');
      return { month: `${year}-${String((n % 12) + 1).padStart(2, '0')}`, count: 8, byStatus: { open: 8 } };
    });
    const page = pageOf(
      dryView({
        facts: {
          tickets: { read: 2_000_000, rejected: 1_000_000, failed: 500_000, inDoubt: 500_000 },
          export: { ...factsWith().export, channels: [], months },
          problems: {
            rows: many(100, problem),
            total: 1e8,
            groups: many(100, (n) => ({ ...problem(n), example: problem(n) })),
          },
          inDoubt: many(60, () => ({ externalId: long, tag: long, reason: long })),
          failed: many(60, () => ({
            ...{ externalId: long, outcome: 'failed' as const, code: 'refused', reason: long },
          })),
          mapping,
          people: { agents: lost, later: 0 },
          details: {
            columns: many(2000, () => ({ table: 't', column: long, file: long, filled: 1 })),
            values: many(1000, () => ({ field: 'status', value: long, count: 1, action: 'error' })),
            authors: lost,
            // one line a kind, and kinds are rules of the mapping
            notHeld: lost.slice(0, 30).map((one) => ({ code: 'files', ...one })),
          },
        },
        samples: { conversations: many(10, () => big) },
      }),
    );
    expect(page.length).toBeGreaterThan(50_000);
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(400_000);
  });
});
