/** Threads that are larger than an answer usually is, or than something in front of the helpdesk lets in. */
import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openScene } from '../cli/scene.ts';
import { between, type Fault } from '../support/between.ts';
import { commandLine } from '../support/command-line.ts';

const KAY = { email: 'kay@example.org' };

async function imported(
  messages: readonly string[],
  answer: (kind: string, n: number) => Fault | undefined,
  tickets = 1,
) {
  const scene = await openScene();
  const proxy = await between(scene.sandbox.url);
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  });
  proxy.answer = answer;
  const occurredAt = '2024-01-01T00:00:00Z';
  const exported = Array.from({ length: tickets }, (_, at) => ({
    ...{ id: `A-${at + 3}`, subject: `Large ${at}`, contact: KAY, createdAt: occurredAt },
    messages: messages.map((content) => ({ actorType: 'customer', contact: KAY, content, occurredAt })),
  }));
  writeFileSync(scene.folder.join('t.jsonl'), exported.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const args = ['run', 't.jsonl', '--yes', '--json', '--set', 'run.timeout=3', '--set', 'run.batchSize=1'];
  const { code, stdout, stderr } = await commandLine(args, {
    cwd: scene.folder.path,
    env: { ...scene.env, HELPDESK_BASE_URL: proxy.url },
  });
  const count = (kind: string) => proxy.asked.filter((each) => each === kind).length;
  return { code, stderr, count, ...JSON.parse(stdout) } as {
    code: number;
    stderr: string;
    count(kind: string): number;
    tickets: Record<string, number>;
    problems: { code: string; message: string }[];
  };
}

const PUT = 'PUT /tickets/{id}/messages';

it('a list that is larger than other answers may be is read, and its thread is sent once', async () => {
  const texts = ['One', 'Two'];
  const list = JSON.stringify({ messages: texts.map((content, at) => ({ id: `m${at}`, content })) });
  const body = `${list}${' '.repeat(33 * 1024 * 1024)}`;
  const echo: Fault = { status: 200, afterEffect: true, body };
  const run = await imported(texts, (kind) => (kind === PUT ? echo : undefined));
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
    const run = await imported(['One'], (kind, n) => (isRefused(kind, n) ? fault : undefined), 6);
    expect(run, run.stderr).toMatchObject({ code, tickets: { done: 5 } });
    expect(run.count('POST /tickets')).toBe(5 + tries);
    expect(run.problems).toHaveLength(1);
    expect(run.problems[0]?.message).toMatch(says);
  },
);
