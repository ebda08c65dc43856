/**
 * A new user types whatever the screen says, word for word: every ticket is then in the helpdesk once, whatever happened on
 * the way. Each situation begins in a fresh folder, with everything about the import said by flags.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openScene, type Scene } from '../cli/scene.ts';
import { commandLine, startCommandLine, words } from '../support/command-line.ts';
import { tickets } from '../support/tickets.ts';

const COUNT = 12;
const SETTINGS = 'run:\n  checkpoint: acme.sqlite\n  rejects: left over\n';
/** Commands that only look, or need a person's eyes first. */
const LOOKS = /^helpdesk-import (status|doctor|sandbox|report|resolve(?!.*--(lookup|adopt|retry|skip)))/;

interface Situation {
  readonly flags?: readonly string[];
  readonly faults?: readonly string[];
  readonly export?: string;
  /** Stops the first command once this is shown. */
  readonly stopAt?: string;
  /** Impatiently. */
  readonly stopTwice?: boolean;
}

function commandsIn(screen: string): string[] {
  return screen.split('\n').flatMap((line) => /^ {4}(helpdesk-import .*)$/.exec(line)?.[1] ?? []);
}

function inTarget({ sandbox }: Scene) {
  const [all, different] = sandbox.store.database
    .prepare('SELECT count(*), count(DISTINCT subject) FROM tickets')
    .raw()
    .get() as [number, number];
  return { all, different };
}

const MESSY = `${tickets(COUNT - 1)}${JSON.stringify({ id: 'bad', subject: '', contact: { email: 'b@example.com' }, createdAt: '2024-05-01T10:00:00Z' })}\n`;

describe('following the advice never creates a ticket twice', () => {
  it.each<[what: string, situation: Situation]>([
    ['a dry run', { flags: ['--dry-run'] }],
    ['a trial', { flags: ['--trial', '5'] }],
    ['a run that is stopped', { stopAt: 'importing:', faults: ['slow=100:100@create'] }],
    [
      'a trial that is stopped',
      { flags: ['--trial', '5'], stopAt: 'importing:', faults: ['slow=100:100@create'] },
    ],
    [
      'a run that is stopped at once by a second Ctrl-C',
      { stopAt: 'importing:', stopTwice: true, faults: ['slow=1500:100@create'] },
    ],
    [
      'creates without an answer',
      { flags: ['--set', 'run.timeout=1'], faults: ['no-answer-after@create#2-3'] },
    ],
    ['creates that are cut off after they were done', { faults: ['reset-after@create#1-2'] }],
    ['rejected tickets', { export: MESSY }],
    ['tickets that the helpdesk refuses', { faults: ['422@create#2-3'] }],
    ['messages that are refused', { faults: ['422@messages#2-3'] }],
    ['a part of the export', { flags: ['--limit', '4'] }],
    ['a token without rights', { faults: ['403@create#3-4'] }],
  ])('%s', async (_, { flags = [], faults = [], stopAt, stopTwice, export: text = tickets(COUNT) }) => {
    await using scene = await openScene({ faultTexts: faults });
    const { folder, sandbox } = scene;
    writeFileSync(folder.join("the export's.jsonl"), text);
    writeFileSync(folder.join('own settings.yaml'), SETTINGS);
    const env = { HELPDESK_BASE_URL: sandbox.url, HELPDESK_TOKEN: sandbox.token };
    const options = { cwd: folder.path, env };
    const typed = ['run', "the export's.jsonl", '-c', 'own settings.yaml', ...flags];
    const first = startCommandLine(typed, options);
    if (stopAt !== undefined)
      void first.shown(stopAt).then(async () => {
        first.kill('SIGINT');
        if (stopTwice !== true) return;
        await first.shown('Press Ctrl-C again');
        first.kill('SIGINT');
      });
    const ended = await first.result;
    const queue = commandsIn(ended.stdout + ended.stderr);
    const done = new Set<string>();
    for (let reported = queue.shift(); reported !== undefined && done.size < 16; reported = queue.shift()) {
      // A person fills in the angle brackets, and uses --retry after a look.
      if (done.has(reported) || /<ticket id>|--retry|--skip/.test(reported)) continue;
      done.add(reported);
      const args = words(reported).slice(1);
      const { stdout, stderr, code } = await commandLine(
        args[0] === 'sandbox' ? ['status', '-h'] : args,
        options,
      );
      expect(stderr, reported).not.toMatch(
        /unknown option|missing argument|no target|There is no checkpoint/,
      );
      if (LOOKS.test(reported)) expect([0, 4, 5, 6], `${reported}\n${stdout}${stderr}`).toContain(code);
      queue.push(...commandsIn(stdout + stderr).filter((command) => !done.has(command)));
    }
    const { all, different } = inTarget(scene);
    expect(all).toBe(different);
    // All commands worked with the one checkpoint that the settings name.
    expect(existsSync(folder.join('helpdesk-import.checkpoint.sqlite'))).toBe(false);
    if (!flags.includes('--limit')) expect(all).toBe(text === MESSY ? COUNT - 1 : COUNT);
  });
});
