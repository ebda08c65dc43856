/** An import goes on for hours, and somebody may install another version meanwhile: it ends with what it began with. */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RequestLog } from '../../src/sandbox/store/request-log.ts';
import { root, startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { withService } from './service-run.ts';

/** Attachments of a generated export stand nowhere, which a trial finds. */
it.each([
  ['an import', ['--report', 'report.html', '--check-attachments'], 0],
  ['a redacted import', ['--report', 'report.html', '--redact'], 0],
  ['a trial', ['--trial'], 3],
])('%s needs nothing of its installation once the first ticket is sent', async (_, more, expected) => {
  using folder = temporaryFolder();
  const installed = folder.join('installed');
  mkdirSync(installed);
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  await generateExport({
    tickets: 40,
    contacts: 9,
    messages: 2,
    events: true,
    seed: 5,
    dir: folder.join('export'),
    format: 'csv',
  });
  await withService({}, async (service) => {
    const { log } = service.store;
    log.add = (request) => {
      rmSync(join(installed, 'dist'), { recursive: true, force: true });
      RequestLog.prototype.add.call(log, request);
    };
    const run = startCli(['run', 'export', '--no-progress', '--yes', '--rate', '100000/1', ...more], {
      cwd: folder.path,
      env: service.env,
      program: join(installed, 'bin/helpdesk-import.js'),
    });
    const { code, stdout, stderr } = await run.result;
    expect({ code, stderr }).toEqual({
      code: expected,
      stderr: expect.not.stringContaining('Cannot find module'),
    });
    expect(stdout).toMatch(/tickets/);
    expect(existsSync(join(installed, 'dist'))).toBe(false);
    if (more.includes('report.html')) expect(existsSync(folder.join('report.html'))).toBe(true);
  });
});
