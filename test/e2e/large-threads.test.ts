/** Threads that are larger than an answer usually is, or than something in front of the helpdesk lets in. */
import { expect, it } from 'vitest';
import { systemClock } from '../../src/system-clock.ts';
import type { Fault } from '../support/between.ts';
import { openDeskBehind, says, ticket } from '../support/desk.ts';
import { hurriedClock } from '../support/hurried-clock.ts';

async function imported(
  messages: readonly string[],
  answer: (kind: string, n: number) => Fault | undefined,
  { tickets = 1, timeout = 3, clock = hurriedClock } = {},
) {
  const { proxy, write, run } = await openDeskBehind({ inventAgents: true }, clock);
  proxy.answer = answer;
  const own = messages.map((content) => says(content));
  write(
    't.jsonl',
    Array.from({ length: tickets }, (_, at) => ticket(`A-${at + 3}`, { messages: own })),
  );
  const ended = await run('run', 't.jsonl', '--set', `run.timeout=${timeout}`, '--set', 'run.batchSize=1');
  return { ...ended, count: (kind: string) => proxy.asked.filter((each) => each === kind).length };
}

const PUT = 'PUT /tickets/{id}/messages';

it('a list that is larger than other answers may be is read, and its thread is sent once', async () => {
  const texts = ['One', 'Two'];
  const list = JSON.stringify({ messages: texts.map((content, at) => ({ id: `m${at}`, content })) });
  const body = `${list}${' '.repeat(33 * 1024 * 1024)}`;
  const echo: Fault = { status: 200, afterEffect: true, body };
  const run = await imported(texts, (kind) => (kind === PUT ? echo : undefined), {
    timeout: 60,
    clock: systemClock,
  });
  expect(run, run.stderr).toMatchObject({ code: 0, tickets: { done: 1 } });
  expect(run.count(PUT)).toBe(1);
});

const PAGE = { body: '<html><h1>No</h1></html>', headers: { 'content-type': 'text/html' } };

it.each<[string, Fault, string, RegExp]>([
  [
    '413 of a proxy',
    { status: 413, ...PAGE },
    'too-large',
    /larger than the helpdesk, or a proxy in front of it, accepts/,
  ],
  [
    '413 of the helpdesk',
    { status: 413, body: { error: 'too_large' } },
    'too-large',
    /larger than the helpdesk, or a proxy in front of it, accepts/,
  ],
  [
    '403 with a page',
    { status: 403, ...PAGE },
    'turned-away',
    /refused by something in front of the helpdesk \(403\)/,
  ],
])(
  'a thread that is refused with %s is named with its size, and tried at most twice',
  async (_, fault, code, says) => {
    const run = await imported(['One', 'Two'], (kind) => (kind === PUT ? fault : undefined));
    expect(run.code).toBe(3);
    expect(run.count(PUT)).toBeLessThanOrEqual(2);
    expect(run.problems).toMatchObject([{ code }]);
    expect(run.problems[0]?.message).toMatch(/^The thread of ticket A-3 \(2 messages, \d+ kB\)/);
    expect(run.problems[0]?.message).toMatch(says);
  },
);

it.each<[string, Fault, tries: number, code: number, RegExp]>([
  ['413 of a proxy', { status: 413, ...PAGE }, 2, 4, /in front of the helpdesk refused the ticket \(413\)/],
  ['413 of the helpdesk', { status: 413, body: { error: 'too_large' } }, 1, 3, /413: too_large/],
  ['403 with a page', { status: 403, ...PAGE }, 2, 4, /in front of the helpdesk refused the ticket \(403\)/],
])(
  'a create that is refused with %s is tried at most twice, and the refusal is named',
  async (_, fault, tries, code, says) => {
    // The third ticket of six, and whatever comes behind the last.
    const isRefused = (kind: string, n: number) => kind === 'POST /tickets' && (n === 3 || n > 6);
    const run = await imported(['One'], (kind, n) => (isRefused(kind, n) ? fault : undefined), {
      tickets: 6,
    });
    expect(run, run.stderr).toMatchObject({ code, tickets: { done: 5 } });
    expect(run.count('POST /tickets')).toBe(5 + tries);
    expect(run.problems).toHaveLength(1);
    expect(run.problems[0]?.message).toMatch(says);
  },
);
