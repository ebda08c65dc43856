/** Every command, in the order of the help. A new one is a file that declares it, and a line here. */
import { customer, gate, usage, usageEvents } from '../commands/billing/command.ts';
import { canary } from '../commands/canary/command.ts';
import { checkpoint } from '../commands/checkpoint/command.ts';
import { completion } from '../commands/completion/completion.ts';
import { doctor } from '../commands/doctor/command.ts';
import { files } from '../commands/files/command.ts';
import { init } from '../commands/init/command.ts';
import { inspect } from '../commands/inspect/command.ts';
import { links } from '../commands/links/command.ts';
import { map } from '../commands/map/command.ts';
import { report } from '../commands/report/command.ts';
import { resolve } from '../commands/resolve/command.ts';
import { run } from '../commands/run/command.ts';
import { sandbox } from '../commands/sandbox/command.ts';
import { status } from '../commands/status/command.ts';
import { undo } from '../commands/undo/command.ts';
import { verify } from '../commands/verify/command.ts';
import type { CommandSpec } from './command.ts';

export const COMMANDS: readonly CommandSpec[] = [
  run,
  inspect,
  init,
  doctor,
  canary,
  status,
  resolve,
  checkpoint,
  verify,
  files,
  map,
  links,
  undo,
  report,
  usageEvents,
  customer,
  usage,
  gate,
  sandbox,
  completion,
];
