/** A plan is written by a dry run, approved by people, and compared with what a run would send. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { openScene, type Scene, writeExport } from '../cli/scene.ts';
import { agentRows } from '../support/agent-rows.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const small = folder.join('small');
mkdirSync(small);
writeExport(join(small, 'tickets.jsonl'), 20);

const one = (text: string) => text.replaceAll(/\s+/g, ' ');

async function command(scene: Scene, line: string, env: Record<string, string> = scene.env) {
  const fast = line.startsWith('run') ? ['--set', 'run.rate=100000/1'] : [];
  const result = await commandLine([...line.split(' '), ...fast], { cwd: scene.folder.path, env });
  const isJson = line.includes('--json') && result.stdout !== '';
  return { ...result, stderr: one(result.stderr), json: isJson ? JSON.parse(result.stdout) : undefined };
}

const writes = ({ sandbox }: Scene) => sandbox.log.requests().filter(({ method }) => method !== 'GET');

describe('a plan', () => {
  it('is readable for its owner alone, and the screen says how a run is compared with it', async () => {
    await using scene = await openScene();
    const { code, stdout } = await command(scene, `run ${small} --dry-run --plan my.plan`);
    expect(code).toBe(0);
    expect(one(stdout)).toContain("my.plan, which holds customers' messages: only you can read it");
    expect(one(stdout)).toMatch(/helpdesk-import run \S+ .*--trial --approved my\.plan/);
    expect(statSync(scene.folder.join('my.plan')).mode & 0o777).toBe(0o600);
    expect(readdirSync(scene.folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('takes the place of an earlier plan, and of no other file', async () => {
    await using scene = await openScene();
    const write = (path: string, more = '--dry-run') => command(scene, `run ${small} ${more} --plan ${path}`);
    expect((await write('my.plan')).code).toBe(0);
    expect((await write('my.plan')).code).toBe(0);
    writeFileSync(scene.folder.join('notes.txt'), 'mine');
    expect((await write('notes.txt')).code).toBe(2);
    await command(scene, `run ${small} --limit 1 --yes`);
    const checkpoint = 'helpdesk-import.checkpoint.sqlite';
    expect((await write(checkpoint)).stderr).toContain('another file of this run');
    expect((await write(checkpoint, '--dry-run --checkpoint other.sqlite')).stderr).toContain(
      'is a database',
    );
    expect((await write('my.plan', '--yes')).stderr).toContain('--plan has an effect only with --dry-run');
    expect((await write('-')).stderr).toContain('A plan is a file');
  });

  it('is not an export: each command that is given one names what does its work', async () => {
    await using scene = await openScene();
    await command(scene, `run ${small} --dry-run --plan my.plan`);
    for (const line of ['run my.plan', 'init my.plan --yes', 'inspect my.plan']) {
      const { code, stderr } = await command(scene, line);
      expect([code, stderr], line).toEqual([2, expect.stringMatching(/run <export> .*--approved <plan>/)]);
    }
  });
});

describe('a run with an approved plan', () => {
  it.each([
    ['the native layout', small, 0],
    ['an export with rejected tickets', join(fixtures, 'native/bad/csv'), 3],
    ['a Zendesk export', join(fixtures, 'zendesk-export'), 0],
  ])('sends what was planned without a helpdesk, in parts and as a whole: %s', async (_of, from, ends) => {
    await using scene = await openScene();
    cpSync(from, scene.folder.join('export'), { recursive: true });
    const planned = await command(scene, 'run export --dry-run --plan my.plan --json', {});
    expect(planned.json?.planFile, planned.stderr).toEqual({ path: 'my.plan' });
    for (const part of ['--trial 5', '--limit 3', '', '--delta']) {
      const { code, stderr } = await command(
        scene,
        `run export ${part} --approved my.plan --yes`.replace('  ', ' '),
      );
      expect(code, stderr).toBe(ends);
      expect(stderr).toMatch(/tickets? (?:is|are) as approved in my\.plan\./);
    }
  });

  it('sends nothing if tickets are new, gone or changed, and names the first of them by number and part', async () => {
    await using scene = await openScene();
    const file = scene.folder.join('tickets.json');
    const message = (content: string) => ({
      actorType: 'customer',
      contact: { email: 'c@example.com' },
      content,
      occurredAt: '2024-01-01T00:00:00Z',
    });
    const ticket = (id: number, more = {}) => ({
      id: String(id),
      subject: `Subject ${id}`,
      contact: { email: `c${id}@example.com` },
      createdAt: '2024-01-01T00:00:00Z',
      messages: [message(`Text ${id}`)],
      ...more,
    });
    const write = (...tickets: object[]) => writeFileSync(file, JSON.stringify(tickets));
    write(ticket(1), ticket(2), ticket(3), ticket(4), ticket(5));
    await command(scene, 'run tickets.json --dry-run --plan my.plan --limit 4');
    write(
      ticket(1),
      ticket(2, { status: 'closed' }),
      ticket(3, { messages: [message('Another')] }),
      ticket(5),
    );
    const expected = [
      '4 tickets differ from the approved plan my.plan: 1 new, 1 gone, 2 changed.',
      '2: status',
      '3: message 1, content',
      '5: new',
      '4: not in the export',
      'Nothing was sent.',
    ];
    for (const mode of ['--yes', '--dry-run', '--trial --yes']) {
      const { code, stdout, stderr } = await command(scene, `run tickets.json ${mode} --approved my.plan`);
      expect(code, stderr).toBe(2);
      for (const part of expected) expect(one(stdout) + stderr, mode).toContain(part);
    }
    expect(writes(scene)).toEqual([]);
  });

  it('names settings, mapping and version that changed, also if no ticket differs', async () => {
    await using scene = await openScene();
    await command(scene, `run ${small} --dry-run --plan my.plan`);
    const plan = new Database(scene.folder.join('my.plan'));
    plan.prepare(`UPDATE meta SET value = '9.9.9' WHERE key = 'program_version'`).run();
    plan.close();
    const same = await command(scene, `run ${small} --approved my.plan --dry-run --set source.timezone=UTC`);
    expect([same.code, same.stderr]).toEqual([
      0,
      expect.stringMatching(
        /Changed since, without an effect on them: source\.timezone, version of helpdesk-import \(approved 9\.9\.9/,
      ),
    ]);
    writeFileSync(
      scene.folder.join('own.yaml'),
      'target: { subject: "[old] {subject}" }\nmapping: { extends: native }\n',
    );
    const other = await command(scene, `run ${small} --approved my.plan --yes -c own.yaml`);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(
        /20 tickets differ .*: 0 new, 0 gone, 20 changed\..*e1: subject .*and 15 more.*Changed since: mapping, target\.subject/,
      ),
    ]);
    expect(writes(scene)).toEqual([]);
  });

  it('compares agents by what the export calls them, with or without a helpdesk, and by ID in one helpdesk', async () => {
    await using scene = await openScene({ inventAgents: false });
    const ids = ['ana', 'ben'].map(
      (name) => scene.sandbox.store.agents.add({ email: `${name}@team.example` }).id,
    );
    const write = (...agents: string[]) =>
      writeFileSync(
        scene.folder.join('tickets.csv'),
        ['id,subject,text,email,agent,at']
          .concat(
            agents.map(
              (agent, at) => `${at},S,T,c${at}@example.com,${agent}@team.example,2024-01-01T00:00:00Z`,
            ),
          )
          .join('\n'),
      );
    const settings = (more: string) =>
      writeFileSync(
        scene.folder.join('own.yaml'),
        `${more}\n${agentRows({ requester: 'email: email', author: 'email: agent' })}`,
      );
    const run = (more: string, env = scene.env) => command(scene, `run tickets.csv -c own.yaml ${more}`, env);
    settings('');
    write('ana', 'ben');
    await run('--dry-run --plan without.plan', {});
    await run('--dry-run --plan with.plan');
    for (const plan of ['without.plan', 'with.plan'])
      expect((await run(`--dry-run --approved ${plan}`)).code, plan).toBe(0);
    write('ben', 'ben');
    for (const plan of ['without.plan', 'with.plan'])
      expect((await run(`--yes --approved ${plan}`)).stderr).toMatch(/ 0: (?:agents|message 1, agent)/);
    write('ana', 'ben');
    settings(`agents: { ana@team.example: "${ids[1]}" }`);
    expect((await run('--yes --approved with.plan')).stderr).toMatch(
      /0: message 1, agent .*Changed since: agents/,
    );
    expect(writes(scene)).toEqual([]);
  });

  it('refuses a plan that was damaged, is no plan, or holds tables that this version would not write', async () => {
    await using scene = await openScene();
    const path = scene.folder.join('my.plan');
    await command(scene, `run ${small} --dry-run --plan my.plan`);
    const whole = readFileSync(path);
    const refused = async (change: (plan: InstanceType<typeof Database>) => void) => {
      writeFileSync(path, whole);
      const plan = new Database(path);
      change(plan);
      plan.close();
      const { code, stderr } = await command(scene, `run ${small} --yes --approved my.plan`);
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
    expect((await command(scene, `run ${small} --yes --approved my.plan`)).code).toBe(2);
    writeFileSync(path, 'text');
    expect((await command(scene, `run ${small} --yes --approved my.plan`)).stderr).toContain('my.plan');
    expect((await command(scene, `run ${small} --yes --approved none.plan`)).stderr).toContain(
      'cannot be opened',
    );
    expect(writes(scene)).toEqual([]);
  });
});
