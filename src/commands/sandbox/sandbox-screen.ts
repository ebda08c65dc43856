/** The screen of a sandbox that listens: its addresses, how to import into it, its faults. */
import type { CliContext } from '../../cli/context.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { SANDBOX_FOLDER } from '../../settings/table/run.ts';
import { TARGET } from '../../settings/table/target.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { createStyle, type Style } from '../../view/terminal/style.ts';
import { factLines, heading, wrap } from '../../view/terminal/text-block.ts';
import type { SandboxFlags } from './sandbox-flags.ts';

export interface SandboxView extends SandboxFlags {
  /** The usual port was not to be had. */
  readonly wasTaken: boolean;
  readonly json: boolean;
}

export function showSandbox(sandbox: Sandbox, view: SandboxView, context: CliContext): void {
  const { stdout, stderr, env, commands } = context;
  const warn = createStyle({ stream: stderr, env, commands });
  const tell = (message: string) =>
    stderr.write(`${wrap(message, warn, { lead: 'Warning: ', paintLead: warn.yellow }).join('\n')}\n`);
  if (view.isOpen)
    tell(
      'The sandbox can be reached from other machines; anyone who has its token can read what is imported.',
    );
  if (view.wasTaken)
    tell(
      `The usual port is in use, so this sandbox has another address this time. An import into it needs its own checkpoint; choose a free port with --port to keep the address.`,
    );
  const text = view.json
    ? `${JSON.stringify(addresses(sandbox, view))}\n`
    : `${sandboxLines(sandbox, view, createStyle({ stream: stdout, env, commands })).join('\n')}\n`;
  stdout.write(text);
}

/** The object of `--json`. Its credentials are good for this sandbox only. */
function addresses(sandbox: Sandbox, { dir }: SandboxView) {
  const { client, tokenUrl, refreshToken } = sandbox.oauth;
  return {
    url: visitable(sandbox.url),
    page: visitable(sandbox.page),
    api: `${visitable(sandbox.url)}${TARGET.apiPath.default}`,
    token: sandbox.token,
    oauth: {
      tokenUrl: visitable(tokenUrl),
      clientId: client?.id ?? null,
      clientSecret: client?.secret ?? null,
      refreshToken,
    },
    app: { url: `${visitable(sandbox.url)}/v1`, id: sandbox.app.id, key: sandbox.app.key },
    dir,
  };
}

/** Lines without line ends. */
function sandboxLines(sandbox: Sandbox, view: SandboxView, style: Style): string[] {
  const url = visitable(sandbox.url);
  const command = (text: string) => `    ${style.cyan(style.typed(text))}`;
  return [
    style.bold('A local helpdesk service is running.'),
    '',
    ...factLines(
      [
        { label: 'Open', text: visitable(sandbox.page), paint: style.cyan },
        { label: 'Core API', text: `${url}${TARGET.apiPath.default}` },
        { label: 'App API', text: `${url}/v1` },
        { label: 'Data', text: view.dir },
        ...wrongs(view).map((text, index) => ({
          label: index === 0 ? 'Faults' : '',
          text,
          paint: style.yellow,
        })),
      ],
      style,
    ),
    ...heading('To import into it, in another terminal', style),
    command(`export HELPDESK_BASE_URL=${url}`),
    command(`export HELPDESK_TOKEN=${sandbox.token}`),
    command('helpdesk-import run export.jsonl'),
    ...oauthLines(sandbox, style).map(command),
    style.dim('    # the app API: usage events, customers, gates'),
    command(
      `export HELPDESK_APP_URL=${url} HELPDESK_APP_ID=${sandbox.app.id} HELPDESK_APP_KEY=${sandbox.app.key}`,
    ),
    '',
    ...wrap(style.typed(endSentence(view.dir)), style, {
      paint: style.dim,
    }),
  ];
}

function endSentence(dir: string): string {
  const folder = dir === SANDBOX_FOLDER ? '' : ` ${quoteArgument(dir)}`;
  return `Press Ctrl-C to stop. Your data is kept; start again with: helpdesk-import sandbox${folder}`;
}

function oauthLines({ oauth }: Sandbox, style: Style): string[] {
  if (oauth.client === undefined) return [];
  return [
    style.dim('# or with OAuth 2.0 instead of the token'),
    `export HELPDESK_TOKEN_URL=${visitable(oauth.tokenUrl)} HELPDESK_CLIENT_ID=${quoteArgument(oauth.client.id)}`,
    `export HELPDESK_CLIENT_SECRET=${quoteArgument(oauth.client.secret)}`,
  ];
}

/** A line each. */
function wrongs({ faults, options }: SandboxView): string[] {
  return options.strict === true
    ? [...faults, 'what the specification does not name is refused']
    : [...faults];
}

/** The address of all network interfaces cannot be opened. */
function visitable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])/, 'http://localhost');
}
