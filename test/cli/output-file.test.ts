/** A name under which a command writes, and which is something else than a file: said at once, and nothing waits. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { requireOutputFile } from '../../src/cli/output-file.ts';
import { tickets } from '../library/tickets.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

describe.skipIf(process.platform === 'win32')('what is written as a file', () => {
  it('is not a pipe, a socket or a device', async () => {
    using folder = temporaryFolder();
    execFileSync('mkfifo', [folder.join('pipe')]);
    const socket = createServer();
    await new Promise<void>((listening) => socket.listen(folder.join('socket'), listening));
    for (const name of [folder.join('pipe'), folder.join('socket'), '/dev/null', '/dev/stdout', '/dev/new'])
      expect(() => requireOutputFile(name, 'It')).toThrow('It is a pipe or a device');
    await new Promise((closed) => socket.close(closed));
    mkdirSync(folder.join('folder'));
    writeFileSync(folder.join('file'), '');
    for (const name of ['file', 'folder', 'nothing', 'file/below'])
      requireOutputFile(folder.join(name), 'It');
    requireOutputFile('/dev/null', 'It', { mayBeStream: true });
  });

  it('is replaced behind a link, which stays one', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('export.jsonl'), tickets(2));
    writeFileSync(folder.join('real.html'), '');
    symlinkSync('real.html', folder.join('link.html'));
    const run = ['run', 'export.jsonl', '--dry-run', '--report', 'link.html'];
    const { code, stderr } = await commandLine(run, { cwd: folder.path });
    expect(code, stderr).toBe(0);
    expect(lstatSync(folder.join('link.html')).isSymbolicLink()).toBe(true);
    expect(readFileSync(folder.join('real.html'), 'utf8')).toContain('<!doctype html>');
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it.each([
    [['run', 'export.jsonl', '--dry-run', '--log-file', 'pipe']],
    [['run', 'export.jsonl', '--dry-run', '--report', 'pipe']],
    [['init', 'export.jsonl', '--yes', '--force', '-o', 'pipe']],
    [['map', '--format', 'csv', '--sandbox', '-o', 'pipe']],
  ])('%j', async (args) => {
    using folder = temporaryFolder();
    execFileSync('mkfifo', [folder.join('pipe')]);
    writeFileSync(folder.join('export.jsonl'), tickets(2));
    const { code, stderr } = await commandLine(args, { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain('is a pipe or a device, so it cannot be written as a file.');
    expect(lstatSync(folder.join('pipe')).isFIFO()).toBe(true);
  });
});
