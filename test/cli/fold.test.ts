import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { runCli } from '../../src/cli/program.ts';
import { contextFor } from './in-process.ts';

async function help(args: readonly string[], columns: number): Promise<string> {
  let shown = '';
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const { context } = contextFor('run', [], {}, { cwd: '.' });
  await runCli([...args, '--help'], { ...context, stdout });
  return shown;
}

const NAMES = COMMANDS.map(({ name, parent }) => (parent === undefined ? [name] : [parent, name]));

it.each([[], ...NAMES].map((name) => [name.join(' '), name] as const))(
  'the help of "%s" fits a terminal of 80 columns and loses no word',
  async (_, name) => {
    const narrow = await help(name, 80);
    expect(narrow.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const words = (text: string) => text.split(/\s+/);
    expect(words(narrow)).toEqual(words(await help(name, 120)));
  },
);
