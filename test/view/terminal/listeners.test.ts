import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../../src/domain/ports.ts';
import { createPlainLines, createProgressBar, createScreen } from '../../../src/view/terminal/screen.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createSink, screenOf, testStyle } from './sink.ts';

const BUDGETS = [{ requests: 1000, seconds: 60 }];
const ticket: RunEvent = { type: 'ticket', externalId: 'x', outcome: 'done' };
const request: RunEvent = {
  type: 'request',
  method: 'POST',
  path: '/tickets',
  status: 201,
  milliseconds: 84,
  attempt: 1,
};

describe('plain lines', () => {
  const open = () => {
    const clock = createFakeClock();
    const stream = createSink(false);
    const lines = createPlainLines({ stream, style: testStyle(100), clock, budgets: BUDGETS });
    return { clock, stream, lines };
  };

  it('tell a run in few lines without control characters', async () => {
    const { clock, stream, lines } = open();
    lines.emit({ type: 'stage', stage: 'checking' });
    lines.emit({ type: 'note', message: 'The layout is native.' });
    lines.emit({ type: 'start-import', tickets: 300, alreadyDone: 100, requests: 900 });
    for (let second = 0; second < 30; second++) {
      for (let n = 0; n < 10; n++) {
        lines.emit(request);
        lines.emit(ticket);
      }
      await clock.advance(1000);
    }
    lines.emit({ type: 'waiting', reason: 'retry-after', untilMs: clock.now() + 30_000 });
    lines.close();
    expect(stream.text()).toMatchInlineSnapshot(`
      "[2025-06-02T08:00:00Z] checking
      [2025-06-02T08:00:00Z] The layout is native.
      [2025-06-02T08:00:00Z] importing: 300 tickets in 900 requests, 100 done before
      [2025-06-02T08:00:10Z] importing: 50%, 200 of 400 tickets, 36 s left, 10/s
      [2025-06-02T08:00:20Z] importing: 75%, 300 of 400 tickets, 18 s left, 10/s
      [2025-06-02T08:00:30Z] importing: 100%, 400 of 400 tickets, 10/s
      [2025-06-02T08:00:30Z] waits 30 s, as the server asks
      "
    `);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
    expect(stream.text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it('while nothing happens there is a line a minute, and every few seconds while something does', async () => {
    const { clock, stream, lines } = open();
    lines.emit({ type: 'start-import', tickets: 10, alreadyDone: 0, requests: 10 });
    const count = () => stream.text().trim().split('\n').length;
    const before = count();
    await clock.advance(50_000);
    expect(count()).toBe(before);
    await clock.advance(15_000);
    expect(count()).toBe(before + 1);
    for (let n = 0; n < 6; n++) {
      lines.emit(ticket);
      await clock.advance(10_000);
    }
    expect(count()).toBeGreaterThanOrEqual(before + 5);
    lines.close();
  });

  it('a repeated wait is one line, and the rate budget has no line', () => {
    const { clock, stream, lines } = open();
    lines.emit({ type: 'start-import', tickets: 10, alreadyDone: 0, requests: 10 });
    const untilMs = clock.now() + 30_000;
    for (let n = 0; n < 50; n++) {
      lines.emit({ type: 'waiting', reason: 'retry-after', untilMs });
      lines.emit({ type: 'waiting', reason: 'rate-budget', untilMs: clock.now() + n });
    }
    lines.close();
    expect(stream.text().match(/waits/g)).toHaveLength(1);
  });

  it('closing leaves no timer behind', async () => {
    const { clock, lines } = open();
    expect(clock.sleeping()).toBe(1);
    lines.close();
    lines.close();
    await clock.advance(0);
    expect(clock.sleeping()).toBe(0);
  });
});

describe('the bar', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const open = (columns = 100) => {
    const clock = createFakeClock();
    const stream = createSink(true, columns);
    const bar = createProgressBar({ stream, style: testStyle(columns), clock, budgets: BUDGETS });
    return { clock, stream, bar, shown: () => screenOf(stream.text()) };
  };

  it('stays on one line, below printed lines', () => {
    const { bar, shown } = open();
    bar.emit({ type: 'start-import', tickets: 4, alreadyDone: 0, requests: 12 });
    vi.advanceTimersByTime(300);
    bar.print(['a line', 'another']);
    bar.emit({ type: 'note', message: 'a note' });
    bar.emit(ticket);
    vi.advanceTimersByTime(300);
    expect(shown()).toEqual(['a line', 'another', 'a note', expect.stringContaining('25%  1 of 4 tickets')]);
  });

  it('is gone when it is closed, with the lines above still there, and no timer is left', () => {
    const { bar, shown, stream } = open();
    bar.print(['a line']);
    bar.close();
    bar.close();
    bar.print(['the summary']);
    expect(shown()).toEqual(['a line', 'the summary', '']);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(5000);
    expect(stream.text().endsWith('the summary\n')).toBe(true);
  });

  it('follows a terminal that is made narrower', () => {
    const { bar, stream, shown } = open(120);
    bar.emit({ type: 'start-import', tickets: 1000, alreadyDone: 0, requests: 3000 });
    vi.advanceTimersByTime(300);
    stream.columns = 50;
    vi.advanceTimersByTime(300);
    expect(shown().at(-1)?.length).toBeLessThan(50);
    bar.close();
  });

  it('changes nothing of the terminal that a killed process would leave behind', () => {
    const { bar, stream } = open();
    vi.advanceTimersByTime(1000);
    // Hidden cursor, line wrapping off, saved position.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
    expect(stream.text()).not.toMatch(/\u001b(\[\?|7|8)/);
    bar.close();
  });
});

describe('the screen', () => {
  const open = async (parts: {
    isTTY?: boolean;
    quiet?: boolean;
    verbose?: boolean;
    env?: Record<string, string>;
  }) => {
    const clock = createFakeClock();
    const stream = createSink(parts.isTTY ?? false);
    const screen = await createScreen({
      stream,
      style: testStyle(100),
      clock,
      budgets: BUDGETS,
      env: parts.env ?? {},
      quiet: parts.quiet ?? false,
      verbose: parts.verbose ?? false,
    });
    return { clock, stream, screen };
  };

  it('--quiet shows printed lines alone', async () => {
    const { screen, stream, clock } = await open({ quiet: true });
    screen.emit({ type: 'note', message: 'x' });
    await clock.advance(100_000);
    screen.print(['the end']);
    screen.close();
    expect(stream.text()).toBe('the end\n');
  });

  it('--verbose tells every request, retry and wait, and no control character of a helpdesk', async () => {
    const { screen, stream, clock } = await open({ verbose: true });
    await clock.advance(1500);
    screen.emit(request);
    screen.emit({ ...request, attempt: 2, path: '/tickets/\u001b[2J/messages' });
    const { status: _, ...unanswered } = request;
    screen.emit(unanswered as RunEvent);
    screen.emit({ type: 'retry', reason: '502 Bad Gateway', waitMs: 800, attempt: 2 });
    screen.emit({ type: 'rate-limited', waitMs: 12_000 });
    screen.emit({ type: 'ticket', externalId: '7', outcome: 'failed', ticketId: 'tic_1' });
    screen.emit({
      type: 'problem',
      problem: {
        severity: 'error',
        code: 'invalid-email',
        file: 'a.csv',
        line: 3,
        message: 'No address.',
        count: 1,
      },
    });
    screen.close();
    expect(stream.text()).toMatchInlineSnapshot(`
      "[2025-06-02T08:00:01Z] POST /tickets: 201 in 84 ms
      [2025-06-02T08:00:01Z] POST /tickets/�[2J/messages: 201 in 84 ms, attempt 2
      [2025-06-02T08:00:01Z] POST /tickets: no answer in 84 ms
      [2025-06-02T08:00:01Z] again in 800 ms (attempt 2): 502 Bad Gateway
      [2025-06-02T08:00:01Z] the helpdesk is rate limiting: waits 12 s
      [2025-06-02T08:00:01Z] ticket 7: failed (tic_1)
      [2025-06-02T08:00:01Z] error invalid-email a.csv:3: No address.
      "
    `);
  });
});
