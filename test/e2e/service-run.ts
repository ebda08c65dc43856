/** The built program against a service in this process, whose ledger says what really happened. */
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { type CliResult, cli } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { hurriedClock } from '../support/hurried-clock.ts';
import type { DoubleOptions } from '../support/logged-sandbox.ts';
import { type LoggedSandbox, startLogged } from '../support/logged-sandbox.ts';

/** The summary of `--json`, as far as the tests look at it. */
export interface RunSummary {
  mode: string;
  layout: string;
  target?: string;
  tickets: Record<string, number>;
  messages: Record<string, number>;
  events: Record<string, number>;
  requests: Record<string, number>;
  problems: {
    code: string;
    severity: string;
    ticket?: string;
    file?: string;
    line?: number;
    field?: string;
    message: string;
  }[];
  problemGroups: { code: string; count: number }[];
  problemsTotal: number;
  trial?: {
    tickets: {
      externalId: string;
      ticketId?: string;
      why: string[];
      checks: { name: string; ok: boolean }[];
    }[];
  };
  rejects?: string;
  exitCode: number;
}

export type Service = LoggedSandbox & { readonly env: Record<string, string> };

export async function withService<T>(
  options: Partial<DoubleOptions>,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const sandbox = await startLogged({ clock: hurriedClock, strict: true, ...options });
  const env = { HELPDESK_BASE_URL: sandbox.url, HELPDESK_TOKEN: sandbox.token };
  try {
    return await work({ ...sandbox, env });
  } finally {
    await sandbox.close();
  }
}

/** For a program in a process of its own, which has the machine's clock. */
export async function withServiceOfProcesses<T>(
  options: Partial<DoubleOptions>,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  return await withService({ clock: systemClock, ...options }, work);
}

/** With credentials that can be renewed, for tokens that expire on the way. */
export function oauthEnv({ url, oauth }: LoggedSandbox): Record<string, string> {
  return {
    HELPDESK_BASE_URL: url,
    HELPDESK_TOKEN_URL: oauth.tokenUrl,
    HELPDESK_CLIENT_ID: oauth.client.id,
    HELPDESK_CLIENT_SECRET: oauth.client.secret,
  };
}

/** The summary of a run by a process of its own. */
export async function reportedByProcess(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<RunSummary> {
  return summaryOf(await cli([...args, '--json'], { cwd, env }));
}

/** The summary of a run in this process. */
export async function reported(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<RunSummary> {
  return summaryOf(await commandLine([...args, '--json'], { cwd, env }));
}

export function summaryOf(result: CliResult): RunSummary {
  if (result.stdout === '') throw new Error(`no summary: exit ${result.code}\n${result.stderr}`);
  const summary = JSON.parse(result.stdout) as RunSummary;
  expect(summary.exitCode).toBe(result.code);
  return summary;
}

export function count(service: Sandbox, sql: string): number {
  return service.store.database.prepare(sql).pluck().get() as number;
}
