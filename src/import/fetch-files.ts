/** Fetches the files of an import (`--files`) between the plan and the first ticket. */

import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expiryOf } from '../attachments/address.ts';
import { FileFetcher } from '../attachments/fetch-file.ts';
import { type FileRules, filesOfTicket } from '../attachments/files-of-ticket.ts';
import { readSourceCredentials, SourceCredentials } from '../attachments/source-credentials.ts';
import * as stores from '../attachments/stores.ts';
import { Transfer, type TransferCounts } from '../attachments/transfer.ts';
import { type AppError, diskCode } from '../domain/errors.ts';
import type { FileLedger } from '../domain/ledger.ts';
import { stop } from '../domain/text/stops.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { readSecretFile } from '../helpdesk/secrets.ts';
import type { TicketFile } from '../plan/queries.ts';
import type { PlanEntry } from '../plan/ticket-plan.ts';
import { stopOfRun } from '../push/failure-meaning.ts';
import { variable } from '../settings/credentials.ts';
import { namedHosts, type Settings } from '../settings/settings.ts';
import type { Problems } from '../source/problem-list.ts';
import { missingProblem } from './known-files.ts';
import type { Made } from './map.ts';
import { nameOf } from './read.ts';
import type { ImportPorts, Source } from './run.ts';
import type { TargetAddress } from './target.ts';

const LARGEST_FILE = 5e9;

export async function sourceCredentials(env: ImportPorts['env']): Promise<SourceCredentials> {
  const path = variable(env, 'HELPDESK_FILES_CREDENTIALS_FILE');
  return path === undefined
    ? new SourceCredentials()
    : readSourceCredentials(await readSecretFile(path), path);
}

interface StorePorts {
  readonly clock: ImportPorts['clock'];
  readonly env: ImportPorts['env'];
  readonly target: TargetAddress | undefined;
  readonly api: Promise<Pick<CoreApi, 'announceFile'>>;
}

export function noStore(): AppError {
  return stop('no-store');
}

export async function openStore(
  { files, run, output }: Pick<Settings, 'files' | 'run' | 'output'>,
  ports: StorePorts,
): Promise<stores.FileStore> {
  const { to, publicUrl } = files;
  const { target, clock, env } = ports;
  const checkpoint = resolve(output.checkpoint);
  const staging = `${checkpoint}.files`;
  if (to === undefined) throw noStore();
  if (typeof to === 'string') {
    const folder = resolve(to);
    makeFolder(folder);
    const base = `${publicUrl ?? target?.sandbox?.serveFiles(folder) ?? ''}/`;
    // Several imports may share the folder.
    const incoming = join(folder, '.incoming', hash('sha256', checkpoint).slice(0, 12));
    return stores.folderStore(folder, base, incoming);
  }
  makeFolder(staging, 0o700);
  target?.sandbox?.serveFiles();
  return stores.targetStore({
    ...{ staging, clock, env, timeoutMs: run.timeout * 1000 },
    announce: async (filename, contentType, signal) => {
      const api = await ports.api;
      return await api.announceFile(filename, contentType, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error instanceof ApiFailure ? refusedFile(error) : error;
      });
    },
    target: target?.baseUrl ?? '',
    privateHosts: namedHosts(files),
    localOrigin: target?.sandbox?.url,
  });
}

function refusedFile(failure: ApiFailure): Error {
  if ([404, 405, 501].includes(failure.status ?? 0))
    return stop('helpdesk-takes-no-files', { status: failure.status }, { cause: failure });
  return stopOfRun(failure) ?? new stores.StoreRefusal(failure.message);
}

function makeFolder(folder: string, mode = 0o755): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (cause) {
    const code = diskCode(cause);
    if (code === undefined) throw cause;
    throw stop('files-folder', { folder, code }, { cause });
  }
}

export interface Keeping {
  readonly store: stores.FileStore;
  readonly credentials: SourceCredentials;
}

type FileSettings = Pick<Settings, 'source' | 'files'>;

/** Links to files of these hosts are kept too. */
function fileRules(
  { source, files: { hosts = [] } }: FileSettings,
  credentials: SourceCredentials,
): FileRules {
  return { base: source.ticketUrl, hosts: new Set([...hosts, ...credentials.hosts]) };
}

/** The files of a ticket: `--files` fetches them, and without it they stay links. */
export function filesToKeep(settings: FileSettings, credentials = new SourceCredentials()) {
  const rules = fileRules(settings, credentials);
  return (ticket: CheckedTicket): TicketFile[] =>
    filesOfTicket(ticket, rules).map(({ file: { key, address, sizeBytes } }) => ({
      ...{ key, host: new URL(address).host, bytes: sizeBytes, ends: expiryOf(address) },
    }));
}

interface Fetching {
  readonly settings: Pick<Settings, 'source' | 'files' | 'run'>;
  readonly ports: Pick<ImportPorts, 'clock' | 'random' | 'env' | 'emit' | 'soft'>;
  readonly problems: Pick<Problems, 'tell'>;
}

/** Fetches what the ledger lacks. Rejects with the signal's reason, and for what stops all of it. */
export async function fetchFiles(
  tickets: AsyncIterable<readonly Made[]> | Iterable<readonly PlanEntry[]>,
  { settings, ports, problems }: Fetching,
  source: Pick<Source, 'files'>,
  { store, credentials }: Keeping,
  ledger: FileLedger,
): Promise<TransferCounts> {
  const { files, run } = settings;
  const rules = fileRules(settings, credentials);
  let bytes = (_: number) => {};
  await using fetcher = new FileFetcher({
    staging: store.staging,
    credentials,
    largest: LARGEST_FILE,
    timeoutMs: run.timeout * 1000,
    privateHosts: [...namedHosts(files), ...credentials.hosts],
    env: ports.env,
    now: ports.clock.now,
    onBytes: (count) => bytes(count),
  });
  ports.emit({ type: 'stage', stage: 'fetching' });
  let isAll = false;
  const transfer = new Transfer({
    ledger,
    store,
    fetcher,
    clock: ports.clock,
    random: ports.random,
    giveUpAfterMs: run.giveUpAfter * 1000,
    signal: ports.soft,
    onChange: ({ wanted, fetched, missing, bytes }) =>
      ports.emit({ type: 'files', done: fetched + missing, wanted, missing, bytes, isAll }),
  });
  bytes = (count) => transfer.countBytes(count);
  try {
    for await (const chunk of tickets) {
      for (const entry of chunk) {
        if (entry.kind !== 'ticket' || entry.leftOut !== undefined) continue;
        const ticket = entry.result.checked ?? entry.result.withheld;
        if (ticket === undefined) continue;
        for (const { message, file } of filesOfTicket(ticket, rules))
          await transfer.want(file, (lack) => {
            if (lack === undefined) return;
            const missing = { message, file, ...lack };
            problems.tell(missingProblem(missing, ticket, nameOf(source, ticket.ref), files.missing));
          });
      }
    }
    isAll = true;
  } catch (error) {
    await transfer.finish().catch(() => undefined);
    throw error;
  }
  return await transfer.finish();
}
