import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Flags } from '../../src/settings/option-spec.ts';
import { givenBy, type ResolveInputs, resolveSettings } from '../../src/settings/resolve-settings.ts';
import { parseSettingsFile } from '../../src/settings/settings-file.ts';

const file = (text: string, name = 'helpdesk-import.yaml') => parseSettingsFile(text, name);
type Inputs = Partial<Omit<ResolveInputs, 'given'>> & { readonly flags?: Flags };
const resolve = ({ flags = {}, ...inputs }: Inputs) =>
  resolveSettings({ given: givenBy(flags), env: {}, ...inputs });

function refused(inputs: Inputs): readonly string[] {
  try {
    resolve(inputs);
  } catch (error) {
    if (error instanceof AppError) {
      expect(error.exitCode).toBe(2);
      return error.lines;
    }
    throw error;
  }
  return [];
}

describe('precedence', () => {
  const yaml = file('target:\n  baseUrl: https://file.example.com\nrun:\n  timeout: 7\n');
  const env = { HELPDESK_BASE_URL: 'https://env.example.com' };
  it.each([
    ['the environment goes before the file', { env, file: yaml }, 'env'],
    ['the file goes before the default', { file: yaml }, 'file'],
    ['an empty variable counts as unset', { env: { HELPDESK_BASE_URL: ' ' }, file: yaml }, 'file'],
  ])('%s', (_, inputs, winner) => {
    expect(resolve(inputs).settings.target.baseUrl).toBe(`https://${winner}.example.com`);
  });

  it('--rate replaces both defaults, and several count together', () => {
    expect(resolve({}).settings.run.rate).toEqual([
      { requests: 1000, seconds: 60 },
      { requests: 5000, seconds: 300 },
    ]);
    expect(resolve({ flags: { rate: ['250/5', '900/60'] } }).settings.run.rate).toEqual([
      { requests: 250, seconds: 5 },
      { requests: 900, seconds: 60 },
    ]);
    expect(resolve({ file: file('run: { rate: 5/1 }') }).settings.run.rate).toEqual([
      { requests: 5, seconds: 1 },
    ]);
  });
});

describe('what the settings become', () => {
  it('the tag can be turned off', () => {
    expect(resolve({ file: file("target: { tag: '' }") }).settings.target.tag).toBe('');
  });

  it('an address that includes the path of the API works too', () => {
    const env = { HELPDESK_BASE_URL: 'https://h.example.com/api/core/v1/' };
    expect(resolve({ env }).settings.target.baseUrl).toBe('https://h.example.com');
  });

  it('paths in the file are relative to it, paths in flags are not', () => {
    const yaml = file(
      'source: { files: export }\nrun: { checkpoint: c.sqlite, report: r.html }\nagents: agents.csv',
      'conf/h.yaml',
    );
    const { settings } = resolve({ file: yaml, flags: { report: 'r.html' } });
    expect(settings.source.files).toEqual(['conf/export']);
    expect(settings.people.agents).toBe('conf/agents.csv');
    expect(settings.output.checkpoint).toBe('conf/c.sqlite');
    expect(settings.output.report).toBe('r.html');
  });

  it('people come from the top of the file, numbers as texts', () => {
    const yaml = file(
      'agents: { ana@example.com: agt_1, 360: 17 }\nfallbackAgent: 18\ncustomersWithoutEmail: { synthesize: c.example.com }',
    );
    expect(resolve({ file: yaml }).settings.people).toEqual({
      agents: { 'ana@example.com': 'agt_1', '360': '17' },
      fallbackAgent: '18',
      customersWithoutEmail: { synthesize: 'c.example.com' },
    });
  });

  it('a whole day as --until means that day included', () => {
    const { selection } = resolve({ flags: { since: '2024-03-31', until: '2024-03-31' } }).settings;
    expect(selection.since).toBe(Date.parse('2024-03-31T00:00:00Z'));
    expect(selection.until).toBe(Date.parse('2024-04-01T00:00:00Z'));
  });

  it('the sandbox has its own checkpoint and no budget, whatever the file says for the real target', () => {
    const yaml = file(
      'target: { baseUrl: https://h.example.com }\nrun: { checkpoint: real.sqlite, rate: 5/1 }',
    );
    const { settings } = resolve({
      flags: { sandbox: true },
      file: yaml,
      env: { HELPDESK_TOKEN: 'x', HELPDESK_BASE_URL: 'https://e.example.com' },
      needs: ['target', 'credentials'],
    });
    expect(settings.sandbox).toBe('helpdesk-import.sandbox');
    expect(settings.target).not.toHaveProperty('baseUrl');
    expect(settings).not.toHaveProperty('credentials');
    expect(settings.run.rate).toEqual([]);
    expect(settings.output.checkpoint).toBe('helpdesk-import.sandbox/checkpoint.sqlite');
  });

  it('a shard has rejects of its own, unless a folder is named for it', () => {
    const rejects = (from: Parameters<typeof resolve>[0]) => resolve(from).settings.output.rejects;
    expect(rejects({ flags: { shard: '2/4' } })).toBe('helpdesk-import.rejects-2-of-4');
    expect(rejects({ flags: { shard: '2/4', rejects: 'left' } })).toBe('left');
    expect(rejects({ flags: { shard: '2/4' }, file: file('run: { rejects: left/ }') })).toMatch(
      /left-2-of-4$/,
    );
  });

  it('a dry run writes rejects only where they were asked for', () => {
    expect(resolve({ flags: { rejects: 'left/' } }).settings.output.rejectsAsked).toBe(true);
    expect(resolve({ file: file('run: { rejects: left }') }).settings.output.rejectsAsked).toBe(false);
  });
});

describe('all errors are listed at once', () => {
  it('of the file, the flags, the environment and the rules between them', () => {
    const lines = refused({
      file: file('runn: {}\nsource:\n  timezone: Berlin\nrun:\n  rate: [1000/60, often]\n'),
      flags: { concurrency: 'many', quiet: true, verbose: true },
      env: { HELPDESK_BASE_URL: 'nowhere', HELPDESK_TOKEN: 'Bearer abc' },
      needs: ['files', 'target', 'credentials'],
    });
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "helpdesk-import.yaml:1:1: "runn" is not a setting. Did you mean "run"?
         1 | runn: {}
           | ^^^^
      helpdesk-import.yaml:3:13: source.timezone must be a time zone such as Europe/Berlin or UTC, not "Berlin". Did you mean "Europe/Berlin"?
         3 |   timezone: Berlin
           |             ^^^^^^
      helpdesk-import.yaml:5:19: run.rate must be requests/seconds, such as 1000/60 for a thousand requests in any minute, not "often".
         5 |   rate: [1000/60, often]
           |                   ^^^^^
      HELPDESK_BASE_URL must be an address such as https://helpdesk.example.com.
      --concurrency must be a whole number from 1 to 1024, not "many".
      HELPDESK_TOKEN must be the token alone, without the word Bearer.
      --quiet and --verbose cannot be combined: leave out one of them.
      There is nothing to read: name the files or the folder of the export, or set source.files in the settings file."
    `);
  });

  it.each([
    [{ flags: { dryRun: true, trial: true } }, '--dry-run and --trial cannot be combined'],
    [{ flags: { trial: '3' } }, '--trial must be a whole number from 5 to 10, not "3".'],
    [{ flags: { serve: true } }, '--serve has an effect only with --sandbox'],
    [{ flags: { quiet: true, verbose: true } }, '--quiet and --verbose cannot be combined'],
    [{ flags: { since: '2024-02', until: '2024-01' } }, '--since is not before --until'],
    [
      { flags: { checkpoint: 'a.jsonl' }, files: ['./a.jsonl'] },
      '--checkpoint is a.jsonl, which is part of the export',
    ],
    [{ flags: { report: 'x', checkpoint: 'x' } }, '--report is x, which is the file of --checkpoint'],
    [{ needs: ['files'] as const }, 'There is nothing to read'],
    [{ needs: ['target'] as const }, 'There is no target: set HELPDESK_BASE_URL'],
    [{ needs: ['credentials'] as const }, 'There is no token: set HELPDESK_TOKEN'],
    [
      { env: { HELPDESK_TOKEN: 'a', HELPDESK_TOKEN_FILE: 'b' } },
      'HELPDESK_TOKEN and HELPDESK_TOKEN_FILE are both set',
    ],
    [{ env: { HELPDESK_TOKEN: 'two words' } }, 'HELPDESK_TOKEN has a space'],
    [{ env: { HELPDESK_CLIENT_ID: 'a', HELPDESK_CLIENT_SECRET: 'b' } }, 'HELPDESK_TOKEN_URL is not set'],
    [
      { env: { HELPDESK_TOKEN_URL: 'https://x', HELPDESK_CLIENT_ID: 'a' } },
      'HELPDESK_CLIENT_SECRET is not set',
    ],
    [
      {
        env: {
          HELPDESK_TOKEN: 't',
          HELPDESK_TOKEN_URL: 'https://x',
          HELPDESK_CLIENT_ID: 'a',
          HELPDESK_CLIENT_SECRET: 'b',
        },
      },
      'HELPDESK_TOKEN is set, and so are variables of OAuth 2.0',
    ],
  ])('%j', (inputs, message) => {
    expect(refused(inputs)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ['a dry run', { dryRun: true }],
    ['the sandbox', { sandbox: true }],
    ['--explain', { explain: '4711' }],
  ])('%s needs neither target nor token', (_, flags) => {
    expect(refused({ flags, needs: ['target', 'credentials'] })).toEqual([]);
  });
});

describe('what is allowed but unwise is a warning', () => {
  it.each([
    [{ file: file('run: { batchSize: 50 }') }, undefined],
    [{ file: file('run: { batchSize: 49 }') }, 'The batch size is 49; 50 to 100 is recommended'],
    [{ env: { HELPDESK_BASE_URL: 'http://helpdesk.example.com' } }, 'is not https'],
    [{ env: { HELPDESK_BASE_URL: 'http://127.0.0.1:8080' } }, undefined],
    [{ file: file('target: { readOnly: true }') }, 'target.managedBy is not'],
  ])('%j', (inputs, message) => {
    const { warnings } = resolve(inputs);
    expect(warnings).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
  });
});

describe('credentials', () => {
  const oauth = { HELPDESK_TOKEN_URL: 'https://x.example.com/token', HELPDESK_CLIENT_ID: 'id' };
  it.each([
    [{ HELPDESK_TOKEN: ' abc\n' }, 'token'],
    [{ HELPDESK_TOKEN_FILE: '/run/token' }, 'token-file'],
    [{ ...oauth, HELPDESK_CLIENT_SECRET: 's' }, 'oauth'],
    [{ ...oauth, HELPDESK_CLIENT_SECRET: 's', HELPDESK_REFRESH_TOKEN: 'r' }, 'oauth'],
    [{ ...oauth, HELPDESK_REFRESH_TOKEN_FILE: 'f' }, 'oauth'],
  ])('%j', (env, kind) => {
    expect(resolve({ env }).settings.credentials?.kind).toBe(kind);
  });

  it('no secret is printed with the settings, however they are printed', () => {
    const env = { ...oauth, HELPDESK_CLIENT_SECRET: 'hush-1', HELPDESK_REFRESH_TOKEN: 'hush-2' };
    const { settings } = resolve({ env });
    const shown = [
      JSON.stringify(settings),
      inspect(settings, { depth: 9, showHidden: true }),
      `${settings.credentials}`,
    ];
    expect(shown.join('\n')).not.toContain('hush');
    expect(shown[0]).toContain('[secret]');
  });

  it('no secret is repeated in a complaint', () => {
    const lines = [
      ...refused({ env: { HELPDESK_TOKEN: 'hush hush', HELPDESK_BASE_URL: 'https://a:hush@x.example.com' } }),
      ...refused({ file: file('target:\n  baseUrl: https://ana:hush@x.example.com\n') }),
    ];
    expect(lines).toHaveLength(3);
    expect(lines.join('\n')).not.toContain('hush');
  });
});
