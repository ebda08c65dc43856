/** A folder, a sandbox, and the commands of the app API between them. */
import { writeFileSync } from 'node:fs';
import type { CliContext, Flags } from '../../src/cli/context.ts';
import { usageEventsCommand } from '../../src/commands/billing/usage-events.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { temporaryFolder } from '../support/cli.ts';
import { type CommandFunction, type CommandResult, runCommand } from '../target/app-api/run-command.ts';
import { seeded } from '../target/app-api/seeded-sandbox.ts';

export const HEADER = 'eventId,eventName,customerId,timestamp,properties.total';
export const row = (id: string, customer = 'cus_1', name = 'order_created') =>
  `${id},${name},${customer},2026-02-20T10:00:00Z,12`;
export const rows = (count: number) => Array.from({ length: count }, (_, index) => row(`e${index}`));

export interface Desk extends AsyncDisposable {
  readonly sandbox: Awaited<ReturnType<typeof seeded>>;
  path(name: string): string;
  write(name: string, ...lines: string[]): string;
  run(
    command: CommandFunction,
    args: readonly string[],
    flags?: Flags,
    onSignal?: CliContext['onSignal'],
    clock?: Clock,
  ): Promise<CommandResult>;
  /** `usage-events` with a checkpoint and rejects of this folder. */
  send(
    file: string,
    flags?: Flags,
    onSignal?: CliContext['onSignal'],
    clock?: Clock,
  ): Promise<CommandResult & { summary: Summary }>;
}

interface Summary {
  readonly events: Record<string, number>;
  readonly requests: { readonly sent: number };
  readonly problems: readonly { readonly code: string; readonly file: string; readonly line: number }[];
  readonly trial?: { readonly events: readonly { readonly checks: readonly { readonly ok: boolean }[] }[] };
  readonly exitCode: number;
}

export async function usageDesk(
  options: Partial<SandboxOptions> & { readonly url?: string } = {},
): Promise<Desk> {
  const { url, ...sandboxOptions } = options;
  const sandbox = await seeded({ clock: systemClock, ...sandboxOptions });
  const folder = temporaryFolder();
  const path = (name: string) => folder.join(name);
  const env = {
    HELPDESK_APP_URL: url ?? sandbox.url,
    HELPDESK_APP_ID: sandbox.app.id,
    HELPDESK_APP_KEY: sandbox.app.key,
  };
  const run: Desk['run'] = (command, args, flags = {}, onSignal, clock) =>
    runCommand(command, args, flags, {
      cwd: folder.path,
      env,
      ...(onSignal === undefined ? {} : { onSignal }),
      ...(clock === undefined ? {} : { clock }),
    });
  return {
    sandbox,
    path,
    run,
    write: (name, ...lines) => {
      writeFileSync(path(name), `${lines.join('\n')}\n`);
      return path(name);
    },
    async send(file, flags = {}, onSignal, clock) {
      const result = await run(
        usageEventsCommand,
        [file],
        { checkpoint: path('c.sqlite'), rejects: path('rejects'), json: true, progress: false, ...flags },
        onSignal,
        clock,
      );
      const isJson = result.stdout.startsWith('{');
      const summary = (isJson ? JSON.parse(result.stdout) : {}) as Summary;
      return { ...result, summary };
    },
    [Symbol.asyncDispose]: () => {
      folder[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}
