import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_FAULTS } from '../../src/sandbox/faults/fault-plan.ts';
import { openScene, writeExport } from '../cli/scene.ts';
import { root, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { importLibrary } from './library.ts';
import { tickets } from './tickets.ts';

const { AppError, inspect, resolve, runImport, status, verify } = await importLibrary();

async function sceneWithDoubts() {
  const scene = await openScene({
    faultTexts: ['unreadable', 'reset-after@create#1-2', 'reset-before@create#3'],
  });
  writeExport(scene.folder.join('export.jsonl'), 3);
  const files = scene.folder.join('export.jsonl');
  const shared = {
    target: {
      baseUrl: scene.env['HELPDESK_BASE_URL'] ?? '',
      credentials: { token: scene.env['HELPDESK_TOKEN'] ?? '' },
    },
    checkpoint: scene.folder.join('checkpoint.sqlite'),
  };
  const { summary } = await runImport({
    ...shared,
    files,
    settings: { run: { concurrency: 1 } },
  });
  expect(summary.tickets.inDoubt).toBe(3);
  scene.sandbox.setFaults(NO_FAULTS);
  return { scene, shared, files };
}

describe('the functions of the library', () => {
  it('inspect gives what inspect --json prints', async () => {
    using folder = temporaryFolder();
    const files = folder.join('export.jsonl');
    writeFileSync(files, tickets(12));
    const { conversations: _, ...printed } = JSON.parse(
      (await commandLine(['inspect', files, '--json'], { cwd: folder.path })).stdout,
    );
    expect(JSON.parse(JSON.stringify(await inspect({ files })))).toEqual(printed);
  });

  it('settles doubts by decision, and the next import adopts what is there and sends the rest; verify finds all of it equal', async () => {
    const { scene, shared, files } = await sceneWithDoubts();
    await using _ = scene;
    const listed = await resolve({ checkpoint: shared.checkpoint });
    expect(listed).toMatchObject({ settled: [], inDoubtTotal: 3 });
    expect(listed.inDoubt[0]).toMatchObject({ externalId: 'e1', subject: 'Subject of e1' });

    const decided = await resolve({
      checkpoint: shared.checkpoint,
      decisions: [{ externalId: 'e3', action: 'retry' }],
    });
    expect(decided).toMatchObject({ settled: [{ externalId: 'e3', action: 'retry' }], inDoubtTotal: 2 });

    expect(
      (await runImport({ ...shared, files, settings: { run: { timeout: 3 } } })).summary.tickets,
    ).toMatchObject({ done: 3, inDoubt: 0 });
    expect(scene.sandbox.store.log.duplicates()).toEqual([]);
    const verified = await verify({ ...shared, files, sample: 'all' });
    expect(verified).toMatchObject({ exitCode: 0, findings: { compared: 3, equal: 3 } });
  });

  it('of decisions that contradict each other none is carried out', async () => {
    const { scene, shared } = await sceneWithDoubts();
    await using _ = scene;
    const wrong = resolve({
      checkpoint: shared.checkpoint,
      decisions: [
        { externalId: 'e1', action: 'retry' },
        { externalId: 'e9', action: 'skip' },
      ],
    });
    await expect(wrong).rejects.toMatchObject({
      code: 'usage',
      lines: ['decisions[1]: the checkpoint knows no ticket e9.'],
    });
    expect((await resolve({ checkpoint: shared.checkpoint })).inDoubtTotal).toBe(3);
  });

  it('status has the counts, the reasons and the tickets, and changes nothing', async () => {
    const { scene, shared } = await sceneWithDoubts();
    await using _ = scene;
    const held = readFileSync(shared.checkpoint);
    const { total, checkpoints, inDoubt, failed } = await status({
      checkpoint: shared.checkpoint,
      list: 2,
    });
    expect(total).toMatchObject({ known: 3, inDoubt: 3, done: 0 });
    expect(inDoubt.map(({ externalId }) => externalId)).toEqual(['e1', 'e2']);
    expect([failed, checkpoints[0]?.checkpoint]).toEqual([[], shared.checkpoint]);
    expect(readFileSync(shared.checkpoint)).toEqual(held);
  });

  const stopped = { signal: AbortSignal.abort(new Error('enough')) };
  const calls = {
    inspect: () => inspect({ files: 'export.jsonl', ...stopped }),
    verify: () => verify({ files: 'export.jsonl', target: { sandbox: 'none' }, ...stopped }),
    status: () => status({ checkpoint: 'none.sqlite', ...stopped }),
    resolve: () => resolve({ checkpoint: 'none.sqlite', ...stopped }),
    runImport: () => runImport({ files: 'export.jsonl', mode: 'dry-run', ...stopped }),
  };
  it.each(Object.entries(calls))('%s heeds a signal that is aborted before it begins', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ code: 'interrupted', cause: { message: 'enough' } });
  });

  it('a listener that throws ends verify with what it threw', async () => {
    using folder = temporaryFolder();
    const files = folder.join('export.jsonl');
    writeFileSync(files, tickets(3));
    const shared = { files, target: { sandbox: folder.join('sandbox') } };
    await runImport(shared);
    const onEvent = () => {
      throw new RangeError('of the listener');
    };
    await expect(verify({ ...shared, onEvent })).rejects.toThrow(new RangeError('of the listener'));
  });

  it('an option that a function does not have is named', async () => {
    const misspelt = { checkpoints: 'a.sqlite', checkpoint: 'a.sqlite' };
    await expect(status(misspelt)).rejects.toEqual(
      new AppError('usage', 'status has no option checkpoints. Did you mean "checkpoint"?'),
    );
    await expect(verify({ files: 'a.jsonl', sample: 0 })).rejects.toThrow(
      'sample must be a whole number from 1',
    );
  });

  it('every event is documented, and no other', () => {
    const types = (file: string, pattern: RegExp) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, name]) => name);
    const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
    const table = page.slice(page.indexOf('| event |')).split('\n\n')[0] ?? '';
    const documented = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(
      types('src/domain/run-events.ts', /\btype: '([\w-]+)'/g).toSorted(),
    );
  });
});
