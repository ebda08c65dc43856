/** The package as npm makes it: what judges of packages say, and what a user's compiler makes of the documentation's examples. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { running } from '../sandbox/running-sandbox.ts';
import { root, temporaryFolder } from '../support/cli.ts';
import { tickets } from './tickets.ts';

const folder = temporaryFolder();
const modules = join(root, 'node_modules');
let tarball = '';

/** The examples of docs/library.md, by the heading that they stand under. */
const examples = [
  ...readFileSync(join(root, 'docs/library.md'), 'utf8').matchAll(
    /^## (.+)$(?:(?!^## )[\s\S])*?^```ts\n([\s\S]*?)^```$/gm,
  ),
].map(([, heading = '', code = '']) => [heading, code] as const);

/** Transforms in the guides are typed too. */
const elsewhere = readFileSync(join(root, 'docs/attachments.md'), 'utf8').matchAll(
  /^```ts\n([\s\S]*?)^```$/gm,
);

const fileOf = (heading: string) => `${heading.toLowerCase().replaceAll(/\W+/g, '-')}.ts`;

function node(args: readonly string[], cwd = folder.path) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, reported: stdout + stderr };
}

beforeAll(() => {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder.path], {
    cwd: root,
    stdio: 'ignore',
  });
  tarball = folder.join(readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '');
  execFileSync('tar', ['-xzf', tarball, '-C', folder.path]);
  mkdirSync(folder.join('node_modules'));
  renameSync(folder.join('package'), folder.join('node_modules/helpdesk-import'));
  // What a user has besides it: its dependencies, and the types of Node.
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    mkdirSync(dirname(folder.join('node_modules', name)), { recursive: true });
    symlinkSync(join(modules, name), folder.join('node_modules', name));
  }
  writeFileSync(folder.join('package.json'), '{"type": "module"}');
  for (const [heading, code] of examples) writeFileSync(folder.join(fileOf(heading)), code);
  for (const [index, [, code = '']] of [...elsewhere].entries())
    writeFileSync(folder.join(`attachments-${index}.ts`), code);
});

afterAll(() => folder[Symbol.dispose]());

describe('the package', () => {
  it('has nothing that publint complains about', () => {
    expect(node([join(modules, 'publint/src/cli.js'), 'run', tarball, '--strict'])).toMatchObject({
      status: 0,
      reported: expect.stringContaining('All good!'),
    });
  });

  it('is typed as the documentation uses it: tsc --strict passes without skipLibCheck and without types of its dependencies', () => {
    expect(examples.length).toBeGreaterThanOrEqual(6);
    const config = {
      compilerOptions: {
        module: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        erasableSyntaxOnly: true,
        types: ['node'],
      },
      include: ['*.ts'],
    };
    writeFileSync(folder.join('tsconfig.json'), JSON.stringify(config));
    expect(node([join(modules, 'typescript/bin/tsc'), '-p', folder.path])).toEqual({
      status: 0,
      reported: '',
    });
  });

  /** What each example says when it runs on twelve good tickets. */
  const reported: Readonly<Record<string, RegExp>> = {
    'A dry run': /^12 of 12 tickets can be imported\.\n(.*\n)*It takes 24 requests; 0 columns/,
    'Into the local service, then into the real one': /^$/,
    'The files too': /^0 files could not be fetched\.\n$/,
    'What is in an export': /^native, \d+ %\nexport\.jsonl: 12 rows, /,
    'Reading tickets back': /^12 of 12 tickets are equal\.\n$/,
    'What a checkpoint holds': /^12 done, 0 failed, 0 in doubt\.\n$/,
    'Settling tickets in doubt': /^0 settled, 0 in doubt\.\n$/,
    // The example before named files, and this one names none.
    'What goes on meanwhile, and stopping it':
      /^The settings have changed since the last run \(files\): .*\n0 tickets in this process, 12 in all\.\n$/,
    'Settings and mapping as an object': /read: 1,[\s\S]*pending: 1/,
    'A transform': /^$/,
    Errors: /^source .*nowhere\.jsonl/,
  };

  it('runs every example of the documentation as it is', { timeout: 120_000 }, async () => {
    expect(examples.map(([heading]) => heading)).toEqual(Object.keys(reported));
    const service = await running();
    writeFileSync(folder.join('export.jsonl'), tickets(12));
    writeFileSync(folder.join('helpdesk-import.yaml'), 'target: { tag: imported }\n');
    writeFileSync(
      folder.join('anfragen.csv'),
      'Nr,Betreff,Mail,Datum,Stand\n7,Kanne,a@example.com,2024-01-02T10:00:00Z,offen\n',
    );
    const other = folder.join('other');
    mkdirSync(other);
    copyFileSync(folder.join('anfragen.csv'), join(other, 'anfragen.csv'));
    const env = { PATH: process.env['PATH'], HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token };
    for (const [heading, words] of Object.entries(reported)) {
      // Another source has a checkpoint of its own, so it is imported from a folder of its own.
      const isOther = readFileSync(folder.join(fileOf(heading)), 'utf8').includes('anfragen.csv');
      const cwd = isOther ? other : folder.path;
      const ran = await promisify(execFile)(process.execPath, [folder.join(fileOf(heading))], { cwd, env });
      expect(ran.stdout + ran.stderr, heading).toMatch(words);
    }
    expect((await service.call('GET', '/tickets?take=50')).body.tickets).toHaveLength(12);
  });
});
