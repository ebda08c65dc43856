/** A plan that was signed off is a file, and a run of it sends that: on the command line, against a service of this process. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { version } from '../../src/version.ts';
import { openScene, type Scene, writeExport } from '../cli/scene.ts';
import { agentRows } from '../support/agent-rows.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { openWire } from '../support/wire.ts';

const COUNT = 20;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
/** Of a few tickets, for all that does not depend on what is in them. */
const small = folder.join('small');
mkdirSync(small);
writeExport(join(small, 'tickets.jsonl'), COUNT);
const bad = join(fixtures, 'native/bad/csv');

async function command(scene: Scene, line: string, env = scene.env) {
  const words = line.split(' ');
  const fast = words[0] === 'run' ? ['--set', 'run.rate=100000/1'] : [];
  const result = await commandLine([...words, ...fast], { cwd: scene.folder.path, env });
  const isJson = line.includes('--json') && result.stdout !== '';
  return { ...result, json: isJson ? JSON.parse(result.stdout) : undefined };
}

/** Runs of another checkpoint each into a service of their own; what they sent, without the tag of the run. */
async function sentBy(lines: readonly string[], before: (scene: Scene) => Promise<void>): Promise<string[]> {
  await using scene = await openScene();
  await before(scene);
  await using wire = await openWire(scene.sandbox.url);
  const env = { ...scene.env, HELPDESK_BASE_URL: wire.url };
  for (const line of lines) await command(scene, `${line} --yes --json`, env);
  return wire.sent.map((request) => request.replaceAll(/run-\d{8}-\d{6}/g, 'run-tag')).sort();
}

/** A plan made without a service, and its export gone. */
const planned =
  (from: string, flags = '') =>
  async (scene: Scene) => {
    cpSync(from, scene.folder.join('export'), { recursive: true });
    const made = await command(scene, `run export --dry-run --plan approved.plan --json${flags}`, {});
    expect(made.json?.planFile, made.stderr).toBeDefined();
    rmSync(scene.folder.join('export'), { recursive: true });
  };

const copied = (from: string) => async (scene: Scene) =>
  cpSync(from, scene.folder.join('export'), { recursive: true });

describe('a plan that is kept', () => {
  it('is readable for its owner alone, and the screen says what it holds and how to send it', async () => {
    await using scene = await openScene();
    const result = await command(scene, `run ${small} --dry-run --plan approved.plan`);
    expect(result.code).toBe(0);
    expect(result.stdout.replaceAll(/\s+/g, ' ')).toContain(
      "approved.plan, which holds customers' messages: only you can read it",
    );
    expect(result.stdout).toMatch(/helpdesk-import run approved\.plan .*--trial/);
    expect(statSync(scene.folder.join('approved.plan')).mode & 0o777).toBe(0o600);
    expect(readdirSync(scene.folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('has one digest in the summary, in the report and in the run that sends it', async () => {
    await using scene = await openScene();
    const made = await command(
      scene,
      `run ${small} --dry-run --plan approved.plan --report plan.html --json`,
    );
    const { digest } = made.json.planFile;
    expect(digest).toMatch(/^[\da-f]{64}$/);
    expect(readFileSync(scene.folder.join('plan.html'), 'utf8')).toContain(digest);
    const sent = await command(scene, 'run approved.plan --only e1 --yes --json');
    expect(sent.json.planFile).toEqual({ path: 'approved.plan', digest });
    expect(sent.stderr.replaceAll(/\s+/g, '')).toContain(`digest${digest}`);
  });

  it('takes the place of an earlier plan, and of nothing else', async () => {
    await using scene = await openScene();
    const keep = (path: string, more = '') =>
      command(scene, `run ${small} --dry-run --limit 3 --plan ${path}${more}`);
    expect((await keep('approved.plan')).code).toBe(0);
    expect((await keep('approved.plan')).code).toBe(0);
    writeFileSync(scene.folder.join('notes.txt'), 'mine');
    expect((await keep('notes.txt')).code).toBe(2);
    await command(scene, `run ${small} --limit 1 --yes`);
    const checkpoint = 'helpdesk-import.checkpoint.sqlite';
    expect((await keep(checkpoint)).stderr).toContain('another file of this run');
    expect((await keep(checkpoint, ' --checkpoint other.sqlite')).stderr).toContain('is a database');
  });

  it('is made by a dry run of an export alone', async () => {
    await using scene = await openScene();
    await planned(small)(scene);
    const of = async (line: string) => {
      const { code, stderr } = await command(scene, line);
      return [code, stderr.replaceAll(/\s+/g, ' ')];
    };
    expect(await of(`run ${small} --plan other.plan --yes`)).toEqual([
      2,
      expect.stringContaining('--plan has an effect only with --dry-run'),
    ]);
    expect(await of('run approved.plan --dry-run --plan other.plan')).toEqual([
      2,
      expect.stringContaining('approved.plan is a plan already'),
    ]);
    expect(existsSync(scene.folder.join('other.plan'))).toBe(false);
    expect(await of(`run ${small} --dry-run --plan -`)).toEqual([
      2,
      expect.stringContaining('A plan is a file'),
    ]);
    expect(existsSync(scene.folder.join('-'))).toBe(false);
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'is refused before the export is read where its folder cannot be written',
    async () => {
      await using scene = await openScene();
      mkdirSync(scene.folder.join('closed'), { mode: 0o500 });
      const { code, stderr } = await command(scene, `run ${small} --dry-run --plan closed/approved.plan`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be written')]);
      expect(stderr).not.toContain('checking');
    },
  );

  it('is no export: other commands, and a folder that holds it, say what to do with it', async () => {
    await using scene = await openScene();
    await planned(small)(scene);
    for (const line of ['init approved.plan --yes', 'inspect approved.plan']) {
      const { code, stderr } = await command(scene, line);
      expect([code, stderr.replaceAll(/\s+/g, ' ')], line).toEqual([
        2,
        expect.stringContaining('is a plan of helpdesk-import, which cannot be read. → Run it alone'),
      ]);
    }
    const { code, stderr } = await command(scene, 'run . --dry-run');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('approved.plan was not read: it is a plan of helpdesk-import'),
    ]);
  });
});

describe('a run of a plan', () => {
  it.each([
    ['tickets with every field', join(fixtures, 'native/good/jsonl'), ''],
    ['tickets of which some are rejected', bad, ''],
    ['a Zendesk export', join(fixtures, 'zendesk-export'), ''],
  ])(
    'sends what a run of the export would send, byte for byte, without the export: %s',
    async (_of, from) => {
      const ofExport = await sentBy(['run export'], copied(from));
      const ofPlan = await sentBy(['run approved.plan'], planned(from));
      expect(ofPlan.length).toBeGreaterThan(0);
      expect(ofPlan).toEqual(ofExport);
    },
  );

  it('sends a part at a time as a run of the export does: a trial, one ticket, the rest', async () => {
    const parts = (of: string) => [
      `run ${of} --trial 5`,
      `run ${of} --only e7`,
      `run ${of} --until 2025-06-01`,
      `run ${of} --limit 8`,
      `run ${of}`,
    ];
    expect(await sentBy(parts('approved.plan'), planned(small))).toEqual(
      await sentBy(parts('export'), copied(small)),
    );
  });

  it('leaves out what its dry run left out', async () => {
    await using scene = await openScene();
    await planned(small, ' --limit 5')(scene);
    const { json } = await command(scene, 'run approved.plan --yes --json');
    expect(json.tickets).toMatchObject({ read: COUNT, done: 5, skipped: COUNT - 5 });
  });

  it('says to make another plan where this one lacks a setting, and prints no command that a plan refuses', async () => {
    await using scene = await openScene();
    await planned(bad)(scene);
    const { json } = await command(scene, 'run approved.plan --yes --json');
    const { next } = json as { next: { text: string; command?: string }[] };
    expect(next.map(({ text }) => text)).toContainEqual(expect.stringContaining('make a new plan'));
    expect(next.filter((step) => step.command?.includes('init'))).toEqual([]);
  });

  it('brings in by a delta what a later plan has', async () => {
    await using scene = await openScene();
    const rows = (text: string) =>
      [
        'id,subject,createdAt,requester_email,status',
        `1,First,2024-01-01T00:00:00Z,ana@example.com,${text}`,
        '2,Second,2024-01-02T00:00:00Z,ben@example.com,open',
      ].join('\n');
    writeFileSync(scene.folder.join('tickets.csv'), rows('open'));
    const keep = 'run tickets.csv --dry-run --plan approved.plan --json';
    await command(scene, keep);
    expect((await command(scene, 'run approved.plan --yes --json')).json.tickets.done).toBe(2);
    writeFileSync(scene.folder.join('tickets.csv'), rows('closed'));
    await command(scene, keep);
    const { json } = await command(scene, 'run approved.plan --delta --yes --json');
    expect(json.updates).toMatchObject({ found: 1, sent: 1, notUpdated: 0 });
  });

  it('is reviewed, explained, verified and rejected as the export is', async () => {
    await using scene = await openScene();
    cpSync(bad, scene.folder.join('export'), { recursive: true });
    await command(scene, 'run export --dry-run --plan approved.plan');
    const review = async (of: string) => {
      const { json } = await command(scene, `run ${of} --dry-run --set run.rejects=${of}.rejects --json`);
      const { planFile, durationMs, rejects, next, runTag, export: read, ...kept } = json;
      return { ...kept, export: { ...read, files: [] } };
    };
    expect(await review('approved.plan')).toEqual(await review('export'));
    const rejected = (of: string) => {
      const folder = scene.folder.join(`${of}.rejects`);
      return readdirSync(folder)
        .filter((name) => /\.(csv|jsonl)$/.test(name))
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
    };
    expect(rejected('approved.plan').length).toBeGreaterThan(0);
    expect(rejected('approved.plan')).toEqual(rejected('export'));
    await command(scene, 'run export --limit 5 --yes');
    const { json } = await command(scene, 'run approved.plan --yes --json');
    expect(json.tickets.done).toBeGreaterThan(0);
    const { code, stdout, stderr } = await command(scene, 'verify approved.plan --all');
    expect(code, stdout + stderr).toBe(0);
    const database = new Database(scene.folder.join('approved.plan'), { readonly: true });
    const id = database.prepare(`SELECT external_id FROM ticket WHERE verdict = 'valid'`).pluck().get();
    database.close();
    const explained = async (of: string) =>
      (await command(scene, `inspect ${of} --ticket ${id} --json`)).json;
    expect(await explained('approved.plan')).toEqual(await explained('export'));
  });
});

describe('agents that a plan names by their addresses', () => {
  const settings = (more: string) =>
    `${more}\n${agentRows({ requester: 'email: email', author: 'email: agent' })}`;
  const rows = ['ana@team.example', 'ben@team.example', 'ana@team.example'].map(
    (agent, at) => `${at},Subject ${at},Text ${at},c${at}@example.com,${agent},2024-01-0${at + 1}T00:00:00Z`,
  );
  const export_ = ['id,subject,text,email,agent,at', ...rows].join('\n');
  const prepared = async (scene: Scene, known: readonly string[], env: Record<string, string>, more = '') => {
    for (const email of known) scene.sandbox.store.agents.add({ email });
    writeFileSync(scene.folder.join('tickets.csv'), export_);
    writeFileSync(scene.folder.join('own.yaml'), settings(more));
    return await command(scene, 'run tickets.csv -c own.yaml --dry-run --plan approved.plan --json', env);
  };
  const openIn = (scene: Scene) => {
    const database = new Database(scene.folder.join('approved.plan'), { readonly: true });
    const open = database.prepare(`SELECT value FROM meta WHERE key = 'open_agents'`).pluck().get();
    database.close();
    return JSON.parse(String(open));
  };

  it('are looked up when it is made, if the helpdesk may be asked', async () => {
    await using scene = await openScene({ inventAgents: false });
    await prepared(scene, ['ana@team.example', 'ben@team.example'], scene.env);
    expect(openIn(scene)).toEqual([]);
    const before = scene.sandbox.log.requests().length;
    const { json } = await command(scene, 'run approved.plan --yes --json');
    expect(json.tickets.done).toBe(3);
    const asked = scene.sandbox.log.requests().slice(before);
    expect(asked.filter(({ path }) => path.includes('agents?email'))).toEqual([]);
  });

  it('are open in a plan that was made without it, and its run looks them up, and says so', async () => {
    const env = {};
    await using scene = await openScene({ inventAgents: false });
    await prepared(scene, ['ana@team.example', 'ben@team.example'], env);
    expect(openIn(scene)).toEqual(['ana@team.example', 'ben@team.example']);
    const { json, stderr } = await command(scene, 'run approved.plan --yes --json');
    expect(json.tickets.done).toBe(3);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('2 agents that the plan left open: looked up now.');
    const again = await command(scene, 'run tickets.csv -c own.yaml --yes --json');
    expect(again.json.tickets.done, again.stderr).toBe(3);
    expect(again.json.problemGroups.map(({ code }: { code: string }) => code)).not.toContain(
      'changed-since-import',
    );
  });

  it('stop its run before anything is sent if the helpdesk does not know them', async () => {
    await using scene = await openScene({ inventAgents: false });
    await prepared(scene, ['ana@team.example'], {});
    const { code, stderr } = await command(scene, 'run approved.plan --yes');
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      2,
      expect.stringContaining('does not know the agent ben@team.example of the plan approved.plan'),
    ]);
    expect(scene.sandbox.log.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('are the fallback agent of the plan if the helpdesk does not know them', async () => {
    await using scene = await openScene({ inventAgents: false });
    const { id } = scene.sandbox.store.agents.add({ email: 'left@team.example' });
    await prepared(scene, ['ana@team.example'], {}, `fallbackAgent: ${id}`);
    const { json } = await command(scene, 'run approved.plan --yes --json');
    expect(json.tickets.done).toBe(3);
    const database = scene.sandbox.store.database;
    expect(database.prepare('SELECT count(*) FROM messages WHERE agent_id = ?').pluck().get(id)).toBe(1);
  });
});

describe('a plan is refused, and nothing is sent', () => {
  const refused = async (scene: Scene, line: string) => {
    const { code, stderr } = await command(scene, line);
    expect(scene.sandbox.log.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
    return `${code}: ${stderr.replaceAll(/\s+/g, ' ')}`;
  };

  it('if any byte of it was changed', async () => {
    await using scene = await openScene();
    await planned(small, ' --limit 20')(scene);
    const path = scene.folder.join('approved.plan');
    const whole = readFileSync(path);
    const places = [
      18,
      60,
      99,
      200,
      ...Array.from({ length: 12 }, (_, at) => (at * whole.length) / 12 + 700),
    ];
    for (const place of places) {
      const bytes = Buffer.from(whole);
      const at = Math.min(Math.floor(place), whole.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(path, bytes);
      expect(await refused(scene, 'run approved.plan --yes'), `byte ${at}`).toMatch(/^2: /);
    }
    writeFileSync(path, whole.subarray(0, whole.length - 4096));
    expect(await refused(scene, 'run approved.plan --yes')).toContain('was changed or damaged');
    writeFileSync(path, whole);
    expect((await command(scene, 'run approved.plan --yes')).code).toBe(0);
  });

  it('if another version made it, and if it is no plan', async () => {
    await using scene = await openScene();
    await planned(small, ' --limit 2')(scene);
    const database = new Database(scene.folder.join('approved.plan'));
    database.prepare(`UPDATE meta SET value = '9.9.9' WHERE key = 'program_version'`).run();
    database.close();
    expect(await refused(scene, 'run approved.plan --yes')).toMatch(/^2: .*made by helpdesk-import 9\.9\.9/);
    const newer = new Database(scene.folder.join('approved.plan'));
    newer.prepare(`UPDATE meta SET value = ? WHERE key = 'program_version'`).run(version());
    newer.prepare(`UPDATE meta SET value = '99' WHERE key = 'schema_version'`).run();
    newer.close();
    expect(await refused(scene, 'run approved.plan --yes')).toMatch(
      /^2: .*has schema 99, and this is schema/,
    );
    const other = new Database(scene.folder.join('other.sqlite'));
    other.exec('CREATE TABLE ticket (id)');
    other.close();
    expect(await refused(scene, 'run other.sqlite --yes')).toMatch(/^2: .*no plan of helpdesk-import/);
    expect(await refused(scene, `run approved.plan ${small} --yes`)).toMatch(/^2: /);
  });

  it('with flags and settings that would map its tickets otherwise, but not with its own', async () => {
    await using scene = await openScene();
    const settings = (zone: string) =>
      writeFileSync(scene.folder.join('own.yaml'), `source: { timezone: ${zone} }\nunmapped: note\n`);
    settings('Europe/Berlin');
    await planned(small, ' --limit 2 -c own.yaml')(scene);
    expect(await refused(scene, 'run approved.plan --yes --from zendesk')).toMatch(
      /^2: .*--from cannot change the plan approved\.plan/,
    );
    settings('Europe/Paris');
    expect(await refused(scene, 'run approved.plan --yes -c own.yaml')).toMatch(
      /^2: .*differ from those of the plan approved\.plan \(source\.timezone\)/,
    );
    writeFileSync(scene.folder.join('other.yaml'), 'mapping: { extends: native, ignore: [x] }\n');
    expect(await refused(scene, 'run approved.plan --yes -c other.yaml')).toContain('(mapping)');
    settings('Europe/Berlin');
    expect((await command(scene, 'run approved.plan --yes -c own.yaml')).code).toBe(0);
  });

  it('with a checkpoint of other tickets, and the advice to name the source is advice for a new plan', async () => {
    await using scene = await openScene();
    await planned(small)(scene);
    writeFileSync(
      scene.folder.join('other.jsonl'),
      '{"id":"X1","subject":"x","contact":{"email":"x@example.org"},"createdAt":"2024-01-01T00:00:00Z"}\n',
    );
    expect((await command(scene, 'run other.jsonl --yes')).code).toBe(0);
    const { code, stderr } = await command(scene, 'run approved.plan --yes');
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'its own name with --set source.name=<name> in a new plan',
    );
  });
});
