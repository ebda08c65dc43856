/** Each limit of the table, reached with its figure: what becomes of more. */
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeJson } from '../../src/cli/show-error.ts';
import { AppError } from '../../src/domain/errors.ts';
import { readSmallFile } from '../../src/domain/files.ts';
import { BOUNDS } from '../../src/domain/limits.ts';
import { printable } from '../../src/domain/printable.ts';
import { Secret } from '../../src/domain/secret.ts';
import { errorBody } from '../../src/helpdesk/answers.ts';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { readMapping } from '../../src/mapping/language/read-layout.ts';
import { expandIdList } from '../../src/settings/parsers.ts';
import { readYaml } from '../../src/settings/yaml-text.ts';
import { DEFAULT_TUNING } from '../../src/source/bytes.ts';
import { createAttachmentProbe } from '../../src/verify/attachment-probe.ts';
import { contextFor } from '../cli/in-process.ts';
import { failure as apiFailure, setUp, ticket } from '../helpdesk/client-set-up.ts';
import { read, transportTo } from '../helpdesk/transport-to.ts';
import { canned } from '../support/canned.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { all, failure, openOne, signal, tempFolder } from './temp-export.ts';

/** Sparse: it takes no room. */
function fileOf(bytes: number): string {
  const path = join(tempFolder({ big: '' }), 'big');
  truncateSync(path, bytes);
  return path;
}

const nested = (levels: number) => `{"id":1,"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const depthError = async (levels: number) =>
  String((await all(await openOne('x.jsonl', `${nested(levels)}\n{"id":2}\n`)))[0]?.error ?? '');
const patternIssues = (length: number) => {
  const subject = { column: 'subject', match: 'a'.repeat(length) };
  const read = readMapping({ extends: 'native', ticket: { subject } }, builtinLayout);
  return 'issues' in read ? read.issues.map(({ message }) => message).join() : '';
};
const smallFile = (most: number) => {
  expect(() => readSmallFile(fileOf(most + 1), most)).toThrow(/is too large/);
};

/** Of a server that answers JSON of so many bytes. */
async function answerOf(bytes: number): Promise<unknown> {
  await using server = await canned(() => ({ body: Buffer.alloc(bytes, '1') }));
  return await transportTo(server.url).exchange(read, signal);
}

/** Whether a ticket can be created with a token that came in an answer of so many bytes. */
async function withTokenAnswer(bytes: number): Promise<unknown> {
  const answer = (more: string) =>
    JSON.stringify({ access_token: 'access-token-1', token_type: 'bearer', more });
  const padding = 'x'.repeat(bytes - answer('').length);
  await using tokens = await canned(() => ({ body: answer(padding) }));
  const { api, settle, server } = await setUp(() => ({ status: 201, body: { id: '1' } }), {
    credentials: {
      kind: 'oauth',
      tokenUrl: `${tokens.url}/oauth/token`,
      clientId: 'app',
      refreshToken: new Secret('refresh-token-1'),
    },
    giveUpAfterMs: 60_000,
  });
  const outcome = await settle(
    api.createTicket(ticket, signal).then(
      () => 'created',
      () => 'failed',
    ),
  );
  return [outcome, server.seen.length];
}

/** How many pages that never end, and say that they have so many bytes, were asked for, and what is said then. */
async function endlessPages(bytes: number): Promise<readonly [number, string]> {
  let pages = 0;
  const exchange = async () => {
    pages += 1;
    const text = `{"tickets":[{"id":"T${pages}"}],"hasNextPage":true,"cursor":"c${pages}"}`;
    const body = Object.defineProperty(Buffer.from(text), 'length', { value: bytes });
    return { type: 'answer', status: 200, headers: { 'content-type': 'application/json' }, body } as const;
  };
  const { api, settle } = await setUp(() => ({}), { transport: { exchange, close: async () => {} } });
  const { message: said } = await apiFailure(settle(api.findTickets({}, signal)));
  return [pages, said];
}

const createdAs = async (id: string) => {
  const { api, settle } = await setUp(() => ({ status: 201, body: { id } }));
  return settle(api.createTicket(ticket, signal));
};

async function notChecked(urls: readonly string[]): Promise<number> {
  const resolve = async () => {
    throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
  };
  const probe = createAttachmentProbe(createFakeClock(), { resolve });
  onTestFinished(() => probe[Symbol.asyncDispose]());
  const results = await probe.probe(urls, signal);
  return [...results.values()].filter(({ outcome }) => outcome === 'not-checked').length;
}

const addresses = (count: number, address: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => address(nth));

const REACHED: readonly (readonly [keyof typeof BOUNDS, () => unknown])[] = [
  ['settings', () => smallFile(BOUNDS.settings.most)],
  [
    'settings',
    () =>
      expect(readYaml(' '.repeat(BOUNDS.settings.most + 1), 's.yaml').complaints[0]?.message).toMatch(
        /far too long for a settings file/,
      ),
  ],
  ['token', () => smallFile(BOUNDS.token.most)],
  ['team', () => smallFile(BOUNDS.team.most)],
  [
    'ids',
    async () => {
      const list = expandIdList(['@ids'], () => fileOf(BOUNDS.ids.most + 1));
      expect(await failure(list)).toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/is too large/),
      });
    },
  ],
  [
    'answer',
    async () => {
      const whole = await answerOf(BOUNDS.answer.most);
      expect(whole).toMatchObject({ status: 200 });
      expect(whole).not.toHaveProperty('cut', expect.anything());
      const beyond = await answerOf(BOUNDS.answer.most + 1);
      expect(beyond).toMatchObject({ cut: `it is larger than ${BOUNDS.answer.most} bytes` });
      // Its beginning is kept, so that many at a time do not fill the memory.
      expect(beyond).toMatchObject({ body: { length: 65_536 } });
    },
  ],
  [
    'tokenAnswer',
    async () => {
      expect(await withTokenAnswer(BOUNDS.tokenAnswer.most)).toEqual(['created', 1]);
      expect(await withTokenAnswer(BOUNDS.tokenAnswer.most + 1)).toEqual(['failed', 0]);
    },
  ],
  [
    'list',
    async () => {
      const [most, without] = [BOUNDS.answer.most, expect.stringContaining('never ended')];
      expect(await endlessPages(most)).toEqual([1 + BOUNDS.list.most / most, without]);
    },
  ],
  [
    'pages',
    async () =>
      expect(await endlessPages(100)).toEqual([BOUNDS.pages.most, expect.stringContaining('never ended')]),
  ],
  [
    'id',
    async () => {
      const longest = 'i'.repeat(BOUNDS.id.most);
      expect(await createdAs(longest)).toMatchObject({ id: longest });
      expect(await apiFailure(createdAs(`${longest}i`))).toMatchObject({ effect: 'unknown' });
    },
  ],
  [
    'probed',
    async () => {
      const urls = addresses(BOUNDS.probed.most + 3, (nth) => `https://files.helpdesk-import.dev/${nth}`);
      expect(await notChecked(urls)).toBe(3);
    },
  ],
  [
    'json',
    () => {
      const { context, shown } = contextFor('run', [], {}, { cwd: '.' });
      const problems = Array.from({ length: 1000 }, (_, line) => ({ line, message: 'w'.repeat(5000) }));
      writeJson(context, { problems, problemsTotal: 1000, problemGroups: problems });
      expect(Buffer.byteLength(shown.stdout)).toBeLessThanOrEqual(BOUNDS.json.most);
    },
  ],
  [
    'depth',
    async () => {
      expect(await depthError(BOUNDS.depth.most)).toBe('');
      expect(await depthError(BOUNDS.depth.most + 2)).toMatch(/1,?000/);
    },
  ],
  [
    'pattern',
    () => {
      expect(patternIssues(BOUNDS.pattern.most)).toBe('');
      expect(patternIssues(BOUNDS.pattern.most + 1)).toContain('10000 are the most');
    },
  ],
  [
    'complaints',
    () => {
      const lines = addresses(BOUNDS.complaints.most + 7, (nth) => `line ${nth}`);
      const error = new AppError('usage', 'Wrong.', { lines });
      expect(error.lines).toHaveLength(BOUNDS.complaints.most + 1);
      expect(error.lines.at(-1)).toBe('… and 7 more like these.');
    },
  ],
  [
    'shown',
    () => {
      expect(printable('x'.repeat(BOUNDS.shown.most + 7))).toMatch(/x… \(7 more characters\)$/);
      expect(printable(`${'x'.repeat(BOUNDS.shown.most - 1)}👍`)).toMatch(/x… \(2 more characters\)$/);
    },
  ],
  [
    'said',
    () => {
      const body = Buffer.from(JSON.stringify({ message: 'm'.repeat(5000) }));
      const answer = { kind: 'answer', status: 400, headers: {}, body } as unknown as Parameters<
        typeof errorBody
      >[0];
      expect(errorBody(answer, []).detail?.length).toBeLessThanOrEqual(BOUNDS.said.most + 1);
    },
  ],
];

/** Too large to be reached with the figure itself: tried with smaller ones where each kind of file is tested. */
const READING = {
  maxCsvRecordBytes: 'csvRecord',
  maxJsonRecordBytes: 'jsonRecord',
  maxDocumentBytes: 'document',
  maxRatio: 'ratio',
} as const satisfies Partial<Record<keyof typeof DEFAULT_TUNING, keyof typeof BOUNDS>>;

/** Limits whose test needs a host or several requests at once, by the file that has it. */
const ELSEWHERE = {
  unpacked: 'attachments/hostile-hosts.test.ts',
  inFlight: 'domain/in-flight.test.ts',
};

describe('a limit', () => {
  it.each(REACHED)('%s', async (_name, reach) => {
    await reach();
  });

  it.each(Object.entries(READING))("of reading, %s, is the table's: %s", (tuning, name) => {
    expect(DEFAULT_TUNING).toHaveProperty(tuning, BOUNDS[name].most);
  });

  it('of the table has a test, every one of them', () => {
    for (const [name, file] of Object.entries(ELSEWHERE))
      expect(readFileSync(join(import.meta.dirname, '..', file), 'utf8')).toContain(`BOUNDS.${name}.most`);
    const tested = new Set<string>([
      ...REACHED.map(([name]) => name),
      ...Object.values(READING),
      ...Object.keys(ELSEWHERE),
    ]);
    expect(Object.keys(BOUNDS).filter((name) => !tested.has(name))).toEqual([]);
  });
});
