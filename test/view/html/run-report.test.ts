/** `run --report`. Where a report may be written is tested with the outputs of every command: test/cli/output-file.test.ts. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../../src/version.ts';
import { fixtures } from '../../support/cli.ts';
import { startCommandLine } from '../../support/command-line.ts';
import { LENIENT, openDesk, openFolder } from '../../support/desk.ts';
import { tickets } from '../../support/tickets.ts';
import { textOf } from '../sample.ts';

const bad = join(fixtures, 'native/bad/csv');

/** A dry run of an export with each mistake, and its page. */
async function dryRun(...more: readonly string[]) {
  const { folder, run, read } = openFolder();
  const json = await run('run', bad, '--dry-run', '--report', 'report.html', ...more);
  const page = read('report.html');
  return { json, page, text: textOf(page), folder };
}

describe('--report', () => {
  it('a dry run writes a report with its problems and its samples, for its owner alone; nothing else is written', async () => {
    const { json, text, folder } = await dryRun();
    expect(json).toMatchObject({ code: 3, report: 'report.html' });
    expect(text).toContain('2 of 32 tickets are ready to import.');
    expect(text).toContain('30 rejected tickets, until corrected');
    expect(text).toContain('Sample conversations 2');
    expect(text).toContain(`Made by helpdesk-import ${version()}`);
    expect(statSync(folder.join('report.html')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(['report.html']);
  });

  it('each kind of problem shows its line of the export, with the bad value marked, unless that is redacted', async () => {
    const { page, text } = await dryRun();
    expect(page).toContain(
      '<code dir="ltr">in a cell of two lines&quot;,<mark>mira.holt(at)example.com</mark>,,,,,2024-04-01T10:00:00Z,,,</code>',
    );
    expect(text).toContain('tickets.csv:12:25, ticket email');
    const redacted = await dryRun('--redact');
    expect(redacted.page).not.toContain('<mark>');
    expect(redacted.page).not.toContain('in a cell of two lines');
  });

  it('a run that is stopped half-way has its report all the same, and does not read the export again for it', async () => {
    const { write, read, where } = await openDesk(LENIENT);
    write('export.jsonl', tickets(200));
    const stopped = startCommandLine('run export.jsonl --yes --report report.html'.split(' '), where);
    await stopped.shown(/importing/);
    stopped.kill('SIGINT');
    expect((await stopped.result).code).toBe(130);
    const text = textOf(read('report.html'));
    expect(text).toContain('The import stopped early:');
    expect(text).toContain('Stopped');
    expect(text).toContain('the conversations were not read again');
  });

  it('a folder that is gone at the end costs the report, and not the result', async () => {
    const { folder } = openFolder();
    mkdirSync(folder.join('gone'));
    const args = ['run', bad, '--dry-run', '--report', 'gone/report.html', '--json'];
    const running = startCommandLine(args, { cwd: folder.path });
    await running.shown(/reading|checking/);
    rmSync(folder.join('gone'), { recursive: true });
    const { code, stdout, stderr } = await running.result;
    expect([code, stderr]).toEqual([6, expect.stringContaining('gone/report.html')]);
    expect(JSON.parse(stdout)).toMatchObject({ tickets: { read: 32, pending: 2 } });
  });
});
