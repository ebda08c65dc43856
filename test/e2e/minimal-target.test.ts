/** A service that has what the specification shows and nothing beyond it: three calls, answers as they please, nothing to be read. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Reply, UnfairWays } from '../support/unfair-target.ts';
import { exportTickets, unfairly } from './unfair/unfair-run.ts';

describe('a service that has the three calls alone', () => {
  it.each<[says: string, by: string, putAnswer: UnfairWays['putAnswer'], read: Reply]>([
    ['nothing', '404', () => ({ status: 204 }), { status: 404, body: { error: 'not_found' } }],
    [
      'an empty object',
      '404 and a page',
      () => ({ status: 200, body: {} }),
      { status: 404, body: '<pre>Cannot GET /tickets</pre>', type: 'text/html' },
    ],
    [
      'the list',
      '405 and a page',
      (_, list) => ({ status: 200, body: list }),
      { status: 405, body: '<html>No.</html>', type: 'text/html' },
    ],
    [
      'success',
      '403',
      () => ({ status: 200, body: { success: true } }),
      { status: 403, body: { error: 'forbidden' } },
    ],
    ['nothing', 'a form of its own', () => ({ status: 204 }), { status: 200, body: { items: [] } }],
  ])(
    'answers a PUT with %s and a read with %s: everything is imported, exit 0, and one sentence says what was not compared',
    async (_, __, putAnswer, read) => {
      const { held, sends, run } = await unfairly({ read: () => read, putAnswer });
      expect(await sends(exportTickets(6))).toMatchObject({
        code: 0,
        tickets: { read: 6, done: 6 },
        problems: [{ code: 'target-unchecked', severity: 'warning' }],
      });
      expect(held().map(({ messages }) => messages.length)).toEqual([2, 2, 2, 2, 2, 2]);
      expect((await run()).code).toBe(0);
      expect(held()).toHaveLength(6);
    },
  );

  it('is shown as not compared on the screen and in the report', async () => {
    const { write, screen, join } = await unfairly({ read: () => 404 });
    write(exportTickets(3));
    const { code, stdout, stderr } = await screen('--report', join('report.html'));
    expect(code, stderr).toBe(0);
    for (const shown of [stdout + stderr, readFileSync(join('report.html'), 'utf8')])
      expect(shown.replace(/\s+/g, ' ')).toMatch(/Could not check for earlier tickets from/);
  });
});
