/** `init` run as a person would run it, in a folder of its own, without a process. */
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Flags } from '../../src/cli/context.ts';
import type { Ask } from '../../src/cli/screen.ts';
import { initCommand } from '../../src/commands/init/init.ts';
import { inProcess } from '../cli/in-process.ts';

export const SCREEN = { LANG: 'C.UTF-8', LC_ALL: 'en_US.UTF-8', NO_COLOR: '1', COLUMNS: '110' };

/** Without a terminal, or with a person who answers each question. */
export const init = (cwd: string, files: readonly string[], flags: Flags = {}, ask?: Ask) =>
  inProcess('init', files, flags, { cwd, env: SCREEN }, (args, given, context) =>
    initCommand(args, given, context, ask),
  );

interface ShownField {
  readonly key: string;
  readonly from: string;
  readonly mark?: string;
  readonly words?: Readonly<Record<string, string | null>>;
  readonly meanings?: readonly string[] | undefined;
  readonly likely?: readonly string[];
}

/** One plain change for each line that is marked: the first meaning of a word, the first likely column. */
export function plainChanges({ fields }: { readonly fields: readonly ShownField[] }): string[] {
  return fields.flatMap(({ key, from, mark, words = {}, meanings = [], likely = [] }) => {
    if (mark === undefined) return [];
    const open = Object.entries(words).filter(([, meaning]) => meaning === null);
    if (open.length > 0) return open.map(([word]) => `${key}:${word}=${meanings[0]}`);
    const value = key === 'ticket.rows' ? from : (SETTLED[key] ?? likely[0] ?? '');
    return [`${key}=${value}`];
  });
}

const SETTLED: Readonly<Record<string, string>> = {
  'message.visibility': "'public'",
  otherAuthors: 'agent',
  'source.timezone': 'Europe/Madrid',
  'source.dayFirst': 'true',
  'source.missingCreatedAt': '2020-01-01T00:00:00Z',
  fallbackAgent: 'agt_1',
  'customersWithoutEmail.synthesize': 'customers.example.com',
};

/** What a person types where a prompt waits; `shown` is the screen since the last one. Undefined: the hand leaves the keys. */
export type Typist = (shown: string) => string | undefined;

/** `init` in a terminal: keys go in one by one, as its line editor reads them. */
export async function initByKeys(cwd: string, files: readonly string[], flags: Flags, type: Typist) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let shown = '';
  let all = '';
  const write = (chunk: unknown, _: unknown, done: () => void) => {
    all += chunk;
    shown += chunk;
    // the prompt is written whole, and again with each key after it
    const text = stripVTControlCharacters(shown);
    if (text.endsWith('› ')) {
      const keys = type(text);
      shown = '';
      setImmediate(() => {
        for (const key of keys ?? '') stdin.write(key);
      });
    }
    done();
  };
  const stderr = Object.assign(new Writable({ write }), { isTTY: true, columns: 110 });
  const { code } = await inProcess('init', files, flags, { cwd, env: SCREEN }, (args, given, context) =>
    initCommand(args, given, { ...context, stdin, stderr }),
  );
  return { code, screen: stripVTControlCharacters(all) };
}
