/** `helpdesk-import run`: its flags, help and examples. */
import { type CommandSpec, FILES, RUN_OPTIONS } from '../../cli/command.ts';

export const run: CommandSpec = {
  name: 'run',
  argument: FILES,
  description: 'import an export, or check it with --dry-run',
  group: 'Import',
  options: RUN_OPTIONS,
  examples: [
    ['run export/ --dry-run', 'see its contents and every problem'],
    ['run export/ --sandbox --serve', 'import into a local helpdesk and look at it'],
    ['run export/ --dry-run --plan approved.plan', 'keep the plan that is signed off; run it later'],
    ['run export/ --trial', 'import 8 representative tickets and check them'],
    ['run export/', 'import the rest; run it again after any stop'],
    ['run export-of-today/ --delta', 'import what is new since then'],
  ],
  load: async () => (await import('./run.ts')).runCommand,
};
