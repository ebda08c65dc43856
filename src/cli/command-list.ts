/** Every command: what `--help` says of it, its options, and the code that is loaded when it is called. */
import type { Command } from 'commander';
import {
  CUSTOMER_OPTIONS,
  GATE_OPTIONS,
  gateHelp,
  USAGE_EVENTS_OPTIONS,
  USAGE_OPTIONS,
  usageEventsHelp,
} from '../commands/billing/billing-options.ts';
import { CHECKPOINT_OPTIONS, checkpointHelp } from '../commands/checkpoint/checkpoint-options.ts';
import { DOCTOR_OPTIONS } from '../commands/doctor/doctor-options.ts';
import { INIT_OPTIONS } from '../commands/init/init-options.ts';
import { INSPECT_OPTIONS } from '../commands/inspect/inspect-options.ts';
import { REPORT_OPTIONS } from '../commands/report/report-options.ts';
import { RESOLVE_OPTIONS } from '../commands/resolve/resolve-options.ts';
import { SANDBOX_OPTIONS, sandboxHelp } from '../commands/sandbox/sandbox-options.ts';
import { STATUS_OPTIONS } from '../commands/status/status-options.ts';
import { VERIFY_OPTIONS } from '../commands/verify/verify-options.ts';
import type { CliContext, Flags } from './context.ts';
import { type OptionSpec, RUN_OPTIONS } from './options.ts';

export interface CommandSpec {
  readonly name: string;
  /** As commander takes it: `[files...]`; its description. */
  readonly argument?: readonly [syntax: string, description: string];
  readonly description: string;
  readonly group: 'Import' | 'Before' | 'After' | 'Billing data' | 'Tools';
  readonly options: readonly OptionSpec[];
  /** Further text below the options. */
  readonly help?: () => string;
  /** Resolves with the exit code. */
  run(args: readonly string[], flags: Flags, context: CliContext, program: Command): Promise<number>;
}

const FILES = ['[files...]', 'export files or folders; - is standard input (JSONL)'] as const;
const NEEDED_FILES = ['<files...>', FILES[1]] as const;

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    argument: FILES,
    description: 'import; --dry-run and --trial are modes of it',
    group: 'Import',
    options: RUN_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/run/run.ts')).runCommand(args, flags, context),
  },
  {
    name: 'inspect',
    argument: NEEDED_FILES,
    description: 'what is in an export: layout, tables, columns, value counts',
    group: 'Before',
    options: INSPECT_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/inspect/inspect.ts')).inspectCommand(args, flags, context),
  },
  {
    name: 'init',
    argument: NEEDED_FILES,
    description: 'look at an export, write a commented helpdesk-import.yaml',
    group: 'Before',
    options: INIT_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/init/init.ts')).initCommand(args, flags, context),
  },
  {
    name: 'doctor',
    argument: FILES,
    description: 'check configuration, token, scopes, clock, limits, disk',
    group: 'Before',
    options: DOCTOR_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/doctor/doctor-command.ts')).doctorCommand(args, flags, context),
  },
  {
    name: 'status',
    argument: ['[checkpoints...]', 'checkpoint files; several, as of shards, are shown as a whole'],
    description: 'what the checkpoint holds',
    group: 'After',
    options: STATUS_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/status/status-command.ts')).statusCommand(args, flags, context),
  },
  {
    name: 'resolve',
    description: 'settle tickets in doubt (--adopt, --retry, --skip), or take that back (--release)',
    group: 'After',
    options: RESOLVE_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/resolve/resolve-command.ts')).resolveCommand(args, flags, context),
  },
  {
    name: 'checkpoint',
    argument: ['<what...>', 'backup [file], or rebuild [files of the export]'],
    description: 'copy the checkpoint, or make a lost one anew from the target',
    group: 'After',
    options: CHECKPOINT_OPTIONS,
    help: checkpointHelp,
    run: async (args, flags, context) =>
      (await import('../commands/checkpoint/checkpoint-command.ts')).checkpointCommand(args, flags, context),
  },
  {
    name: 'verify',
    argument: FILES,
    description: 'read imported tickets back and compare them with the export',
    group: 'After',
    options: VERIFY_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/verify/verify-command.ts')).verifyCommand(args, flags, context),
  },
  {
    name: 'report',
    argument: FILES,
    description: 'write the HTML report of a checkpoint',
    group: 'After',
    options: REPORT_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/report/report-command.ts')).reportCommand(args, flags, context),
  },
  {
    name: 'usage-events',
    argument: NEEDED_FILES,
    description: 'send usage events from CSV or JSONL to the app API; usage-events list shows them',
    group: 'Billing data',
    options: USAGE_EVENTS_OPTIONS,
    help: usageEventsHelp,
    run: async (args, flags, context) =>
      (await import('../commands/billing/usage-events.ts')).usageEventsCommand(args, flags, context),
  },
  {
    name: 'customer',
    argument: ['<id>', 'id of the customer'],
    description: 'subscription status, plan, features and usage of a customer',
    group: 'Billing data',
    options: CUSTOMER_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/billing/customer.ts')).customerCommand(args, flags, context),
  },
  {
    name: 'usage',
    argument: ['[customer]', 'id of a customer'],
    description: 'usage metrics',
    group: 'Billing data',
    options: USAGE_OPTIONS,
    run: async (args, flags, context) =>
      (await import('../commands/billing/customer.ts')).usageCommand(args, flags, context),
  },
  {
    name: 'gate',
    argument: ['<customer>', 'id of the customer'],
    description: 'may the customer use it? exit 0 when allowed, 3 when not, with the reason',
    group: 'Billing data',
    options: GATE_OPTIONS,
    help: gateHelp,
    run: async (args, flags, context) =>
      (await import('../commands/billing/customer.ts')).gateCommand(args, flags, context),
  },
  {
    name: 'sandbox',
    argument: ['[dir]', 'folder of its data (default: helpdesk-import.sandbox)'],
    description: 'a local helpdesk service with the Core API, and a page to look at it',
    group: 'Tools',
    options: SANDBOX_OPTIONS,
    help: sandboxHelp,
    run: async (args, flags, context) =>
      (await import('../commands/sandbox/sandbox.ts')).sandboxCommand(args, flags, context),
  },
  {
    name: 'completion',
    argument: ['<shell>', 'bash, zsh or fish'],
    description: 'print the completion script of a shell',
    group: 'Tools',
    options: [],
    run: async (args, _flags, context, program) =>
      (await import('../commands/completion/completion.ts')).completionCommand(args, program, context),
  },
];
