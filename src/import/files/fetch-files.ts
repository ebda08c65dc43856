/** Files of an import (`--files`): fetched once the plan is known and before anything of it is sent. Composed here from src/attachments. */

import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FileFetcher } from '../../attachments/fetch-file.ts';
import { type FileRules, filesOfTicket } from '../../attachments/files-of-ticket.ts';
import { readSourceCredentials, SourceCredentials } from '../../attachments/source-credentials.ts';
import {
  bucketStore,
  type FileStore,
  folderStore,
  StoreRefusal,
  targetStore,
} from '../../attachments/stores.ts';
import { Transfer, type TransferCounts } from '../../attachments/transfer.ts';
import { AppError } from '../../domain/errors.ts';
import type { FileLedger } from '../../domain/ledger.ts';
import type { Problem } from '../../domain/problem.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import { stopOfRun } from '../../push/failure-meaning.ts';
import { variable } from '../../settings/credentials.ts';
import { namedHosts, type Settings } from '../../settings/settings.ts';
import type { CoreApi } from '../../target/api.ts';
import { readSecretFile } from '../../target/secrets.ts';
import type { Examined } from '../examine.ts';
import type { ImportPorts, OpenedSource } from '../import-job.ts';
import type { TargetAddress } from '../target.ts';
import { missingProblem } from './keep-files.ts';

/** Bytes of the largest file that is fetched. */
const LARGEST_FILE = 5e9;
const CREDENTIALS = 'HELPDESK_FILES_CREDENTIALS';

/** Credentials for the hosts of the source. Throws AppError `configuration`. */
export async function sourceCredentials(env: ImportPorts['env']): Promise<SourceCredentials> {
  const path = variable(env, 'HELPDESK_FILES_CREDENTIALS_FILE');
  if (path !== undefined) return readSourceCredentials(await readSecretFile(path), path);
  const text = variable(env, CREDENTIALS);
  return text === undefined ? new SourceCredentials() : readSourceCredentials(text, CREDENTIALS);
}

interface StorePorts {
  readonly clock: ImportPorts['clock'];
  readonly env: ImportPorts['env'];
  readonly target: TargetAddress | undefined;
  /** The way to the target, once it is open. */
  readonly api: () => Pick<CoreApi, 'announceFile'>;
}

/** Where files go by the settings. Throws AppError where that cannot be had. */
export async function openStore(settings: Settings, ports: StorePorts): Promise<FileStore> {
  const { to, publicUrl } = settings.files;
  const { target, clock, env } = ports;
  const checkpoint = resolve(settings.output.checkpoint);
  const staging = `${checkpoint}.files`;
  if (to === undefined)
    throw new AppError('usage', 'No place for the files is given.', {
      hint: 'Name a folder, s3://bucket/prefix or target with --files.',
    });
  if (typeof to === 'string') {
    const folder = resolve(to);
    makeFolder(folder);
    const base = `${publicUrl ?? target?.sandbox?.serveFiles(folder) ?? ''}/`;
    // Several imports may share the folder (shards); what they are at work on is their own.
    return folderStore(folder, base, join(folder, '.incoming', hash('sha256', checkpoint).slice(0, 12)));
  }
  makeFolder(staging);
  if (to.kind === 'target') {
    target?.sandbox?.serveFiles();
    return targetStore({
      staging,
      clock,
      env,
      timeoutMs: settings.run.timeout * 1000,
      announce: (filename, contentType, signal) =>
        ports
          .api()
          .announceFile(filename, contentType, signal)
          .catch((error: unknown) => {
            signal.throwIfAborted();
            throw error instanceof ApiFailure ? refusedFile(error) : error;
          }),
      localOrigin: target?.sandbox?.url,
    });
  }
  const [accessKeyId, secretAccessKey] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((name) =>
    variable(env, name),
  );
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new AppError(
      'configuration',
      'There is no key for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  const { s3Endpoint, s3Region = 'us-east-1' } = settings.files;
  return bucketStore({
    staging,
    clock,
    env,
    ...to,
    endpoint: s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`,
    region: s3Region,
    accessKeyId,
    secretAccessKey,
    publicUrl,
  });
}

/** A target that has no such call, one that stops everything, or one that does not take this file. */
function refusedFile(failure: ApiFailure): Error {
  if ([404, 405, 501].includes(failure.status ?? 0))
    return new AppError(
      'configuration',
      `The target takes no files (POST /attachments: ${failure.status}).`,
      {
        hint: 'Bring them to a bucket or to a folder that your web server shows: --files s3://bucket/prefix, or --files files/ with files.publicUrl in the settings.',
        cause: failure,
      },
    );
  return stopOfRun(failure) ?? new StoreRefusal(failure.message);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new AppError(
      'disk-write',
      `The folder ${folder} for files cannot be created (${(cause as NodeJS.ErrnoException).code}).`,
      { cause },
    );
  }
}

interface FilesToFetch {
  /** Whose files are fetched. */
  readonly tickets: AsyncIterable<readonly Examined[]>;
  readonly nameOf: OpenedSource['nameOf'];
  readonly settings: Settings;
  readonly ports: ImportPorts;
  readonly store: FileStore;
  readonly credentials: SourceCredentials;
  readonly ledger: FileLedger;
  readonly problem: (problem: Problem) => void;
}

/** Links to files of these hosts are kept too. */
export function fileRules({ files, source }: Settings, credentials: SourceCredentials): FileRules {
  return { base: source.ticketUrl, hosts: new Set([...(files.hosts ?? []), ...credentials.hosts]) };
}

/** Fetches what the tickets need and the ledger does not have. Rejects with the signal's reason, and for what stops all of it. */
export async function fetchFiles(work: FilesToFetch): Promise<TransferCounts> {
  const { settings, ports, store, credentials, ledger, problem } = work;
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
    for await (const chunk of work.tickets) {
      for (const examined of chunk) {
        if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
        const ticket = examined.result.checked ?? examined.result.withheld;
        if (ticket === undefined) continue;
        for (const { message, file } of filesOfTicket(ticket, rules))
          await transfer.want(file, (lack) => {
            if (lack === undefined) return;
            const missing = { message, file, detail: lack.detail };
            problem(missingProblem(missing, ticket, work.nameOf(ticket.ref), files.missing));
          });
      }
    }
    isAll = true;
  } catch (error) {
    // Nothing is left under way.
    await transfer.finish().catch(() => undefined);
    throw error;
  }
  return await transfer.finish();
}
