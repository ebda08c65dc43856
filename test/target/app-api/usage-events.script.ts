/** `usage-events` in a process of its own, so that a test can kill it. Arguments: files and flags as one JSON text. */

import type { StopSignal } from '../../../src/cli/context.ts';
import { typedCommand } from '../../../src/cli/program.ts';
import { showError } from '../../../src/cli/show-error.ts';
import { usageEventsCommand } from '../../../src/commands/billing/usage-events.ts';
import { systemClock } from '../../../src/system-clock.ts';

const { files, flags } = JSON.parse(process.argv[2] ?? '{}') as {
  files: string[];
  flags: Record<string, string | boolean>;
};
const context = {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  commands: typedCommand('usage-events', [], {}),
  onSignal: (listener: (signal: StopSignal) => void) => {
    process.on('SIGINT', () => listener('SIGINT'));
    process.on('SIGTERM', () => listener('SIGTERM'));
    return () => undefined;
  },
};
process.exitCode = await usageEventsCommand(files, flags, context).catch((error: unknown) =>
  showError(error, context, { verbose: false }),
);
