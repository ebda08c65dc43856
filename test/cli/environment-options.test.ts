/** Options that variables give: what they become, what goes before them, and what is said of a wrong one. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unknownVariables, variableOf, withVariables } from '../../src/cli/environment-options.ts';
import { RUN_OPTIONS } from '../../src/cli/options.ts';
import { tickets } from '../library/tickets.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const given = (env: Record<string, string>, typed = {}) => withVariables(typed, RUN_OPTIONS, env, false);

describe('a variable stands for an option', () => {
  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['a value', { HELPDESK_IMPORT_BATCH_SIZE: ' 50 ' }, { batchSize: '50' }],
    ['a switch', { HELPDESK_IMPORT_DRY_RUN: 'true' }, { dryRun: true }],
    ['a switch by number', { HELPDESK_IMPORT_YES: '1' }, { yes: true }],
    ['a switch that is off', { HELPDESK_IMPORT_DRY_RUN: 'false', HELPDESK_IMPORT_YES: '0' }, {}],
    ['an empty variable counts as unset', { HELPDESK_IMPORT_LIMIT: '', HELPDESK_IMPORT_DRY_RUN: ' ' }, {}],
    ['a negative switch', { HELPDESK_IMPORT_NO_COLOR: 'true' }, { color: false }],
    ['one that is repeated', { HELPDESK_IMPORT_RATE: '250/5, 1000/60' }, { rate: ['250/5', '1000/60'] }],
    ['an optional value that is left out', { HELPDESK_IMPORT_TRIAL: 'true' }, { trial: true }],
    ['an optional value', { HELPDESK_IMPORT_TRIAL: '6' }, { trial: '6' }],
    ['the settings file', { HELPDESK_IMPORT_CONFIG: 'a.yaml' }, { config: 'a.yaml' }],
  ])('%s', (_name, env, flags) => expect(given(env).flags).toEqual(flags));

  it('of every option of run there is one, and no two share it', () => {
    const names = RUN_OPTIONS.map((option) => variableOf(option, false));
    expect(new Set(names).size).toBe(RUN_OPTIONS.length);
    for (const name of names) expect(name).toMatch(/^HELPDESK_IMPORT_[A-Z_]+$/);
  });

  it('what is typed goes before it', () => {
    const { flags, variables } = given({ HELPDESK_IMPORT_LIMIT: '5' }, { limit: '7' });
    expect(flags).toEqual({ limit: '7' });
    expect(variables.size).toBe(0);
  });

  it('billing data has variables of its own', () => {
    const option = { flags: '--checkpoint <file>' };
    expect(variableOf(option, true)).toBe('HELPDESK_IMPORT_BILLING_CHECKPOINT');
    expect(variableOf(option, false)).toBe('HELPDESK_IMPORT_CHECKPOINT');
  });

  it('a checkpoint of the real service is not used for a sandbox', () => {
    const env = { HELPDESK_IMPORT_CHECKPOINT: 'real.sqlite', HELPDESK_IMPORT_LIMIT: '5' };
    expect(given(env, { sandbox: true }).flags).toEqual({ sandbox: true, limit: '5' });
    expect(given({ ...env, HELPDESK_IMPORT_SANDBOX: 'true' }).flags).toEqual({ sandbox: true, limit: '5' });
  });

  it('every switch that is neither true nor false is told, not the first one alone', () => {
    const env = { HELPDESK_IMPORT_DRY_RUN: 'maybe', HELPDESK_IMPORT_YES: 'perhaps' };
    const told = (() => {
      try {
        return given(env).flags;
      } catch (error) {
        return error;
      }
    })();
    expect(told).toMatchObject({
      message: 'HELPDESK_IMPORT_DRY_RUN must be true or false, not "maybe".',
      lines: ['HELPDESK_IMPORT_YES must be true or false, not "perhaps".'],
    });
  });

  it('a variable that no option has is named, with the one that is meant', () => {
    const known = new Set(RUN_OPTIONS.map((option) => variableOf(option, false)));
    expect(unknownVariables({ HELPDESK_IMPORT_BATHC_SIZE: '50', HELPDESK_TOKEN: 'x' }, known)).toEqual([
      'HELPDESK_IMPORT_BATHC_SIZE is set, and no option has that variable. Did you mean "HELPDESK_IMPORT_BATCH_SIZE"?',
    ]);
  });
});

describe('a command', () => {
  function scene() {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const file = folder.join('tickets.jsonl');
    writeFileSync(file, tickets(3));
    return { cwd: folder.path, file };
  }

  it('takes its options from variables', async () => {
    const { cwd, file } = scene();
    const env = { HELPDESK_IMPORT_DRY_RUN: 'true', HELPDESK_IMPORT_JSON: '1', HELPDESK_IMPORT_LIMIT: '2' };
    const { code, stdout } = await commandLine(['run', file], { cwd, env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ mode: 'dry-run', tickets: { pending: 2, skipped: 1 } });
  });

  it.each<[Record<string, string>, string]>([
    [{ HELPDESK_IMPORT_DRY_RUN: 'maybe' }, 'HELPDESK_IMPORT_DRY_RUN must be true or false, not "maybe".'],
    [{ HELPDESK_IMPORT_DRY_RUN: 'true', HELPDESK_IMPORT_LIMIT: 'many' }, 'HELPDESK_IMPORT_LIMIT '],
  ])('names the variable that is wrong: %j', async (env, sentence) => {
    const { cwd, file } = scene();
    const { code, stderr } = await commandLine(['run', file], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  it('tells an error as JSON where a variable asks for it', async () => {
    const { cwd } = scene();
    const env = { HELPDESK_IMPORT_JSON: 'true', HELPDESK_IMPORT_DRY_RUN: 'true' };
    const { code, stdout } = await commandLine(['run', 'none.jsonl'], { cwd, env });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ mode: 'dry-run', exitCode: 2 });
  });
});
