/** Ctrl-C is the normal end: exit 0. It tries the same port each time, as a checkpoint belongs to one address. */
import { parse } from 'csv-parse/sync';
import { isEmail } from '../check/people.ts';
import type { CommandSpec } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { print, styleOf } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import { readSmallFile, whyUnread } from '../domain/files.ts';
import { BOUNDS } from '../domain/limits.ts';
import { CORE_PREFIXES } from '../sandbox/core/request.ts';
import { FAULT_TARGETS, FAULTS, parseFaults } from '../sandbox/faults.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
import { isLoopbackName } from '../sandbox/service-app.ts';
import type { AgentToSeed } from '../sandbox/store/people.ts';
import { option } from '../settings/option-spec.ts';
import { wholeNumber } from '../settings/parsers.ts';
import { SANDBOX_FOLDER, SANDBOX_PORT } from '../settings/table/sections.ts';
import { type Block, blocks, type Fact, facts, heading, paragraph } from '../view/blocks.ts';
import { quoteArgument } from '../view/command-line.ts';
import { wrap } from '../view/terminal/style.ts';

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
    option(
      'What to do',
      '--agents <file>',
      'its team members: a CSV file with email, and optionally id and name',
      { byDefault: 'a team member for every e-mail that is asked for' },
    ),
    option('What to do', '--strict', 'refuse every write and field that the specification does not name'),
    option('What to do', '--fault <spec>', 'make requests fail; may be given more than once; see below', {
      byDefault: 'none',
      repeat: true,
    }),
  ],
  without: ['--config'],
  examples: [
    ['sandbox', 'look at the imported tickets'],
    ['sandbox --fault reset-after:5@create --fault 503', 'rehearse with a service that fails'],
    ['sandbox --fault unreadable=403', 'with a service that cannot be read'],
  ],
  help: sandboxHelp,
  run: sandboxCommand,
};

function sandboxHelp(): string {
  const kinds = Object.entries(FAULTS).map(([name, { meaning, value }]) => {
    const reported = value === undefined ? '' : ` (=${value.unit}, default ${value.default})`;
    return `  ${name.padEnd(20)}${meaning}${reported}`;
  });
  return `Faults: kind[=value][:percent][@requests][#first[-last]]
Without a percentage one request in ten fails, with # every one; without @ all requests of the Core API.
unreadable, list-lags, list-hides, tags-dropped and events-append hold for every request.

Kinds of faults:
${kinds.join('\n')}

Requests that @ may name: ${[...FAULT_TARGETS.keys()].join(', ')}

Examples of faults:
  --fault 503                       one request in ten is answered with 503
  --fault reset-after:5@create      one create in twenty is done, and then the connection is reset
  --fault 429=30:1                  one request in a hundred is answered with 429 and "Retry-After: 30"
  --fault no-answer-after@create#3  the third create, and only that one, is done and never answered
  --fault late-504=12:5@create      one create in twenty is answered with 504, and done twelve seconds later`;
}

const SEED = 1;

async function sandboxCommand(args: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { stdout, stderr } = context;
  const options = sandboxOptions(args, flags);
  // A signal during the start ends it as well.
  const end = Promise.withResolvers<void>();
  const stopListening = context.onSignal(() => end.resolve());
  try {
    const agents = typeof flags['agents'] === 'string' ? readAgents(flags['agents']) : undefined;
    const { sandbox, warnings } = await start({
      ...options,
      ...(agents === undefined ? { inventAgents: true } : { agents }),
      clock: context.clock,
      onDefect: (error) => {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        stderr.write(`The sandbox has a defect: ${what}\n`);
      },
    });
    try {
      const style = styleOf(stderr, context);
      for (const message of warnings)
        stderr.write(`${wrap(message, style, { lead: 'Warning: ', paintLead: style.yellow }).join('\n')}\n`);
      const shown = addresses(sandbox, options.dir);
      if (flags['json'] === true) stdout.write(`${JSON.stringify(shown)}\n`);
      else print(sandboxBlocks(shown, flags), context);
      await end.promise;
    } finally {
      await sandbox.close();
    }
    if (flags['json'] !== true) stdout.write('The sandbox has ended.\n');
    return 0;
  } finally {
    stopListening();
  }
}

export function sandboxOptions([dir = SANDBOX_FOLDER]: readonly string[], flags: Flags) {
  const { host, port, strict } = flags;
  const faults = faultsOf(flags);
  return {
    host: typeof host === 'string' ? host : '127.0.0.1',
    dir,
    strict: strict === true,
    ...(typeof port === 'number' && { port }),
    ...(faults.length > 0 && { faults: parseFaults(faults, SEED) }),
  } satisfies Partial<SandboxOptions>;
}

function faultsOf(flags: Flags): string[] {
  return [flags['fault'] ?? []].flat().map(String);
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

/** Its credentials are good for this sandbox only. */
function addresses(sandbox: Sandbox, dir: string) {
  const { client, tokenUrl, refreshToken } = sandbox.oauth;
  // The address of all interfaces cannot be opened.
  const visitable = (url: string) => url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])/, 'http://localhost');
  const url = visitable(sandbox.url);
  return {
    url,
    page: visitable(sandbox.page),
    api: `${url}${CORE_PREFIXES[0]}`,
    token: sandbox.token,
    oauth: {
      tokenUrl: visitable(tokenUrl),
      clientId: client?.id ?? null,
      clientSecret: client?.secret ?? null,
      refreshToken,
    },
    app: { url: `${url}/v1`, ...sandbox.app },
    dir,
  };
}

function sandboxBlocks(shown: ReturnType<typeof addresses>, flags: Flags): Block[] {
  const { url, page, api, token, oauth, app, dir } = shown;
  const strict = flags['strict'] === true ? ['what the specification does not name is refused'] : [];
  const again = `helpdesk-import sandbox${dir === SANDBOX_FOLDER ? '' : ` ${quoteArgument(dir)}`}`;
  return blocks(
    heading('A local helpdesk service is running.', { level: 1 }),
    facts([
      { label: 'Open', value: page },
      { label: 'Core API', value: api },
      { label: 'App API', value: app.url },
      { label: 'Data', value: dir },
      ...[...faultsOf(flags), ...strict].map((value, index): Fact => {
        return { label: index === 0 ? 'Faults' : '', value, tone: 'warn' };
      }),
    ]),
    heading('To import into it, in another terminal'),
    {
      kind: 'command',
      text: 'With its token:',
      settings: [`export HELPDESK_BASE_URL=${url}`, `export HELPDESK_TOKEN=${token}`],
      command: 'helpdesk-import run export.jsonl',
    },
    oauth.clientId !== null &&
      oauth.clientSecret !== null && {
        kind: 'command',
        text: 'With OAuth 2.0 instead of the token:',
        settings: [
          `export HELPDESK_TOKEN_URL=${oauth.tokenUrl} HELPDESK_CLIENT_ID=${quoteArgument(oauth.clientId)}`,
          `export HELPDESK_CLIENT_SECRET=${quoteArgument(oauth.clientSecret)}`,
        ],
      },
    {
      kind: 'command',
      text: 'For the app API (usage events, customers, gates):',
      settings: [`export HELPDESK_APP_URL=${url} HELPDESK_APP_ID=${app.id} HELPDESK_APP_KEY=${app.key}`],
    },
    paragraph(`Press Ctrl-C to stop. Your data is kept; start again with: ${again}`, { tone: 'soft' }),
  );
}

const HINT = 'It is a CSV file with the column email, and optionally id and name.';
const MOST_COMPLAINTS = 20;

/** Throws AppError `usage` with every complaint. */
export function readAgents(path: string): AgentToSeed[] {
  const rows = readRows(path);
  const owners = new Map<string, string>();
  const complaints: string[] = [];
  const agents = rows.map(({ record, info }): AgentToSeed => {
    const { email = '', id = '', name = '' } = record;
    const owner = owners.get(id);
    if (!isEmail(email))
      complaints.push(`${path}:${info.lines}: "${email.slice(0, 60)}" is not an e-mail address.`);
    else if (owner !== undefined && owner !== email.toLowerCase())
      complaints.push(`${path}:${info.lines}: the ID ${id} belongs to ${owner}.`);
    if (id !== '') owners.set(id, email.toLowerCase());
    return { email, ...(id === '' ? {} : { id }), ...(name === '' ? {} : { name }) };
  });
  if (complaints.length > 0)
    throw new AppError('usage', 'The file of team members has mistakes.', {
      lines: complaints.slice(0, MOST_COMPLAINTS),
      hint: HINT,
    });
  return agents;
}

interface Row {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function readRows(path: string): Row[] {
  try {
    return parse(readSmallFile(path, BOUNDS.team.most), {
      bom: true,
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Row[];
  } catch (error) {
    const reason =
      error instanceof Error && 'record' in error ? `cannot be read: ${error.message}` : whyUnread(error);
    throw new AppError('usage', `The file of team members ${path} ${reason}.`, { hint: HINT });
  }
}
