import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import { beginning, printableJson } from '../domain/printable.ts';
import type { CliContext, OutputStream } from './context.ts';

const reported = new WeakSet<OutputStream>();

/** Beyond this, texts are cut, then lists of problems. */
const LONGEST_JSON = BOUNDS.json.most;
const LONGEST_LIST = LONGEST_JSON * 0.4;

type Replacer = (key: string, value: unknown) => unknown;

/** `problemsTotal` counts all. */
function fewerProblems(value: unknown, short: Replacer): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const cut = (key: string, list: unknown) => {
    if (!Array.isArray(list) || !/^problem(?:s|Groups)$/.test(key)) return list;
    let bytes = 0;
    const end = list.findIndex((row) => {
      bytes += Buffer.byteLength(JSON.stringify(row, short, 4));
      return bytes > LONGEST_LIST;
    });
    return end < 0 ? list : list.slice(0, end);
  };
  return Object.fromEntries(Object.entries(value).map(([key, list]) => [key, cut(key, list)]));
}

type JsonOutput = Pick<CliContext, 'stdout' | 'commands'>;

/** @param asked what must not be cut: the texts, or every problem */
export function writeJson({ stdout, commands }: JsonOutput, value: unknown, asked?: 'texts'): void {
  reported.add(stdout);
  const texts = (as: (text: string) => string): Replacer => {
    return (_, part) => (typeof part === 'string' ? as(commands.inText(part)) : part);
  };
  const short = texts((text) => beginning(text));
  const isShort = (text: string) => Buffer.byteLength(text) <= LONGEST_JSON;
  let text = JSON.stringify(value, texts(String), 2);
  if (!isShort(text) && asked !== 'texts') text = JSON.stringify(value, short, 2);
  if (!isShort(text) && asked === undefined) text = JSON.stringify(fewerProblems(value, short), short, 2);
  stdout.write(`${printableJson(text)}\n`);
}

/** For a program that reads on while this one runs. */
export function writeJsonLine(stdout: OutputStream, value: unknown): void {
  stdout.write(`${printableJson(JSON.stringify(value))}\n`);
}

interface ErrorOptions {
  readonly verbose: boolean;
  readonly jsonMode?: string | undefined;
}

export async function showError(
  thrown: unknown,
  context: CliContext,
  { verbose, jsonMode }: ErrorOptions,
): Promise<number> {
  const error = incompleteInstallation(thrown) ?? thrown;
  const { errorJson, renderError } = await import('../view/terminal/error-view.ts');
  const { env, stdout, stderr, commands } = context;
  const exitCode = error instanceof AppError ? error.exitCode : 1;
  // Only one object is printed.
  if (jsonMode !== undefined && !reported.has(stdout))
    writeJson(context, errorJson(error, jsonMode, exitCode, commands));
  stderr.write(`${renderError(error, { verbose, env, stream: stderr, commands })}\n`);
  return exitCode;
}

const NOT_LOADED: ReadonlySet<unknown> = new Set([
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  'ERR_DLOPEN_FAILED',
]);

/** After an installation without scripts, or for another Node or system. */
function incompleteInstallation(thrown: unknown): AppError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const isOurs = !(thrown instanceof AppError) || error.message.includes('better_sqlite3.node');
    if (!isOurs || !('code' in error) || !NOT_LOADED.has(error.code)) continue;
    const part = /better[_-]sqlite3/.test(error.message) ? 'better-sqlite3' : 'a package';
    return new AppError('configuration', `The installation is incomplete: ${part} cannot be loaded.`, {
      hint: 'Install again without --ignore-scripts, with the Node and on the system that run it: npm ci',
      cause: thrown,
    });
  }
  return undefined;
}
