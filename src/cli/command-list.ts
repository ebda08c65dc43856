/**
 * Every command, in the order of the help, and where its file is: the help loads none of them, a command only its own. A new
 * command is a file that exports it as `command`, and an entry here.
 */
import type { CommandSpec } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  /** It is typed behind this word. */
  readonly parent?: keyof typeof PARENTS;
  readonly group: 'Import' | 'Before' | 'After' | 'Billing data' | 'Tools';
  /** What it does, for lists of commands. */
  readonly description: string;
  /** Options that another command about the same import hands over to it (`CommandLines.about`). */
  readonly takes: readonly string[];
  load(): Promise<CommandSpec>;
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
const ADDRESSES = ['--source-url', '--target-url'];
const APP = [...TARGET, '--app-url'];

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    group: 'Import',
    description: 'import an export, or check it with --dry-run',
    takes: [
      ...CHECKPOINT,
      ...LAYOUT,
      ...['--source-name', '--skip-lines', '--allow-unreadable-rows'],
      ...['--since', '--until', '--only', '--limit', '--shard', '--delta'],
      ...['--files', '--rejects', '--concurrency', '--rate', '--timeout', '--max-errors'],
    ],
    load: async () => (await import('../commands/run/run.ts')).command,
  },
  {
    name: 'inspect',
    group: 'Before',
    description: 'what is in an export: layout, tables, columns, value counts',
    takes: LAYOUT,
    load: async () => (await import('../commands/inspect.ts')).command,
  },
  {
    name: 'init',
    group: 'Before',
    description: 'look at an export and write a commented helpdesk-import.yaml',
    takes: LAYOUT,
    load: async () => (await import('../commands/init/init.ts')).command,
  },
  {
    name: 'doctor',
    group: 'Before',
    description: 'check configuration, token, scopes, clock, disk',
    takes: [...CHECKPOINT, '--from'],
    load: async () => (await import('../commands/doctor.ts')).command,
  },
  {
    name: 'canary',
    group: 'Before',
    description: 'make one ticket for your own address, to see whether the helpdesk mails customers',
    takes: TARGET,
    load: async () => (await import('../commands/canary.ts')).command,
  },
  {
    name: 'status',
    group: 'After',
    description: 'what the checkpoint holds',
    takes: CHECKPOINT,
    load: async () => (await import('../commands/status.ts')).command,
  },
  {
    name: 'resolve',
    group: 'After',
    description: 'settle tickets in doubt (--adopt, --retry, --skip), or take that back (--release)',
    takes: CHECKPOINT,
    load: async () => (await import('../commands/resolve.ts')).command,
  },
  {
    name: 'checkpoint',
    group: 'After',
    description: 'copy the checkpoint, or rebuild a lost one from the target',
    takes: ['--config', '--checkpoint', '--source-name', ...LAYOUT],
    load: async () => (await import('../commands/checkpoint.ts')).command,
  },
  {
    name: 'verify',
    group: 'After',
    description: 'read imported tickets back and compare them with the export',
    takes: [...CHECKPOINT, ...LAYOUT, '--only'],
    load: async () => (await import('../commands/verify.ts')).command,
  },
  {
    name: 'files',
    group: 'Before',
    description: 'fetch the files of the tickets to where --files says; a run sends the new links',
    takes: [...CHECKPOINT, ...LAYOUT, '--only', '--files'],
    load: async () => (await import('../commands/files.ts')).command,
  },
  {
    name: 'map',
    group: 'After',
    description: 'list old and new ids and addresses of tickets',
    takes: [...CHECKPOINT, ...ADDRESSES],
    load: async () => (await import('../commands/map.ts')).command,
  },
  {
    name: 'links',
    group: 'After',
    description: 'rewrite links between tickets to point to the new helpdesk',
    takes: [...CHECKPOINT, ...LAYOUT, '--only', ...ADDRESSES],
    load: async () => (await import('../commands/links.ts')).command,
  },
  {
    name: 'undo',
    group: 'After',
    description: 'undo a run: close and empty the tickets nobody has edited since; look first with --dry-run',
    takes: [...CHECKPOINT, '--run'],
    load: async () => (await import('../commands/undo.ts')).command,
  },
  {
    name: 'report',
    group: 'After',
    description: 'write the HTML report of a checkpoint',
    takes: [...CHECKPOINT, ...LAYOUT],
    load: async () => (await import('../commands/report/report.ts')).command,
  },
  {
    name: 'usage-events',
    parent: 'billing',
    group: 'Billing data',
    description: 'send usage events from CSV, JSON or JSONL to the app API',
    takes: [...APP, '--encoding', '--delimiter', '--limit', '--max-errors'],
    load: async () => (await import('../commands/usage-events.ts')).command,
  },
  {
    name: 'customer',
    parent: 'billing',
    group: 'Billing data',
    description: 'subscription status, plan, features and usage of a customer',
    takes: APP,
    load: async () => (await import('../commands/billing.ts')).customer,
  },
  {
    name: 'usage',
    parent: 'billing',
    group: 'Billing data',
    description: 'usage metrics',
    takes: APP,
    load: async () => (await import('../commands/billing.ts')).usage,
  },
  {
    name: 'gate',
    parent: 'billing',
    group: 'Billing data',
    description: 'may the customer use it? exit 0 when allowed, 3 when not, with the reason',
    takes: APP,
    load: async () => (await import('../commands/billing.ts')).gate,
  },
  {
    name: 'sandbox',
    group: 'Tools',
    description: 'a local helpdesk service with the Core API, and a page to look at it',
    takes: [],
    load: async () => (await import('../commands/sandbox.ts')).command,
  },
  {
    name: 'completion',
    group: 'Tools',
    description: 'print the completion script of a shell',
    takes: [],
    load: async () => (await import('../commands/completion.ts')).command,
  },
];

/** As typed: `run`, `billing usage-events`. */
export function titleOf({ name, parent }: Pick<CommandEntry, 'name' | 'parent'>): string {
  return parent === undefined ? name : `${parent} ${name}`;
}

export async function loadCommand(entry: CommandEntry): Promise<LoadedCommand> {
  return { ...entry, ...(await entry.load()) };
}

export async function allCommands(): Promise<LoadedCommand[]> {
  return await Promise.all(COMMANDS.map(loadCommand));
}
