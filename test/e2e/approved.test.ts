/** A plan is written by a dry run, approved by people, and compared with what a run would send. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { agentRows } from '../support/agent-rows.ts';
import { fixtures } from '../support/cli.ts';
import { answeredTickets, LENIENT, openDesk, says, ticket } from '../support/desk.ts';

const one = (text: string) => text.replaceAll(/\s+/g, ' ');

/** With twenty tickets in the folder `small`. */
async function openWithPlan(options = {}) {
  const desk = await openDesk({ ...LENIENT, ...options });
  mkdirSync(desk.folder.join('small'));
  desk.write('small/tickets.jsonl', answeredTickets(20));
  const command = async (line: string, env: Record<string, string> = desk.env) => {
    const fast = line.startsWith('run') ? ['--set', 'run.rate=100000/1'] : [];
    const result = await desk.typeWith({ env }, ...line.split(' ').filter(Boolean), ...fast);
    const isJson = line.includes('--json') && result.stdout !== '';
    return { ...result, stderr: one(result.stderr), json: isJson ? JSON.parse(result.stdout) : undefined };
  };
  const writes = () => desk.sandbox.log.requests().filter(({ method }) => method !== 'GET');
  return { ...desk, command, writes };
}

describe('a plan', () => {
  it('is readable for its owner alone, and the screen says how a run is compared with it', async () => {
    const { command, folder } = await openWithPlan();
    const { code, stdout } = await command(`run small --dry-run --plan my.plan`);
    expect(code).toBe(0);
    expect(one(stdout)).toContain("my.plan, which holds customers' messages: only you can read it");
    expect(one(stdout)).toMatch(/helpdesk-import run \S+ .*--trial --approved my\.plan/);
    expect(statSync(folder.join('my.plan')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('takes the place of an earlier plan, and of no other file', async () => {
    const { command, write } = await openWithPlan();
    const planned = (path: string, more = '--dry-run') => command(`run small ${more} --plan ${path}`);
    expect((await planned('my.plan')).code).toBe(0);
    expect((await planned('my.plan')).code).toBe(0);
    write('notes.txt', 'mine');
    expect((await planned('notes.txt')).code).toBe(2);
    await command(`run small --limit 1 --yes`);
    const checkpoint = 'helpdesk-import.checkpoint.sqlite';
    expect((await planned(checkpoint)).stderr).toContain('another file of this run');
    expect((await planned(checkpoint, '--dry-run --checkpoint other.sqlite')).stderr).toContain(
      'is a database',
    );
    expect((await planned('my.plan', '--yes')).stderr).toContain('--plan has an effect only with --dry-run');
    expect((await planned('-')).stderr).toContain('A plan is a file');
  });

  it('is not an export: each command that is given one names what does its work', async () => {
    const { command } = await openWithPlan();
    await command(`run small --dry-run --plan my.plan`);
    for (const line of ['run my.plan', 'init my.plan --yes', 'inspect my.plan']) {
      const { code, stderr } = await command(line);
      expect([code, stderr], line).toEqual([2, expect.stringMatching(/run <export> .*--approved <plan>/)]);
    }
  });
});

describe('a run with an approved plan', () => {
  it.each([
    ['the native layout', undefined, 0],
    ['an export with rejected tickets', join(fixtures, 'native/bad/csv'), 3],
    ['a Zendesk export', join(fixtures, 'zendesk-export'), 0],
  ])('sends what was planned without a helpdesk, in parts and as a whole: %s', async (_of, from, ends) => {
    const { command, folder } = await openWithPlan();
    cpSync(from ?? folder.join('small'), folder.join('export'), { recursive: true });
    const planned = await command('run export --dry-run --plan my.plan --json', {});
    expect(planned.json?.planFile, planned.stderr).toEqual({ path: 'my.plan' });
    for (const part of ['--trial 5', '--limit 3', '', '--delta']) {
      const { code, stderr } = await command(`run export ${part} --approved my.plan --yes`);
      expect(code, stderr).toBe(ends);
      expect(stderr).toMatch(/tickets? (?:is|are) as approved in my\.plan\./);
    }
  });

  it('sends nothing if tickets are new, gone or changed, and names the first of them by number and part', async () => {
    const { command, write, writes } = await openWithPlan();
    const changed = (...tickets: object[]) => write('tickets.json', JSON.stringify(tickets));
    changed(...['1', '2', '3', '4', '5'].map((id) => ticket(id)));
    await command('run tickets.json --dry-run --plan my.plan --limit 4');
    const other = ticket('3', { messages: [says('Another')] });
    changed(ticket('1'), ticket('2', { status: 'closed' }), other, ticket('5'));
    const expected = [
      '4 tickets differ from the approved plan my.plan: 1 new, 1 gone, 2 changed.',
      '2: status',
      '3: message 1, content',
      '5: new',
      '4: not in the export',
      'Nothing was sent.',
    ];
    for (const mode of ['--yes', '--dry-run', '--trial --yes']) {
      const { code, stdout, stderr } = await command(`run tickets.json ${mode} --approved my.plan`);
      expect(code, stderr).toBe(2);
      for (const part of expected) expect(one(stdout) + stderr, mode).toContain(part);
    }
    expect(writes()).toEqual([]);
  });

  it('names settings, mapping and version that changed, also if no ticket differs', async () => {
    const { command, folder, write, writes } = await openWithPlan();
    await command(`run small --dry-run --plan my.plan`);
    const plan = new Database(folder.join('my.plan'));
    plan.prepare(`UPDATE meta SET value = '9.9.9' WHERE key = 'program_version'`).run();
    plan.close();
    const same = await command(`run small --approved my.plan --dry-run --set source.timezone=UTC`);
    expect([same.code, same.stderr]).toEqual([
      0,
      expect.stringMatching(
        /Changed since, without an effect on them: source\.timezone, version of helpdesk-import \(approved 9\.9\.9/,
      ),
    ]);
    write('own.yaml', 'target: { subject: "[old] {subject}" }\nmapping: { extends: native }\n');
    const other = await command(`run small --approved my.plan --yes -c own.yaml`);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(
        /20 tickets differ .*: 0 new, 0 gone, 20 changed\..*e1: subject .*and 15 more.*Changed since: mapping, target\.subject/,
      ),
    ]);
    expect(writes()).toEqual([]);
  });

  it('compares agents by what the export calls them, with or without a helpdesk, and by ID in one helpdesk', async () => {
    const { command, write, writes, sandbox } = await openWithPlan({ inventAgents: false });
    const ids = ['ana', 'ben'].map((name) => sandbox.store.agents.add({ email: `${name}@team.example` }).id);
    const answeredBy = (...agents: string[]) => {
      const rows = agents.map(
        (agent, at) => `${at},S,T,c${at}@example.com,${agent}@team.example,2024-01-01T00:00:00Z`,
      );
      write('tickets.csv', ['id,subject,text,email,agent,at', ...rows].join('\n'));
    };
    const settings = (more: string) =>
      write('own.yaml', `${more}\n${agentRows({ requester: 'email: email', author: 'email: agent' })}`);
    const run = (more: string, env?: Record<string, string>) =>
      command(`run tickets.csv -c own.yaml ${more}`, env);
    settings('');
    answeredBy('ana', 'ben');
    await run('--dry-run --plan without.plan', {});
    await run('--dry-run --plan with.plan');
    for (const plan of ['without.plan', 'with.plan'])
      expect((await run(`--dry-run --approved ${plan}`)).code, plan).toBe(0);
    answeredBy('ben', 'ben');
    for (const plan of ['without.plan', 'with.plan'])
      expect((await run(`--yes --approved ${plan}`)).stderr).toMatch(/ 0: (?:agents|message 1, agent)/);
    answeredBy('ana', 'ben');
    settings(`agents: { ana@team.example: "${ids[1]}" }`);
    expect((await run('--yes --approved with.plan')).stderr).toMatch(
      /0: message 1, agent .*Changed since: agents/,
    );
    expect(writes()).toEqual([]);
  });

  it('refuses a plan that was damaged, is no plan, or holds tables that this version would not write', async () => {
    const { command, folder, writes } = await openWithPlan();
    const path = folder.join('my.plan');
    await command(`run small --dry-run --plan my.plan`);
    const whole = readFileSync(path);
    const refused = async (change: (plan: InstanceType<typeof Database>) => void) => {
      writeFileSync(path, whole);
      const plan = new Database(path);
      change(plan);
      plan.close();
      const { code, stderr } = await command(`run small --yes --approved my.plan`);
      return `${code}: ${stderr}`;
    };
    const sql = (text: string) => refused((plan) => void plan.exec(text));
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
    expect(
      await sql(`DROP TABLE meta; CREATE VIEW meta AS ${endless} SELECT i AS key, i AS value FROM n`),
    ).toMatch(/^2: .*was changed or damaged/);
    expect(await sql('CREATE TRIGGER t AFTER INSERT ON ticket BEGIN DELETE FROM ticket; END')).toMatch(
      /^2: .*was changed or damaged/,
    );
    expect(await sql('ALTER TABLE ticket ADD COLUMN more')).toMatch(/^2: .*was changed or damaged/);
    expect(await sql('PRAGMA user_version = 99')).toMatch(/^2: .*has schema 99/);
    expect(await sql('PRAGMA application_id = 0')).toMatch(/^2: .*is not a plan/);
    expect(await sql(`UPDATE ticket SET messages = '${'['.repeat(50_000)}'`)).toMatch(
      /^2: .*was changed or damaged/,
    );
    expect(await sql(`UPDATE ticket SET external_id = external_id || char(27)`)).toMatch(
      /^2: .*20 new, 20 gone/,
    );
    writeFileSync(path, whole.subarray(0, whole.length - 8192));
    expect((await command(`run small --yes --approved my.plan`)).code).toBe(2);
    writeFileSync(path, 'text');
    expect((await command(`run small --yes --approved my.plan`)).stderr).toContain('my.plan');
    expect((await command(`run small --yes --approved none.plan`)).stderr).toContain('cannot be opened');
    expect(writes()).toEqual([]);
  });
});
