/** Every command: what `--help` says of it, its options, and the code that is loaded when it is called. */
import type { Command } from 'commander';
import {
  ASKING_OPTIONS,
  GATE_OPTIONS,
  gateHelp,
  USAGE_EVENTS_OPTIONS,
  usageEventsHelp,
} from '../commands/billing/billing-options.ts';
import { CANARY_OPTIONS } from '../commands/canary/canary-options.ts';
import { CHECKPOINT_OPTIONS, checkpointHelp } from '../commands/checkpoint/checkpoint-options.ts';
import { DOCTOR_OPTIONS } from '../commands/doctor/doctor-options.ts';
import { FILES_OPTIONS } from '../commands/files/files-options.ts';
import { INIT_OPTIONS } from '../commands/init/init-options.ts';
import { INSPECT_OPTIONS } from '../commands/inspect/inspect-options.ts';
import { LINKS_OPTIONS, linksHelp } from '../commands/links/links-options.ts';
import { MAP_OPTIONS } from '../commands/map/map-options.ts';
import { REPORT_OPTIONS } from '../commands/report/report-options.ts';
import { RESOLVE_OPTIONS } from '../commands/resolve/resolve-options.ts';
import { SANDBOX_OPTIONS, sandboxHelp } from '../commands/sandbox/sandbox-options.ts';
import { STATUS_OPTIONS } from '../commands/status/status-options.ts';
import { UNDO_OPTIONS, undoHelp } from '../commands/undo/undo-options.ts';
import { VERIFY_OPTIONS } from '../commands/verify/verify-options.ts';
import type { CliContext, Flags } from './context.ts';
import { type OptionSpec, RUN_OPTIONS } from './options.ts';

/** Resolves with the exit code. */
type CommandWork = (
  args: readonly string[],
  flags: Flags,
  context: CliContext,
  program: Command,
) => Promise<number>;

export interface CommandSpec {
  readonly name: string;
  /** It is typed behind this word. */
  readonly parent?: 'billing' | undefined;
  /** As commander takes it: `[files...]`; its description. */
  readonly argument?: readonly [syntax: string, description: string];
  readonly description: string;
  readonly group: 'Import' | 'Before' | 'After' | 'Billing data' | 'Tools';
  readonly options: readonly OptionSpec[];
  /** Six at most, with what each is for. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  /** Further text below the options. */
  readonly help?: () => string;
  /** Most starts need the code of one command, or of none. */
  load(): Promise<CommandWork>;
}

const FILES = ['[files...]', 'export files or folders; - is standard input (JSONL)'] as const;
const NEEDED_FILES = ['<files...>', FILES[1]] as const;

/** Words that commands stand behind. */
export const PARENTS = {
  billing: 'usage events, customers and feature gates of the app API',
} as const;

/** As it is typed: `run`, `billing usage-events`. */
export function titleOf({ name, parent }: Pick<CommandSpec, 'name' | 'parent'>): string {
  return parent === undefined ? name : `${parent} ${name}`;
}

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    argument: FILES,
    description: 'import an export, or check it with --dry-run',
    group: 'Import',
    options: RUN_OPTIONS,
    examples: [
      ['run export/ --dry-run', 'see its contents and every problem'],
      ['run export/ --sandbox --serve', 'import into a local helpdesk and look at it'],
      ['run export/ --dry-run --report plan.html', 'write the report to sign off'],
      ['run export/ --trial', 'import 8 representative tickets and check them'],
      ['run export/', 'import the rest; run it again after any stop'],
      ['run export-of-today/ --delta', 'import what is new since then'],
    ],
    load: async () => (await import('../commands/run/run.ts')).runCommand,
  },
  {
    name: 'inspect',
    argument: NEEDED_FILES,
    description: 'what is in an export: layout, tables, columns, value counts',
    group: 'Before',
    options: INSPECT_OPTIONS,
    examples: [
      ['inspect export/', 'which layout it is, its tables, columns and values'],
      ['inspect export/ --json', 'the same as one JSON object'],
    ],
    load: async () => (await import('../commands/inspect/inspect.ts')).inspectCommand,
  },
  {
    name: 'init',
    argument: NEEDED_FILES,
    description: 'look at an export and write a commented helpdesk-import.yaml',
    group: 'Before',
    options: INIT_OPTIONS,
    examples: [
      ['init export/', 'propose a mapping and ask what only you know'],
      ['init export/ --propose', 'write the proposal without asking'],
      ['init export/ -o acme.yaml', 'write it to another file'],
    ],
    load: async () => {
      const { initCommand } = await import('../commands/init/init.ts');
      return async (args, flags, context) => await initCommand(args, flags, context);
    },
  },
  {
    name: 'doctor',
    argument: FILES,
    description: 'check configuration, token, scopes, clock, disk',
    group: 'Before',
    options: DOCTOR_OPTIONS,
    examples: [
      ['doctor', 'is everything ready?'],
      ['doctor export/', 'the files of the export too'],
    ],
    load: async () => (await import('../commands/doctor/doctor-command.ts')).doctorCommand,
  },
  {
    name: 'canary',
    argument: ['<address>', 'e-mail address of your own'],
    description: 'make one ticket for your own address, to see whether the helpdesk mails customers',
    group: 'Before',
    options: CANARY_OPTIONS,
    examples: [['canary you@example.com', 'then look into your mailbox']],
    load: async () => (await import('../commands/canary/canary-command.ts')).canaryCommand,
  },
  {
    name: 'status',
    argument: ['[checkpoints...]', 'checkpoint files; several (of shards) are added up'],
    description: 'what the checkpoint holds',
    group: 'After',
    options: STATUS_OPTIONS,
    examples: [
      ['status', 'how far the import is, and what to do next'],
      ['status --failed', 'list the tickets that failed, with the reasons'],
      ['status 1.sqlite 2.sqlite', 'the sum of several shards'],
    ],
    load: async () => (await import('../commands/status/status-command.ts')).statusCommand,
  },
  {
    name: 'resolve',
    description: 'settle tickets in doubt (--adopt, --retry, --skip), or take that back (--release)',
    group: 'After',
    options: RESOLVE_OPTIONS,
    examples: [
      ['resolve', 'list what is in doubt'],
      ['resolve --adopt 4711=tkt_8f3a', 'it is there, under this id'],
      ['resolve --retry 4712', 'it is not there: create it with the next run'],
      ['resolve --retry @ids.txt', 'many of them: one id a line'],
      ['resolve --skip 4713', 'leave it out for good'],
      ['resolve --release 4711', 'take a wrong --adopt back'],
    ],
    load: async () => (await import('../commands/resolve/resolve-command.ts')).resolveCommand,
  },
  {
    name: 'checkpoint',
    argument: ['<what...>', 'backup [file], or rebuild [files of the export]'],
    description: 'copy the checkpoint, or rebuild a lost one from the target',
    group: 'After',
    options: CHECKPOINT_OPTIONS,
    examples: [
      ['checkpoint backup', 'copy it, also while a run is going on'],
      ['checkpoint rebuild export/', 'the checkpoint is lost, and the tickets are in the target'],
    ],
    help: checkpointHelp,
    load: async () => (await import('../commands/checkpoint/checkpoint-command.ts')).checkpointCommand,
  },
  {
    name: 'verify',
    argument: FILES,
    description: 'read imported tickets back and compare them with the export',
    group: 'After',
    options: VERIFY_OPTIONS,
    examples: [
      ['verify export/', 'compare a sample of the tickets'],
      ['verify export/ --sample 500', 'compare 500 of them'],
      ['verify export/ --json', 'the result as one JSON object'],
    ],
    load: async () => (await import('../commands/verify/verify-command.ts')).verifyCommand,
  },
  {
    name: 'files',
    argument: ['<what...>', 'fetch, and the files of the export'],
    description: 'fetch the files of the tickets to where --files says; a run sends the new links',
    group: 'Before',
    options: FILES_OPTIONS,
    examples: [['files fetch export/ --files kept', 'fetch them into a folder']],
    load: async () => (await import('../commands/files/files-command.ts')).filesCommand,
  },
  {
    name: 'map',
    argument: ['[checkpoints...]', 'checkpoint files; several (of shards) make the whole'],
    description: 'list old and new ids and addresses of tickets',
    group: 'After',
    options: MAP_OPTIONS,
    examples: [
      ['map > moved.csv', 'old and new ids and addresses'],
      ['map --format jsonl', 'the same, an object a line'],
    ],
    load: async () => (await import('../commands/map/map-command.ts')).mapCommand,
  },
  {
    name: 'links',
    argument: ['<what...>', 'plan or apply, and the files of the export'],
    description: 'rewrite links between tickets to point to the new helpdesk',
    group: 'After',
    options: LINKS_OPTIONS,
    examples: [
      ['links plan export/', 'list every link and what it becomes; nothing is sent'],
      ['links apply export/', 'rewrite them, when all tickets are in the target; again after a delta'],
    ],
    help: linksHelp,
    load: async () => (await import('../commands/links/links-command.ts')).linksCommand,
  },
  {
    name: 'undo',
    description:
      'take a run back: close and empty its tickets that nobody has touched; look first with --dry-run',
    group: 'After',
    options: UNDO_OPTIONS,
    examples: [
      ['undo --run run-20261122-205507 --dry-run', 'what would become of each ticket'],
      ['undo --run run-20261122-205507', 'take the run back'],
    ],
    help: undoHelp,
    load: async () => (await import('../commands/undo/undo-command.ts')).undoCommand,
  },
  {
    name: 'report',
    argument: FILES,
    description: 'write the HTML report of a checkpoint',
    group: 'After',
    options: REPORT_OPTIONS,
    examples: [
      ['report export/', 'write helpdesk-import.report.html'],
      ['report export/ --redact', 'without names, addresses and texts'],
    ],
    load: async () => (await import('../commands/report/report-command.ts')).reportCommand,
  },
  {
    name: 'usage-events',
    parent: 'billing',
    argument: NEEDED_FILES,
    description: 'send usage events from CSV, JSON or JSONL to the app API',
    group: 'Billing data',
    options: USAGE_EVENTS_OPTIONS,
    examples: [
      ['billing usage-events events.csv --dry-run', 'check them; nothing is sent'],
      ['billing usage-events events.csv', 'send them'],
    ],
    help: usageEventsHelp,
    load: async () => (await import('../commands/billing/usage-events.ts')).usageEventsCommand,
  },
  {
    name: 'customer',
    parent: 'billing',
    argument: ['<id>', 'id of the customer'],
    description: 'subscription status, plan, features and usage of a customer',
    group: 'Billing data',
    options: ASKING_OPTIONS,
    examples: [['billing customer shop-1', 'plan, features and usage of a customer']],
    load: async () => (await import('../commands/billing/customer.ts')).customerCommand,
  },
  {
    name: 'usage',
    parent: 'billing',
    argument: ['[customer]', 'id of a customer'],
    description: 'usage metrics',
    group: 'Billing data',
    options: ASKING_OPTIONS,
    examples: [
      ['billing usage', 'the metrics of the app'],
      ['billing usage shop-1', 'what a customer has used'],
    ],
    load: async () => (await import('../commands/billing/customer.ts')).usageCommand,
  },
  {
    name: 'gate',
    parent: 'billing',
    argument: ['<customer>', 'id of the customer'],
    description: 'may the customer use it? exit 0 when allowed, 3 when not, with the reason',
    group: 'Billing data',
    options: GATE_OPTIONS,
    examples: [['billing gate shop-1 --feature exports', 'may the customer use it?']],
    help: gateHelp,
    load: async () => (await import('../commands/billing/customer.ts')).gateCommand,
  },
  {
    name: 'sandbox',
    argument: ['[dir]', 'folder of its data (default: helpdesk-import.sandbox)'],
    description: 'a local helpdesk service with the Core API, and a page to look at it',
    group: 'Tools',
    options: SANDBOX_OPTIONS,
    examples: [
      ['sandbox', 'look at what was imported into it'],
      ['sandbox --fault reset-after:5@create --fault 503', 'rehearse with a service that fails'],
      ['sandbox --fault unreadable=403', 'with a service that cannot be read'],
    ],
    help: sandboxHelp,
    load: async () => (await import('../commands/sandbox/sandbox.ts')).sandboxCommand,
  },
  {
    name: 'completion',
    argument: ['<shell>', 'bash, zsh or fish'],
    description: 'print the completion script of a shell',
    group: 'Tools',
    options: [],
    examples: [['completion bash', 'load it with: source <(helpdesk-import completion bash)']],
    load: async () => (await import('../commands/completion/completion.ts')).completionCommand,
  },
];
