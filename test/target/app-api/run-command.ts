/** Runs a command in this process, as the command line would, and keeps what it writes. */
import { Readable, Writable } from 'node:stream';
import type { CliContext, Flags } from '../../../src/cli/context.ts';
import { typedCommand } from '../../../src/cli/program.ts';
import { showError } from '../../../src/cli/show-error.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { systemClock } from '../../../src/system-clock.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type CommandFunction = (args: readonly string[], flags: Flags, context: CliContext) => Promise<number>;

class Text extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

export async function runCommand(
  command: CommandFunction,
  args: readonly string[],
  flags: Flags,
  options: {
    readonly cwd: string;
    readonly env?: Record<string, string>;
    readonly input?: string;
    readonly onSignal?: CliContext['onSignal'];
    /** Default: the machine's. */
    readonly clock?: Clock;
  },
): Promise<CommandResult> {
  const stdout = new Text();
  const stderr = new Text();
  const context: CliContext = {
    env: { NO_COLOR: '1', ...options.env },
    cwd: options.cwd,
    stdin: Readable.from([options.input ?? '']),
    stdout,
    stderr,
    clock: options.clock ?? systemClock,
    commands: typedCommand(
      command.name === 'usageEventsCommand' ? 'usage-events' : command.name.replace('Command', ''),
      args,
      flags,
    ),
    onSignal: options.onSignal ?? (() => () => undefined),
  };
  const code = await command(args, flags, context).catch((error: unknown) =>
    showError(error, context, { verbose: false }),
  );
  return { code, stdout: stdout.text, stderr: stderr.text };
}
