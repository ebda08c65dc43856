import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { requireKnownVariables } from '../../src/settings/credentials.ts';
import type { Flags } from '../../src/settings/option-spec.ts';
import { type ResolveInputs, resolveSettings } from '../../src/settings/resolve-settings.ts';
import { parseSettingsFile } from '../../src/settings/settings-file.ts';
import { rowsOf } from '../support/rows.ts';

const file = (text: string, name = 'helpdesk-import.yaml') => parseSettingsFile(text, name);
type Inputs = Partial<Omit<ResolveInputs, 'given'>> & { readonly flags?: Flags };
const resolve = ({ flags = {}, ...inputs }: Inputs) => resolveSettings({ flags, env: {}, ...inputs });

const { together } = rowsOf<{ together: [Inputs, string][] }>(import.meta.dirname, 'mistakes.yaml');

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

  it('a rate replaces both defaults, and several count together', () => {
    expect(resolve({}).settings.run.rate).toEqual([
      { requests: 1000, seconds: 60 },
      { requests: 5000, seconds: 300 },
    ]);
    expect(resolve({ flags: { set: ['run.rate=250/5', 'run.rate=900/60'] } }).settings.run.rate).toEqual([
      { requests: 250, seconds: 5 },
      { requests: 900, seconds: 60 },
    ]);
    expect(resolve({ file: file('run: { rate: 5/1 }') }).settings.run.rate).toEqual([
      { requests: 5, seconds: 1 },
    ]);
  });
});

describe('what the settings become', () => {
  it.each([
    ['300/60', 7],
    ['1000/60', 16],
    ['10/1', 15],
    ['20/60', 1],
  ])('at %s requests no more are in flight than fit into the age of a reading: %i', (rate, inFlight) => {
    expect(resolve({ flags: { set: [`run.rate=${rate}`] } }).settings.run.concurrency).toBe(inFlight);
  });

  it.each([
    ['https://h.example.com', 'https://h.example.com', '/api/core/v1'],
    ['https://h.example.com/api/core/v1/', 'https://h.example.com', '/api/core/v1'],
    ['https://h.example.com/v1', 'https://h.example.com', '/v1'],
    ['https://example.com/desk', 'https://example.com/desk', '/api/core/v1'],
    ['https://example.com/desk/api/core/v2', 'https://example.com/desk', '/api/core/v2'],
  ])('a version at the end of %s is the path of the API', (address, baseUrl, apiPath) => {
    const env = { HELPDESK_BASE_URL: address };
    expect(resolve({ env }).settings.target).toMatchObject({ baseUrl, apiPath });
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

  it.each(['target.tag=', "target.tag=''"])('--set %s turns the tag off', (text) => {
    expect(resolve({ flags: { set: [text] } }).settings.target.tag).toBe('');
    expect(resolve({}).settings.target.tag).toBe('imported');
  });

  it.each(['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost'])(
    '%s needs no https, as it never leaves this machine',
    (url) => {
      expect(resolve({ env: { HELPDESK_BASE_URL: url }, needs: ['target'] })).toMatchObject({
        settings: { target: { baseUrl: url } },
        warnings: [],
      });
    },
  );

  it('--set gives a key of a setting, and adds it to those given before', () => {
    const set = [
      'customersWithoutEmail.synthesize=noreply.example.com',
      'agents.ana@example.com=agt_1',
      'agents.Nora Kim=agt_2',
    ];
    expect(resolve({ flags: { set } }).settings.people).toMatchObject({
      customersWithoutEmail: { synthesize: 'noreply.example.com' },
      agents: { 'ana@example.com': 'agt_1', 'Nora Kim': 'agt_2' },
    });
  });

  it('--set gives any setting of the file: a text, a list, a map, true', () => {
    const set = [
      'source.encoding=windows-1252',
      'source.allowUnreadableRows=true',
      'files.hosts=[a.example.com, b.example.com]',
      'agents={ ana@example.com: agt_1 }',
    ];
    const { settings } = resolve({ flags: { set }, file: file('source: { encoding: x }') });
    expect(settings.source).toMatchObject({ encoding: 'windows-1252', allowUnreadableRows: true });
    expect(settings.files.hosts).toEqual(['a.example.com', 'b.example.com']);
    expect(settings.people.agents).toEqual({ 'ana@example.com': 'agt_1' });
  });

  it('a whole day as --until means that day included', () => {
    const { selection } = resolve({ flags: { since: '2024-03-31', until: '2024-03-31' } }).settings;
    expect(selection.since).toBe(Date.parse('2024-03-31T00:00:00Z'));
    expect(selection.until).toBe(Date.parse('2024-04-01T00:00:00Z'));
  });

  it('the sandbox has its own checkpoint and no budget, in spite of those of the real helpdesk', () => {
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

  it('a dry run writes rejects only if they were asked for', () => {
    expect(resolve({ flags: { set: ['run.rejects=left/'] } }).settings.output.rejectsAsked).toBe(true);
    expect(resolve({ file: file('run: { rejects: left }') }).settings.output.rejectsAsked).toBe(false);
  });
});

describe('all errors are listed at once', () => {
  it('of the file, the flags, the environment and the rules between them', () => {
    const lines = refused({
      file: file('runn: {}\nsource:\n  timezone: Berlin\nrun:\n  rate: [1000/60, often]\n'),
      flags: { set: ['run.batchSize=many'], quiet: true, verbose: true },
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
      --set run.batchSize must be a whole number from 1 to 10000, not "many".
      HELPDESK_TOKEN must be the token alone, without the word Bearer.
      --quiet and --verbose cannot be combined: leave out one of them.
      There is nothing to read: name the files or the folder of the export, or set source.files in the settings file."
    `);
  });

  it.each(together)('%j', (inputs, message) => {
    expect(refused(inputs)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ['a dry run', { dryRun: true }],
    ['the sandbox', { sandbox: true }],
  ])('%s needs neither target nor token', (_, flags) => {
    expect(refused({ flags, needs: ['target', 'credentials'] })).toEqual([]);
  });
});

describe('an allowed but unwise setting is a warning', () => {
  it.each([
    [{ file: file('run: { batchSize: 49 }') }, 'The batch size is 49; 50 to 100 is recommended'],
    [{ flags: { baseUrl: 'http://10.0.0.7' }, needs: ['target'] as const }, 'is not https'],
    [
      {
        flags: { set: ['appApi.baseUrl=http://10.0.0.7'] },
        needs: ['appApi'] as const,
        env: { HELPDESK_APP_ID: 'a', HELPDESK_APP_KEY: 'k' },
      },
      'not https',
    ],
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
    [{ ...oauth, HELPDESK_REFRESH_TOKEN_FILE: 'f' }, 'oauth'],
  ])('%j', (env, kind) => {
    expect(resolve({ env }).settings.credentials?.kind).toBe(kind);
  });

  it('no secret is printed with the settings, however they are printed', () => {
    const env = { ...oauth, HELPDESK_CLIENT_SECRET: 'hush-1' };
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

describe('a variable that does nothing is an error', () => {
  const complained = (env: Record<string, string>) => {
    try {
      requireKnownVariables(env);
      return '';
    } catch (error) {
      return (error as AppError).lines.join('\n');
    }
  };
  it.each([
    ['HELPDESK_TOKN', 'Did you mean "HELPDESK_TOKEN"?'],
    ['HELPDESK_BASEURL', 'Did you mean "HELPDESK_BASE_URL"?'],
    ['HELPDESK_TOKENFILE', 'Did you mean "HELPDESK_TOKEN_FILE"?'],
    ['helpdesk_client_secret', 'Did you mean "HELPDESK_CLIENT_SECRET"?'],
    ['HELP_DESK_SCOPE', 'Did you mean "HELPDESK_SCOPE"?'],
    ['HELPDESK_REFRESH_TOKEN', 'HELPDESK_REFRESH_TOKEN_FILE'],
    ['HELPDESK_RUN_BATCHSIZE', 'Unset it.'],
  ])('%s', (name, said) => {
    expect(complained({ [name]: 'x' })).toContain(`"${name}" is no environment variable`);
    expect(complained({ [name]: 'secret-value' })).toContain(said);
    expect(complained({ [name]: 'secret-value' })).not.toContain('secret-value');
  });

  it('empty ones and those of others are left alone', () => {
    expect(complained({ HELPDESK_TOKN: ' ', ZENDESK_TOKEN: 'x', HELPDESK: 'x', HOME: '/' })).toBe('');
  });
});
