/** The target is who it was, and a new checkpoint creates nothing again: by the built program's engine against the sandbox. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shardKey, shardOf } from '../../src/plan/selection.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const addressOf = (id: string) => `${id.toLowerCase()}@example.com`;

const line = (id: string, email = addressOf(id)) =>
  JSON.stringify({
    id,
    subject: `Subject of ${id}`,
    createdAt: '2024-03-01T10:00:00Z',
    contact: { email },
    messages: [
      {
        actorType: 'customer',
        content: `Hello from ${id}`,
        occurredAt: '2024-03-01T10:00:00Z',
        contact: { email },
      },
    ],
  });

async function scene() {
  const folder = temporaryFolder();
  const workspace = (name: string, port = 0) =>
    startSandbox({ dir: folder.join(name), port, clock: systemClock });
  const write = (...ids: string[]) =>
    writeFileSync(folder.join('export.jsonl'), `${ids.map((id) => line(id)).join('\n')}\n`);
  const run = async (sandbox: Sandbox, ...flags: string[]) => {
    const env = { HELPDESK_BASE_URL: sandbox.url, HELPDESK_TOKEN: sandbox.token };
    const ran = await commandLine(['run', 'export.jsonl', '--rate', '10000/1', '--json', ...flags], {
      cwd: folder.path,
      env,
    });
    return { ...ran, reported: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) };
  };
  const forget = () => {
    for (const end of ['', '-wal', '-shm', '.lock'])
      rmSync(folder.join(`helpdesk-import.checkpoint.sqlite${end}`), { force: true });
  };
  mkdirSync(folder.path, { recursive: true });
  return { folder, workspace, write, run, forget, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const creates = (sandbox: Sandbox) => sandbox.store.log.creates().length;
const writes = (sandbox: Sandbox) =>
  sandbox.store.log.requests({}).filter(({ method }) => method === 'POST' || method === 'PUT').length;

describe('another workspace behind the same address', () => {
  it.each([
    ['an empty one', []],
    ['one with tickets of its own under other ids', ['X', 'Y', 'Z']],
  ])('%s is refused before anything is written', async (_, others) => {
    using desk = await scene();
    desk.write('A', 'B', 'C');
    const staging = await desk.workspace('staging');
    expect((await desk.run(staging)).code).toBe(0);
    const { port } = new URL(staging.url);
    await staging.close();
    const production = await desk.workspace('production', Number(port));
    for (const id of others)
      await fetch(`${production.url}/api/core/v1/tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${production.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ subject: `Theirs ${id}`, createdAt: '2023-01-01T00:00:00Z' }),
      });
    const before = writes(production);
    desk.write('A', 'B', 'C', 'D');
    for (const flags of [[], ['--delta']]) {
      const refused = await desk.run(production, ...flags);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/another workspace|not the one/);
    }
    expect(writes(production)).toBe(before);
    await production.close();
  });
});

describe('a new checkpoint', () => {
  it('against a target that has tickets of this source creates nothing, and says what to do', async () => {
    using desk = await scene();
    desk.write('A', 'B');
    const target = await desk.workspace('target');
    expect((await desk.run(target)).code).toBe(0);
    desk.forget();
    const refused = await desk.run(target);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/checkpoint rebuild/);
    expect(refused.stderr).toMatch(/--source-name/);
    expect(creates(target)).toBe(2);
    await target.close();
  });
});

describe('a checkpoint that does not know all', () => {
  it('typed without the settings file that named the source is refused; a name that is given is meant', async () => {
    using desk = await scene();
    desk.write('A', 'B', 'C');
    const service = await desk.workspace('service');
    writeFileSync(desk.folder.join('brand.yaml'), 'source:\n  name: brand\n');
    const asBrand = ['-c', 'brand.yaml', '--checkpoint', 'brand.sqlite'];
    expect((await desk.run(service, ...asBrand)).code).toBe(0);
    const refused = await desk.run(service);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/has ticket A of this export[\s\S]*source\s+name\s+"brand"/);
    expect(creates(service)).toBe(3);
    desk.write('A', 'B', 'C', 'D');
    expect((await desk.run(service, ...asBrand)).code).toBe(0);
    expect(creates(service)).toBe(4);
    desk.forget();
    expect((await desk.run(service, '--source-name', 'again')).code).toBe(0);
    expect(creates(service)).toBe(8);
    await service.close();
  });

  it('an older copy of it finds what was imported since, and creates no ticket again', async () => {
    using desk = await scene();
    const target = await desk.workspace('target');
    desk.write('A', 'B');
    expect((await desk.run(target)).code).toBe(0);
    const file = desk.folder.join('helpdesk-import.checkpoint.sqlite');
    copyFileSync(file, `${file}.older`);
    desk.write('A', 'B', 'C', 'D');
    expect((await desk.run(target)).code).toBe(0);
    desk.forget();
    copyFileSync(`${file}.older`, file);
    desk.write('A', 'B', 'C', 'D', 'E');
    const ran = await desk.run(target);
    expect(ran.stderr).toMatch(/more tickets of the source/);
    expect(ran.reported.tickets).toMatchObject({ read: 5, done: 5 });
    expect(ran.code).toBe(0);
    expect(creates(target)).toBe(5);
    await target.close();
  });

  it('a corrected address that moves a ticket to another shard does not create it again', async () => {
    using desk = await scene();
    const target = await desk.workspace('target');
    const shard = (email: string) => shardOf(shardKey({ seq: 0, email }), 2);
    const corrected = [
      'new@example.com',
      'other@example.com',
      'third@example.com',
      'fourth@example.com',
    ].find((email) => shard(email) !== shard(addressOf('A')));
    const runBoth = async () => {
      const ends = [];
      for (const part of ['1/2', '2/2'])
        ends.push(await desk.run(target, '--shard', part, '--checkpoint', `part-${part[0]}.sqlite`));
      return ends;
    };
    desk.write('A', 'B', 'C', 'D', 'E', 'F');
    for (const { code } of await runBoth()) expect(code).toBe(0);
    expect(creates(target)).toBe(6);
    writeFileSync(
      desk.folder.join('export.jsonl'),
      `${[line('A', corrected), ...['B', 'C', 'D', 'E', 'F', 'G'].map((id) => line(id))].join('\n')}\n`,
    );
    const again = await runBoth();
    for (const { code } of again) expect(code).toBe(0);
    const codes = again.flatMap(({ reported }) =>
      reported.problems.map(({ code }: { code: string }) => code),
    );
    expect(codes).toContain('in-another-shard');
    expect(creates(target)).toBe(7);
    for (const { code } of await runBoth()) expect(code).toBe(0);
    expect(creates(target)).toBe(7);
    await target.close();
  });
});
