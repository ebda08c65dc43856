/**
 * Every command, in the order of the help, and where its file is: the help loads no command, and a command only its own file. A new
 * command is a file that exports it as `command`, and two lines here.
 */
import type { CommandSpec } from './command.ts';

type Group = 'Import' | 'Before' | 'After' | 'Billing data' | 'Tools';

export interface CommandEntry {
  readonly name: string;
  readonly group: Group;
  /** It is typed behind this word. */
  readonly parent: keyof typeof PARENTS | undefined;
  /** What it does, for lists of commands. */
  readonly description: string;
  /** Options that another command about the same import hands over to it (`CommandLines.about`). */
  readonly takes: readonly string[];
  load(): Promise<{ readonly command: CommandSpec }>;
}

/** A command with its own file loaded. */
export type LoadedCommand = CommandEntry & CommandSpec;

/** Words before subcommands. */
export const PARENTS = {
  billing: 'usage events, customers and feature gates of the app API',
} as const;

const TARGET = ['--config', '--sandbox'];
const CHECKPOINT = [...TARGET, '--checkpoint'];
const LAYOUT = ['--from', '--encoding', '--delimiter'];
const EXPORT = [...CHECKPOINT, ...LAYOUT, '--only'];
const ADDRESSES = ['--source-url', '--target-url'];
const APP = [...TARGET, '--app-url'];
const EVENTS = [...APP, '--encoding', '--delimiter', '--limit', '--max-errors'];
const REBUILD = ['--config', '--checkpoint', '--source-name', ...LAYOUT];
const FETCH = [...EXPORT, '--files'];
const RUN = [
  ...EXPORT,
  ...['--source-name', '--skip-lines', '--allow-unreadable-rows'],
  ...['--since', '--until', '--limit', '--shard', '--delta', '--files', '--rejects'],
  ...['--concurrency', '--rate', '--timeout', '--max-errors'],
];

const billing = () => import('../commands/billing.ts');

const FILES = {
  run: () => import('../commands/run/run.ts'),
  inspect: () => import('../commands/inspect.ts'),
  init: () => import('../commands/init/init.ts'),
  doctor: () => import('../commands/doctor.ts'),
  canary: () => import('../commands/canary.ts'),
  status: () => import('../commands/status.ts'),
  resolve: () => import('../commands/resolve.ts'),
  checkpoint: () => import('../commands/checkpoint.ts'),
  verify: () => import('../commands/verify.ts'),
  files: () => import('../commands/files.ts'),
  map: () => import('../commands/map.ts'),
  links: () => import('../commands/links.ts'),
  undo: () => import('../commands/undo.ts'),
  report: () => import('../commands/report/report.ts'),
  'usage-events': () => import('../commands/usage-events.ts'),
  customer: async () => ({ command: (await billing()).customer }),
  usage: async () => ({ command: (await billing()).usage }),
  gate: async () => ({ command: (await billing()).gate }),
  sandbox: () => import('../commands/sandbox.ts'),
  completion: () => import('../commands/completion.ts'),
} satisfies Record<string, CommandEntry['load']>;

type Row = readonly [name: keyof typeof FILES, group: Group, takes: readonly string[], description: string];

const ROWS: readonly Row[] = [
  ['run', 'Import', RUN, 'import an export, or check it with --dry-run'],
  ['inspect', 'Before', LAYOUT, 'what is in an export: layout, tables, columns, value counts'],
  ['init', 'Before', LAYOUT, 'look at an export and write a commented helpdesk-import.yaml'],
  ['doctor', 'Before', [...CHECKPOINT, '--from'], 'check configuration, token, scopes, clock, disk'],
  [
    'canary',
    'Before',
    TARGET,
    'make one ticket for your own address, to see whether the helpdesk mails customers',
  ],
  ['status', 'After', CHECKPOINT, 'what the checkpoint holds'],
  [
    'resolve',
    'After',
    CHECKPOINT,
    'settle tickets in doubt (--adopt, --retry, --skip), or take that back (--release)',
  ],
  ['checkpoint', 'After', REBUILD, 'copy the checkpoint, or rebuild a lost one from the target'],
  ['verify', 'After', EXPORT, 'read imported tickets back and compare them with the export'],
  [
    'files',
    'Before',
    FETCH,
    'fetch the files of the tickets to where --files says; a run sends the new links',
  ],
  ['map', 'After', [...CHECKPOINT, ...ADDRESSES], 'list old and new ids and addresses of tickets'],
  ['links', 'After', [...EXPORT, ...ADDRESSES], 'rewrite links between tickets to point to the new helpdesk'],
  [
    'undo',
    'After',
    [...CHECKPOINT, '--run'],
    'undo a run: close and empty the tickets nobody has edited since; look first with --dry-run',
  ],
  ['report', 'After', [...CHECKPOINT, ...LAYOUT], 'write the HTML report of a checkpoint'],
  ['usage-events', 'Billing data', EVENTS, 'send usage events from CSV, JSON or JSONL to the app API'],
  ['customer', 'Billing data', APP, 'subscription status, plan, features and usage of a customer'],
  ['usage', 'Billing data', APP, 'usage metrics'],
  ['gate', 'Billing data', APP, 'may the customer use it? exit 0 when allowed, 3 when not, with the reason'],
  ['sandbox', 'Tools', [], 'a local helpdesk service with the Core API, and a page to look at it'],
  ['completion', 'Tools', [], 'print the completion script of a shell'],
];

export const COMMANDS = ROWS.map(([name, group, takes, description]): CommandEntry => {
  const parent = group === 'Billing data' ? 'billing' : undefined;
  return { name, group, parent, takes, description, load: FILES[name] };
});

/** As typed: `run`, `billing usage-events`. */
export function titleOf({ name, parent }: Pick<CommandEntry, 'name' | 'parent'>): string {
  return parent === undefined ? name : `${parent} ${name}`;
}

export async function loadCommand(entry: CommandEntry): Promise<LoadedCommand> {
  return { ...entry, ...(await entry.load()).command };
}

export async function allCommands(): Promise<LoadedCommand[]> {
  return await Promise.all(COMMANDS.map(loadCommand));
}
