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

  it('status lists doubts and changes nothing, a contradiction settles nothing, and a settled doubt is imported by the next run', async () => {
    await using scene = await openScene({ faultTexts: ['unreadable', 'reset-before@create#1-2'] });
    const { checkpoint, env, sandbox } = scene;
    const files = scene.folder.join('export.jsonl');
    writeExport(files, 2);
    const target = {
      baseUrl: env['HELPDESK_BASE_URL'] ?? '',
      credentials: { token: env['HELPDESK_TOKEN'] ?? '' },
    };
    const options = { target, checkpoint, files, settings: { run: { concurrency: 1, rate: ['1000/1'] } } };
    expect((await runImport(options)).summary.tickets.inDoubt).toBe(2);
    sandbox.setFaults(NO_FAULTS);

    const held = readFileSync(checkpoint);
    const { total, inDoubt, failed } = await status({ checkpoint, list: 1 });
    expect(total).toMatchObject({ known: 2, inDoubt: 2, done: 0 });
    expect([inDoubt.map(({ externalId }) => externalId), failed]).toEqual([['e1'], []]);
    expect(readFileSync(checkpoint)).toEqual(held);

    const retry = (externalId: string) => ({ externalId, action: 'retry' }) as const;
    await expect(resolve({ checkpoint, decisions: [retry('e1'), retry('e9')] })).rejects.toMatchObject({
      code: 'usage',
      lines: ['decisions[1]: the checkpoint has no ticket e9.'],
    });
    expect((await resolve({ checkpoint })).inDoubtTotal).toBe(2);
    expect(await resolve({ checkpoint, decisions: [retry('e1'), retry('e2')] })).toMatchObject({
      settled: [{ externalId: 'e1' }, { externalId: 'e2' }],
      inDoubtTotal: 0,
    });
    expect((await runImport(options)).summary.tickets).toMatchObject({ done: 2, inDoubt: 0 });
    expect(sandbox.store.log.duplicates()).toEqual([]);
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
