/**
 * `helpdesk-import sandbox`: the local helpdesk service, until Ctrl-C. That is its normal end, so it exits with 0. It
 * tries the same port each time: a checkpoint belongs to one address.
 */
import type { CliContext, Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { CORE_PREFIXES } from '../../sandbox/core/request-kind.ts';
import { parseFaults } from '../../sandbox/faults/fault-plan.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { isLoopbackName } from '../../sandbox/service-app.ts';
import { wholeNumber } from '../../settings/parsers.ts';
import { SANDBOX_FOLDER, SANDBOX_PORT } from '../../settings/table/run.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { createStyle, type Style } from '../../view/terminal/style.ts';
import { factLines, heading, wrap } from '../../view/terminal/text-block.ts';
import { readAgents } from './sandbox-agents.ts';

/** The same faults for the same order of requests at every start. */
const SEED = 1;

export async function sandboxCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const options = sandboxOptions(args, flags);
  // From the first moment on: a signal that comes while it starts ends it as well.
  const end = new AbortController();
  const stopListening = context.onSignal(() => end.abort());
  try {
    const agents = typeof flags['agents'] === 'string' ? readAgents(flags['agents']) : undefined;
    const { sandbox, isElsewhere } = await start({
      ...options,
      ...(agents === undefined ? { inventAgents: true } : { agents }),
      clock: context.clock,
      onDefect: (error) => {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        context.stderr.write(`The sandbox has a defect: ${what}\n`);
      },
    });
    try {
      warn(options.host, isElsewhere, context);
      show(sandbox, options.dir, flags, context);
      await aborted(end.signal);
    } finally {
      await sandbox.close();
    }
    if (flags['json'] !== true) context.stdout.write('The sandbox has ended.\n');
    return 0;
  } finally {
    stopListening();
  }
}

/** Throws AppError `usage`. */
export function sandboxOptions([dir = SANDBOX_FOLDER]: readonly string[], flags: Flags) {
  const port = flags['port'] === undefined ? undefined : wholeNumber(0, 65_535)(String(flags['port']));
  if (port !== undefined && 'problem' in port) throw new AppError('usage', `--port ${port.problem}.`);
  const faults = faultsOf(flags);
  return {
    host: typeof flags['host'] === 'string' ? flags['host'] : '127.0.0.1',
    dir,
    ...(port === undefined ? {} : { port: port.value }),
    ...(faults.length === 0 ? {} : { faults: parseFaults(faults, SEED) }),
    strict: flags['strict'] === true,
  } satisfies Partial<SandboxOptions>;
}

function faultsOf(flags: Flags): string[] {
  return [flags['fault'] ?? []].flat().map(String);
}

/** On the usual port, or on a free one where another program has that one and no port was asked for. */
async function start(options: SandboxOptions): Promise<{ sandbox: Sandbox; isElsewhere: boolean }> {
  try {
    return { sandbox: await startSandbox({ port: SANDBOX_PORT, ...options }), isElsewhere: false };
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : undefined;
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    if (options.port !== undefined || !isTaken) throw error;
    return { sandbox: await startSandbox({ ...options, port: 0 }), isElsewhere: true };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

function warn(host: string, isElsewhere: boolean, { stderr, env, commands }: CliContext): void {
  const style = createStyle({ stream: stderr, env, commands });
  const warnings = [
    ...(isLoopbackName(host)
      ? []
      : ['The sandbox can be reached from other machines; anyone with its token can read what is imported.']),
    ...(isElsewhere
      ? [
          'The usual port is in use, so this sandbox has another address this time. An import into it needs its own checkpoint; choose a free port with --port to keep the address.',
        ]
      : []),
  ];
  for (const message of warnings)
    stderr.write(`${wrap(message, style, { lead: 'Warning: ', paintLead: style.yellow }).join('\n')}\n`);
}

function show(sandbox: Sandbox, dir: string, flags: Flags, { stdout, env, commands }: CliContext): void {
  stdout.write(
    flags['json'] === true
      ? `${JSON.stringify(addresses(sandbox, dir))}\n`
      : `${sandboxLines(sandbox, dir, flags, createStyle({ stream: stdout, env, commands })).join('\n')}\n`,
  );
}

/** The object of `--json`. Its credentials are good for this sandbox only. */
function addresses(sandbox: Sandbox, dir: string) {
  const { client, tokenUrl, refreshToken } = sandbox.oauth;
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

function sandboxLines(sandbox: Sandbox, dir: string, flags: Flags, style: Style): string[] {
  const { url, page, api, token, oauth, app } = addresses(sandbox, dir);
  const command = (text: string) => `    ${style.cyan(style.typed(text))}`;
  const comment = (text: string) => style.dim(`    # ${text}`);
  const strict = flags['strict'] === true ? ['what the specification does not name is refused'] : [];
  const faults = [...faultsOf(flags), ...strict].map((text, index) => ({
    label: index === 0 ? 'Faults' : '',
    text,
    paint: style.yellow,
  }));
  const facts = [
    { label: 'Open', text: page, paint: style.cyan },
    { label: 'Core API', text: api },
    { label: 'App API', text: app.url },
    { label: 'Data', text: dir },
    ...faults,
  ];
  const again = `helpdesk-import sandbox${dir === SANDBOX_FOLDER ? '' : ` ${quoteArgument(dir)}`}`;
  const end = `Press Ctrl-C to stop. Your data is kept; start again with: ${again}`;
  return [
    style.bold('A local helpdesk service is running.'),
    '',
    ...factLines(facts, style),
    ...heading('To import into it, in another terminal', style),
    command(`export HELPDESK_BASE_URL=${url}`),
    command(`export HELPDESK_TOKEN=${token}`),
    command('helpdesk-import run export.jsonl'),
    ...(oauth.clientId === null || oauth.clientSecret === null
      ? []
      : [
          comment('or with OAuth 2.0 instead of the token'),
          command(
            `export HELPDESK_TOKEN_URL=${oauth.tokenUrl} HELPDESK_CLIENT_ID=${quoteArgument(oauth.clientId)}`,
          ),
          command(`export HELPDESK_CLIENT_SECRET=${quoteArgument(oauth.clientSecret)}`),
        ]),
    comment('the app API: usage events, customers, gates'),
    command(`export HELPDESK_APP_URL=${url} HELPDESK_APP_ID=${app.id} HELPDESK_APP_KEY=${app.key}`),
    '',
    ...wrap(style.typed(end), style, { paint: style.dim }),
  ];
}

/** The address of all network interfaces cannot be opened. */
function visitable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])/, 'http://localhost');
}
