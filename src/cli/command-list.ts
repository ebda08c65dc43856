/** Help loads no command, and a command only its own file. A new command is a file that exports `command`, and two lines here. */
import type { CommandSpec } from './command.ts';

type Group = 'Import' | 'Before' | 'After' | 'Billing data' | 'Tools';

export interface CommandEntry {
  readonly name: string;
  readonly group: Group;
  readonly parent: keyof typeof PARENTS | undefined;
  readonly description: string;
  /** Options handed over by other commands of the same import (`CommandLines.about`). */
  readonly takes: readonly string[];
  load(): Promise<{ readonly command: CommandSpec }>;
}

export type LoadedCommand = CommandEntry & CommandSpec;

export const PARENTS = {
  billing: 'usage events, customers and feature gates of the app API',
} as const;

const LOCAL = ['--config', '--sandbox', '--checkpoint'];
const TARGET = ['--config', '--sandbox', '--base-url'];
const CHECKPOINT = [...TARGET, '--checkpoint'];
const LAYOUT = ['--from', '--set'];
const EXPORT = [...CHECKPOINT, '--set', '--only'];
const APP = ['--config', '--set'];
const EVENTS = [...APP, '--limit'];
const REBUILD = ['--config', '--base-url', '--checkpoint', '--set'];
const RUN = [...EXPORT, ...['--from', '--since', '--until', '--limit', '--delta', '--files']];

const billing = () => import('../commands/billing.ts');

const FILES = {
  export: () => import('../commands/export.ts'),
  run: () => import('../commands/run.ts'),
  inspect: () => import('../commands/inspect.ts'),
  init: () => import('../commands/init/init.ts'),
  doctor: () => import('../commands/doctor.ts'),
  status: () => import('../commands/status.ts'),
  resolve: () => import('../commands/resolve.ts'),
  checkpoint: () => import('../commands/checkpoint.ts'),
  verify: () => import('../commands/verify.ts'),
  links: () => import('../commands/links.ts'),
  undo: () => import('../commands/undo.ts'),
  report: () => import('../commands/report.ts'),
  'usage-events': () => import('../commands/usage-events.ts'),
  customer: async () => ({ command: (await billing()).customer }),
  usage: async () => ({ command: (await billing()).usage }),
  gate: async () => ({ command: (await billing()).gate }),
  sandbox: () => import('../commands/sandbox.ts'),
  clean: () => import('../commands/clean.ts'),
} satisfies Record<string, CommandEntry['load']>;

type Row = readonly [name: keyof typeof FILES, group: Group, takes: readonly string[], description: string];

const ROWS: readonly Row[] = [
  ['export', 'Before', [], 'fetch all tickets of the old helpdesk into a folder; it only reads'],
  ['run', 'Import', RUN, 'import an export, or check it with --dry-run'],
  ['inspect', 'Before', LAYOUT, 'what is in an export: layout, tables, columns, value counts'],
  ['init', 'Before', ['--from'], 'look at an export and write a commented helpdesk-import.yaml'],
  ['doctor', 'Before', [...CHECKPOINT, '--set'], 'check configuration, token, scopes, clock, disk'],
  ['status', 'After', LOCAL, 'what the checkpoint holds'],
  [
    'resolve',
    'After',
    LOCAL,
    'settle tickets in doubt (--adopt, --retry, --skip), or take that back (--release)',
  ],
  ['checkpoint', 'After', REBUILD, 'copy the checkpoint, or rebuild a lost one from the helpdesk'],
  ['verify', 'After', EXPORT, 'read imported tickets back and compare them with the export'],
  [
    'links',
    'After',
    ['--config', '--sandbox', '--checkpoint', '--set'],
    'print the old and the new ID of each ticket as CSV',
  ],
  [
    'undo',
    'After',
    [...CHECKPOINT, '--run'],
    'undo a run: close and empty the tickets no one has edited since; look first with --dry-run',
  ],
  ['report', 'After', [...LOCAL, '--set'], 'write the HTML report of a checkpoint'],
  ['usage-events', 'Billing data', EVENTS, 'send usage events from CSV or JSONL to the app API'],
  ['customer', 'Billing data', APP, 'subscription status, plan, features and usage of a customer'],
  ['usage', 'Billing data', APP, 'usage metrics'],
  ['gate', 'Billing data', APP, 'may the customer use it? exit 0 when allowed, 3 when not, with the reason'],
  [
    'clean',
    'After',
    ['--config'],
    "delete what holds customers' words on this computer, except the checkpoint",
  ],
  ['sandbox', 'Tools', [], 'a local helpdesk with the Core API and pages to look at'],
];

export const COMMANDS = ROWS.map(([name, group, takes, description]): CommandEntry => {
  const parent = group === 'Billing data' ? 'billing' : undefined;
  return { name, group, parent, takes, description, load: FILES[name] };
});

export function titleOf({ name, parent }: Pick<CommandEntry, 'name' | 'parent'>): string {
  return parent === undefined ? name : `${parent} ${name}`;
}

export async function loadCommand(entry: CommandEntry): Promise<LoadedCommand> {
  return { ...entry, ...(await entry.load()).command };
}

export async function allCommands(): Promise<LoadedCommand[]> {
  return await Promise.all(COMMANDS.map(loadCommand));
}
