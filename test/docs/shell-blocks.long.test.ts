/** Each shell block of the docs runs in bash, as shown, or is listed here with the reason why it cannot. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/system-clock.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { root, temporaryFolder } from '../support/cli.ts';
import { asZip } from '../support/encodings.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { tickets } from '../support/tickets.ts';
import { blocksOf, pages } from './markdown.ts';

const TYPED =
  /^(?:[A-Z_]+=\S+ )?(?:exec |npx )?(?:helpdesk-import|npm|docker|sbatch|node|export|curl)\b|^[A-Z_]+=/m;

/** Blocks that do not run here: what they contain, and why. */
const NOT_RUN: readonly (readonly [page: RegExp, contains: RegExp, why: string])[] = [
  [/reference\.md/, /\[options\]|<shell>/, 'the syntax of a command, not a line to type'],
  [/CONTRIBUTING\.md/, /npm ci/, 'the tests themselves'],
  [
    /README\.md/,
    /npm ci/,
    'installs, and serves until Ctrl-C: the test of the package installs, e2e/newcomer.test.ts serves',
  ],
  [/unattended\.md/, /docker/, 'no container engine: nothing of Docker is tried'],
  [/rehearsal\.md/, /./, 'a sandbox in another terminal: e2e/faults-rehearsal.long.test.ts follows the page'],
  [/billing-data\.md/, /./, 'the app API is not in the sandbox: test/docs/commands.test.ts and test/billing'],
  [/attachments\.md/, /./, 'files of a source on other hosts: e2e/files.long.test.ts'],
  [/./, /helpdesk-import export /, 'needs an account: test/export/ plays the platforms'],
  [
    /inspect-init\.md/,
    /list\.csv/,
    "a list of the reader's own: test/discover/own-files.test.ts types such lines",
  ],
  [/after-import\.md/, /run-20261122/, 'names the tag of a run that there was: e2e/undo.test.ts'],
];

const blocks = pages().flatMap((page) =>
  blocksOf(page)
    .filter(({ language, text }) => ['', 'sh', 'bash', 'console'].includes(language) && TYPED.test(text))
    .map(({ text }) => ({ file: page.file, text, title: `${page.file}: ${text.trim().split('\n')[0]}` })),
);
const isListed = ({ file, text }: { file: string; text: string }) =>
  NOT_RUN.some(([page, contains]) => page.test(file) && contains.test(text));
const run = blocks.filter((block) => !isListed(block));

const bin = temporaryFolder();
beforeAll(() => {
  const program = `'${process.execPath}' '${join(root, 'bin/helpdesk-import.js')}'`;
  const programs = {
    'helpdesk-import': `exec ${program} "$@"`,
    npx: `shift; exec ${program} "$@"`,
    // What it would install is what is tried.
    npm: '[ "$1" = install ] || exit 1',
    // The storage of an export, behind an address that is signed: a file next to the job.
    curl: 'cp "$EXPORT_FILE" export.zip',
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(bin.join(name), `#!/bin/sh\n${script}\n`);
    chmodSync(bin.join(name), 0o755);
  }
  return () => bin[Symbol.dispose]();
});

/** As a person types it: the addresses and tokens of the page stand for those of his service; a server is stopped at once. */
async function typed(text: string, cwd: string, given: Record<string, string>) {
  const env = { HOME: cwd, LANG: 'C.UTF-8', PATH: `${bin.path}:${process.env['PATH']}`, ...given };
  const lines = text
    .replaceAll(/^export HELPDESK_(BASE_URL|TOKEN)=.*$/gm, ':')
    .replaceAll(/(helpdesk-import .*--serve\b|helpdesk-import sandbox\b).*$/gm, ':')
    // A remark behind some spaces is the page's own.
    .replaceAll(/^(helpdesk-import .*?\S)\s{3,}[^#\s-].*$/gm, '$1')
    .replaceAll(/ {3,}….*$/gm, '');
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', lines], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (out += data));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out };
}

describe('a block of shell lines', () => {
  it('is found, and every reason not to run one is still needed', () => {
    expect(run.length).toBeGreaterThan(20);
    for (const [page, contains, why] of NOT_RUN)
      expect(
        blocks.some(({ file, text }) => page.test(file) && contains.test(text)),
        why,
      ).toBe(true);
  });

  it.each(run.map(({ title, file, text }) => [title, file, text] as const))('%s', async (_, file, text) => {
    const folder = folderOfTest();
    mkdirSync(folder.join('export'));
    const rows = tickets(12);
    writeFileSync(folder.join('export/tickets.jsonl'), rows);
    for (const name of ['tickets.jsonl', 'export.jsonl']) writeFileSync(folder.join(name), rows);
    // A page that tries one ticket calls it so.
    if (text.includes('--ticket 4711'))
      writeFileSync(folder.join('export/tickets.jsonl'), rows.replaceAll('"T3"', '"4711"'));
    const service = await running({ clock: systemClock, strict: false });
    const env = { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token, RUN: '1' };
    // What the page has its reader do before.
    const first = BEFORE.filter(([page, contains]) => page.test(file) && contains.test(text));
    for (const [, , lines] of first) expect(await typed(lines, folder.path, env)).toMatchObject({ code: 0 });
    const { code, out } = await typed(text, folder.path, env);
    expect(code, out).toBe(0);
  });
});

describe.each(['check', 'smoke'])('the job %s of the workflow', (name) => {
  it('every step of it runs, in its order', async () => {
    const folder = folderOfTest();
    mkdirSync(folder.join('job'));
    writeFileSync(
      folder.join('export.zip'),
      asZip([{ name: 'tickets.jsonl', bytes: Buffer.from(tickets(12)) }]),
    );
    const { jobs } = parse(readFileSync(join(root, 'docs/examples/github-action.yml'), 'utf8')) as {
      jobs: Record<string, { steps: { run?: string }[] }>;
    };
    const steps = (jobs[name]?.steps ?? []).flatMap(({ run }) => run ?? []);
    expect(steps.length).toBeGreaterThan(3);
    const service = await running({ clock: systemClock, strict: false });
    const env = {
      HELPDESK_BASE_URL: service.url,
      HELPDESK_TOKEN: service.token,
      EXPORT_FILE: folder.join('export.zip'),
      EXPORT_URL: 'https://storage.example.com/export.zip',
    };
    for (const step of steps) {
      const { code, out } = await typed(step, folder.join('job'), env);
      expect(code, `${step}\n${out}`).toBe(0);
    }
  });
});

/** What was typed before, by the page. */
const BEFORE: readonly (readonly [page: RegExp, contains: RegExp, lines: string])[] = [
  [/contract\.md/, /status/, 'helpdesk-import run export/'],
  [/people\.md/, /--delta/, 'helpdesk-import run export/'],
  [/other\.md/, /--dry-run/, 'helpdesk-import init export/'],
  [/after-import\.md/, /helpdesk-import links/, 'helpdesk-import run export/'],
];
