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
import { AppError, diskCode } from '../domain/errors.ts';
import type { FileLedger } from '../domain/ledger.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { readSecretFile } from '../helpdesk/secrets.ts';
import type { TicketFile } from '../plan/queries.ts';
import { stopOfRun } from '../push/failure-meaning.ts';
import { variable } from '../settings/credentials.ts';
import type { Examined } from './examine.ts';
import type { ImportJob, ImportPorts, OpenedSource } from './import-job.ts';
import { missingProblem } from './keep-files.ts';
import type { Options } from './options.ts';
import type { TargetAddress } from './target.ts';

const LARGEST_FILE = 5e9;

/** Throws AppError `configuration`. */
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
  readonly api: () => Pick<CoreApi, 'announceFile'>;
}

export function noStore(): AppError {
  return new AppError('usage', 'No place for the files is given.', {
    hint: 'Name a folder or target with --files.',
  });
}

export async function openStore(
  { attachments, pace, checkpointPath }: Pick<Options, 'attachments' | 'pace' | 'checkpointPath'>,
  ports: StorePorts,
): Promise<stores.FileStore> {
  const { to, publicUrl } = attachments;
  const { target, clock, env } = ports;
  const checkpoint = resolve(checkpointPath);
  const staging = `${checkpoint}.files`;
  if (to === undefined) throw noStore();
  if (typeof to === 'string') {
    const folder = resolve(to);
    makeFolder(folder);
    const base = `${publicUrl ?? target?.sandbox?.serveFiles(folder) ?? ''}/`;
    // Several imports may share the folder.
    return stores.folderStore(
      folder,
      base,
      join(folder, '.incoming', hash('sha256', checkpoint).slice(0, 12)),
    );
  }
  makeFolder(staging, 0o700);
  target?.sandbox?.serveFiles();
  return stores.targetStore({
    staging,
    clock,
    env,
    timeoutMs: pace.timeoutMs,
    announce: (filename, contentType, signal) =>
      ports
        .api()
        .announceFile(filename, contentType, signal)
        .catch((error: unknown) => {
          signal.throwIfAborted();
          throw error instanceof ApiFailure ? refusedFile(error) : error;
        }),
    target: target?.baseUrl ?? '',
    privateHosts: attachments.privateHosts,
    localOrigin: target?.sandbox?.url,
  });
}

function refusedFile(failure: ApiFailure): Error {
  if ([404, 405, 501].includes(failure.status ?? 0))
    return new AppError(
      'configuration',
      `The helpdesk takes no files (POST /attachments: ${failure.status}).`,
      {
        hint: 'Bring them to a folder that your web server or bucket shows: --files kept, with files.publicUrl in the settings.',
        cause: failure,
      },
    );
  return stopOfRun(failure) ?? new stores.StoreRefusal(failure.message);
}

function makeFolder(folder: string, mode = 0o755): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (cause) {
    const code = diskCode(cause);
    if (code === undefined) throw cause;
    throw new AppError('disk-write', `The folder ${folder} for files cannot be created (${code}).`, {
      cause,
    });
  }
}

/** Where files go, and what opens their hosts. */
export interface Keeping {
  readonly store: stores.FileStore;
  readonly credentials: SourceCredentials;
}

/** Links to files of these hosts are kept too. */
function fileRules({ base, hosts = [] }: Options['attachments'], credentials: SourceCredentials): FileRules {
  return { base, hosts: new Set([...hosts, ...credentials.hosts]) };
}

/** What the plan keeps of the files that `--files` is to fetch. */
export function filesToKeep(attachments: Options['attachments'], credentials: SourceCredentials) {
  const rules = fileRules(attachments, credentials);
  return (ticket: CheckedTicket): TicketFile[] =>
    filesOfTicket(ticket, rules).map(({ file: { key, address, sizeBytes } }) => ({
      ...{ key, host: new URL(address).host, bytes: sizeBytes, ends: expiryOf(address) },
    }));
}

/** Fetches what the ledger lacks. Rejects with the signal's reason, and for what stops all of it. */
export async function fetchFiles(
  tickets: AsyncIterable<readonly Examined[]>,
  job: Pick<ImportJob, 'attachments' | 'pace' | 'ports' | 'problem'> & {
    readonly source: Pick<OpenedSource, 'nameOf'>;
  },
  { store, credentials }: Keeping,
  ledger: FileLedger,
): Promise<TransferCounts> {
  const { attachments, pace, ports, problem, source } = job;
  const rules = fileRules(attachments, credentials);
  let bytes = (_: number) => {};
  await using fetcher = new FileFetcher({
    staging: store.staging,
    credentials,
    largest: LARGEST_FILE,
    timeoutMs: pace.timeoutMs,
    privateHosts: [...attachments.privateHosts, ...credentials.hosts],
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
    giveUpAfterMs: pace.giveUpAfterMs,
    signal: ports.soft,
    onChange: ({ wanted, fetched, missing, bytes }) =>
      ports.emit({ type: 'files', done: fetched + missing, wanted, missing, bytes, isAll }),
  });
  bytes = (count) => transfer.countBytes(count);
  try {
    for await (const chunk of tickets) {
      for (const examined of chunk) {
        if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
        const ticket = examined.result.checked ?? examined.result.withheld;
        if (ticket === undefined) continue;
        for (const { message, file } of filesOfTicket(ticket, rules))
          await transfer.want(file, (lack) => {
            if (lack === undefined) return;
            const missing = { message, file, ...lack };
            problem(missingProblem(missing, ticket, source.nameOf(ticket.ref), attachments.missing));
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
