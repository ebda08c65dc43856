/** Ctrl-C is the normal end: exit 0. It tries the same port each time, as a checkpoint belongs to one address. */
import type { CommandSpec } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { print, sayLine } from '../cli/screen.ts';
import { writeJsonLine } from '../cli/show-error.ts';
import { AppError } from '../domain/errors.ts';
import { CORE_PREFIXES } from '../sandbox/core/request.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
import { isLoopbackName } from '../sandbox/service-app.ts';
import { option } from '../settings/option-spec.ts';
import { wholeNumber } from '../settings/parsers.ts';
import { SANDBOX_FOLDER, SANDBOX_PORT } from '../settings/table/sections.ts';
import { type Block, blocks, facts, heading, paragraph } from '../view/blocks.ts';
import type { CommandLines } from '../view/command-line.ts';

export const command: CommandSpec = {
  arguments: [['[dir]', 'folder of its data (default: helpdesk-import.sandbox)']],
  options: [
    option('What to do', '--port <n>', 'port to listen on; 0 is any free port', {
      byDefault: `${SANDBOX_PORT}, or any free port if it is in use`,
      parse: wholeNumber(0, 65_535),
    }),
    option(
      'What to do',
      '--host <address>',
      'address to listen on; anyone who can reach it and has its token can read the tickets',
      { byDefault: '127.0.0.1' },
    ),
  ],
  without: ['--config'],
  examples: [
    ['sandbox', 'look at the imported tickets'],
    ['sandbox rehearsal --port 4180', 'a second one, with its own address and data'],
  ],
  run: sandboxCommand,
};

async function sandboxCommand(args: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { stdout, stderr } = context;
  const options = sandboxOptions(args, flags);
  // A signal during the start ends it as well.
  const end = Promise.withResolvers<void>();
  const stopListening = context.onSignal(() => end.resolve());
  try {
    const { sandbox, warnings } = await start({
      ...options,
      inventAgents: true,
      clock: context.clock,
      onDefect: (error) => {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        for (const line of `The sandbox has a defect: ${what}`.split('\n')) sayLine(line, context);
      },
    });
    try {
      for (const message of warnings)
        print([paragraph(`Warning: ${message}`, { tone: 'warn' })], context, stderr);
      const shown = addresses(sandbox, options.dir);
      if (flags['json'] === true) writeJsonLine(stdout, shown);
      else print(sandboxBlocks(shown, context.commands), context);
      await end.promise;
    } finally {
      await sandbox.close();
    }
    if (flags['json'] !== true) print([paragraph('The sandbox has ended.')], context);
    return 0;
  } finally {
    stopListening();
  }
}

export function sandboxOptions([dir = SANDBOX_FOLDER]: readonly string[], flags: Flags) {
  const { host, port } = flags;
  return {
    host: typeof host === 'string' ? host : '127.0.0.1',
    dir,
    ...(typeof port === 'number' && { port }),
  } satisfies Partial<SandboxOptions>;
}

const REACHABLE =
  'The sandbox can be reached from other machines; anyone with its token can read the tickets.';
const ELSEWHERE =
  'The usual port is in use, so this sandbox has another address this time. An import into it needs its own checkpoint; choose a free port with --port to keep the address.';

/** A free port if another program has the usual one and none was asked for. */
async function start(
  options: SandboxOptions & { readonly host: string },
): Promise<{ readonly sandbox: Sandbox; readonly warnings: readonly string[] }> {
  const warnings = isLoopbackName(options.host) ? [] : [REACHABLE];
  try {
    return { sandbox: await startSandbox({ port: SANDBOX_PORT, ...options }), warnings };
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : undefined;
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    if (options.port !== undefined || !isTaken) throw error;
    return { sandbox: await startSandbox({ ...options, port: 0 }), warnings: [...warnings, ELSEWHERE] };
  }
}

/** Its token is good for this sandbox only. */
function addresses(sandbox: Sandbox, dir: string) {
  // The address of all interfaces cannot be opened.
  const visitable = (url: string) => url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])/, 'http://localhost');
  const url = visitable(sandbox.url);
  return { url, page: visitable(sandbox.page), api: `${url}${CORE_PREFIXES[0]}`, token: sandbox.token, dir };
}

function sandboxBlocks(
  { url, page, api, token, dir }: ReturnType<typeof addresses>,
  commands: CommandLines,
): Block[] {
  // The address of the helpdesk is part of a checkpoint.
  const again = commands.again();
  return blocks(
    heading('A local helpdesk is running.', { level: 1 }),
    facts([
      { label: 'Open', value: page },
      { label: 'Core API', value: api },
      { label: 'Data', value: dir },
    ]),
    heading('To import into it, in another terminal'),
    {
      kind: 'command',
      text: 'With its token:',
      settings: [`export HELPDESK_BASE_URL=${url}`, `export HELPDESK_TOKEN=${token}`],
      command: commands.about('run', { files: ['export.jsonl'] }),
    },
    paragraph(`Press Ctrl-C to stop. Your data is kept; start again with: \`${again}\``, { tone: 'soft' }),
  );
}
