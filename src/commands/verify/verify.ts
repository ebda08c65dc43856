/**
 * Reads imported tickets back and compares them with the export: read → stage → shape → check, as an import does, and then
 * instead of sending each ticket it is read. Changes nothing in the target and no ticket of the checkpoint, which is open for
 * reading: what the run before has sent counts for the rate budget, and nobody else sends meanwhile.
 */
import { verifyFiles } from '../../attachments/verify-files.ts';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import { AppError } from '../../domain/errors.ts';
import type { CheckedTicket } from '../../domain/ticket.ts';
import { agentFinder } from '../../import/agent-finder.ts';
import { checkRules } from '../../import/check-rules.ts';
import { type ExaminedTicket, examineExport } from '../../import/examine.ts';
import { keptChecker } from '../../import/files/keep-files.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import { KnownTickets } from '../../import/known-tickets.ts';
import { openSource } from '../../import/source.ts';
import { type Connection, connect, greetTarget, type TargetAddress } from '../../import/target.ts';
import { readFailure } from '../../push/failure-meaning.ts';
import type { Settings } from '../../settings/settings.ts';
import { namedHosts } from '../../settings/settings.ts';
import { ContactIds } from '../../verify/compare-ticket.ts';
import { compareRead, type ReadBack, readBack } from '../../verify/read-back.ts';
import {
  FindingsLog,
  type TicketVerdict,
  type VerifiedFiles,
  type VerifyResult,
  verifyExitCode,
} from './verify-findings.ts';

/** How many tickets are read back. */
export type SampleSize = number | 'all';

/**
 * Throws AppError `source`, `configuration` and `checkpoint` as an import does, `usage` where nothing is imported yet, `auth`
 * and `unreachable` where the target does not answer, and the signal's reason.
 */
export async function verifyImport(
  settings: Settings,
  target: TargetAddress,
  sampleSize: SampleSize,
  ports: ImportPorts,
): Promise<VerifyResult> {
  const started = ports.clock.monotonic();
  const checkpoint = openIdle(settings.output.checkpoint, target.key);
  try {
    await greetTarget(target, settings, ports);
    await using finder = agentFinder(settings, target, ports);
    await using source = await openSource(settings, {
      ...ports,
      problem: () => undefined,
      signal: ports.soft,
      folder: ports.settingsFolder,
      findAgent: finder.find,
    });
    const rules = checkRules(settings, source, ports.clock);
    const { check, view } = await keptChecker(settings, rules, checkpoint, target.baseUrl);
    const pass = () => examineExport({ source, settings, check, view }, ports.soft, checkpoint);
    const chosen = await choose(pass(), sampleSize, checkpoint, settings, ports);
    const connection = connect(target, settings, ports, undefined);
    try {
      const log = await readAllBack(pass(), chosen, connection, ports);
      const findings = log.result();
      const files = await openFiles(checkpoint, sampleSize, settings, target, ports);
      const { sent, retried, rateLimited } = connection.api.stats;
      return {
        version: 1,
        layout: source.detection.layout.name,
        target: target.baseUrl,
        checkpoint: settings.output.checkpoint,
        tickets: chosen.counts,
        findings,
        files,
        requests: { sent, retried, rateLimited },
        durationMs: Math.round(ports.clock.monotonic() - started),
        exitCode: verifyExitCode(findings, files?.wrong.length),
      };
    } catch (error) {
      throw stopOf(error, ports.hard);
    } finally {
      await connection.api.close();
    }
  } finally {
    checkpoint.close();
  }
}

/** For reading: nothing of it changes. While a run sends, what is read back would take from its rate budget. */
function openIdle(path: string, target: string): CheckpointReader {
  const checkpoint = readCheckpoint(path, target);
  const writer = checkpoint.writer();
  if (writer === undefined) return checkpoint;
  checkpoint.close();
  const who = writer.pid === undefined ? 'another process' : `process ${writer.pid}`;
  throw new AppError('checkpoint', `The checkpoint ${path} is in use by ${who}.`, {
    hint: 'Wait until that run has ended.',
  });
}

type Pass = ReturnType<typeof examineExport>;

interface Chosen {
  readonly counts: VerifyResult['tickets'];
  has(externalId: string): boolean;
}

/** The first pass: what of the export is imported, and which of it is read back. */
async function choose(
  pass: Pass,
  sampleSize: SampleSize,
  checkpoint: CheckpointReader,
  settings: Settings,
  { emit }: ImportPorts,
): Promise<Chosen> {
  const sample = createSample(sampleSize === 'all' ? 1 : sampleSize);
  const counts = { read: 0, imported: 0, incomplete: 0, changed: 0, invalid: 0, chosen: 0 };
  const known = new KnownTickets(settings);
  emit({ type: 'stage', stage: 'checking' });
  for await (const chunk of pass) {
    for (const examined of chunk) {
      counts.read++;
      if (examined.kind !== 'ticket') continue;
      known.add(examined);
      const { record, result, step } = examined;
      if (examined.skippedBecause !== undefined || record?.ticketId === undefined) continue;
      if (record.state !== 'done') counts.incomplete++;
      else if (result.checked === undefined) counts.invalid++;
      else {
        counts.imported++;
        if (step.changed.length > 0) counts.changed++;
        sample.offer(examined.externalId);
      }
    }
    emit({ type: 'checked', tickets: counts.read, problems: 0 });
  }
  const path = settings.output.checkpoint;
  requireSameSource({ known: checkpoint.size(), ...known.counts }, path);
  if (counts.imported === 0)
    throw new AppError('usage', 'Nothing to verify: no ticket of this export is complete in the target.', {
      hint: `Import it first, or name its checkpoint with --checkpoint (now ${path}).`,
    });
  const ids = sampleSize === 'all' ? undefined : sample.chosen();
  return {
    counts: { ...counts, chosen: ids?.size ?? counts.imported },
    has: (externalId) => ids?.has(externalId) ?? true,
  };
}

/** The second pass: as many tickets at a time as the concurrency limit allows. */
async function readAllBack(
  pass: Pass,
  chosen: Chosen,
  connection: Connection,
  { emit, soft, hard }: ImportPorts,
): Promise<FindingsLog> {
  emit({
    type: 'start-import',
    tickets: chosen.counts.chosen,
    alreadyDone: 0,
    requests: chosen.counts.chosen * 3,
  });
  emit({ type: 'stage', stage: 'verifying' });
  const reader = new TicketReader(connection, { emit, hard });
  const { log } = reader;
  try {
    for await (const chunk of pass) {
      for (const examined of chunk) {
        const ticket = examined.kind === 'ticket' ? comparable(examined, chosen) : undefined;
        if (ticket === undefined) continue;
        soft.throwIfAborted();
        if (!(await reader.read(ticket.checked, ticket.ticketId))) {
          await reader.finish();
          return log;
        }
      }
    }
  } finally {
    await reader.finish();
  }
  await reader.judge();
  return log;
}

function comparable(
  { externalId, record, result, skippedBecause }: ExaminedTicket,
  chosen: Chosen,
): { checked: CheckedTicket; ticketId: string } | undefined {
  const { checked } = result;
  const isImported = record?.state === 'done' && record.ticketId !== undefined;
  if (!isImported || checked === undefined || skippedBecause !== undefined) return undefined;
  return chosen.has(externalId) ? { checked, ticketId: record.ticketId } : undefined;
}

/** Opens the new addresses of fetched files as a browser would: all of them, or as many as tickets are read back. */
async function openFiles(
  checkpoint: CheckpointReader,
  sampleSize: SampleSize,
  { run, files }: Settings,
  { baseUrl, sandbox }: TargetAddress,
  { clock, env, soft }: ImportPorts,
): Promise<VerifiedFiles | undefined> {
  const byAddress = new Map(
    [...checkpoint.files.contents()]
      .filter(({ begun }) => !begun)
      .map((content) => [`${content.hash} ${content.address}`, content]),
  );
  if (byAddress.size === 0) return undefined;
  const step = sampleSize === 'all' ? 1 : Math.ceil(byAddress.size / sampleSize);
  const chosen = [...byAddress.values()].filter((_, at) => at % step === 0);
  const options = {
    timeoutMs: run.timeout * 1000,
    privateHosts: [...namedHosts(files), ...(sandbox === undefined ? [] : [new URL(baseUrl).hostname])],
    env,
    origin: baseUrl,
    now: clock.monotonic,
  };
  return { opened: chosen.length, wrong: await verifyFiles(chosen, options, soft) };
}

/** A failure of the target as what stops the command. */
function stopOf(error: unknown, hard: AbortSignal): unknown {
  const failure = readFailure(error, hard);
  return failure.outcome === 'stopped' ? (failure.stop ?? error) : error;
}

/** So many hidden tickets and none that was read: then the list is asked for. */
const SUSPICIOUS = 3;

/**
 * Reads tickets back, several at a time, as many as the limiter allows. Whether a target that hides its tickets cannot be read
 * or has lost them is settled early: by asking for its list, before a thousand reads are refused one by one.
 */
class TicketReader {
  readonly log = new FindingsLog();
  readonly #connection: Connection;
  readonly #ports: Pick<ImportPorts, 'emit' | 'hard'>;
  readonly #contactIds = new ContactIds();
  readonly #reading = new Set<Promise<void>>();
  /** The first failure that concerns all of them. */
  #failure: { readonly error: unknown } | undefined;
  #judged = false;
  #isUnreadable = false;

  constructor(connection: Connection, ports: Pick<ImportPorts, 'emit' | 'hard'>) {
    this.#connection = connection;
    this.#ports = ports;
  }

  /** Begins to read one ticket once there is room for it. False: the target cannot be read, so no more need be asked. */
  async read(sent: CheckedTicket, ticketId: string): Promise<boolean> {
    const { limiter } = this.#connection;
    await limiter.acquire(this.#ports.hard);
    if (this.#failure !== undefined) {
      limiter.release({ outcome: 'ignore' });
      throw this.#failure.error;
    }
    const reading = this.#readOne(sent, ticketId).finally(() => void this.#reading.delete(reading));
    this.#reading.add(reading);
    if (!this.log.hasRead && this.log.hidden >= SUSPICIOUS) await this.judge();
    return !this.#isUnreadable;
  }

  /** Waits for what is being read. Throws what concerns all tickets. */
  async finish(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Settles whether a target that has shown no ticket can be read at all. */
  async judge(): Promise<void> {
    if (this.#judged || this.log.hasRead || this.log.hidden === 0) return;
    this.#judged = true;
    const reply = await this.#connection.api.probe(this.#ports.hard);
    if (reply.type === 'answer' && reply.status >= 200 && reply.status < 300) this.log.targetShowsItsList();
    else this.#isUnreadable = true;
  }

  async #readOne(sent: CheckedTicket, ticketId: string): Promise<void> {
    let outcome: 'ok' | 'ignore' = 'ignore';
    try {
      const back = await readBack(sent, ticketId, this.#connection.api, this.#ports.hard);
      this.log.add(sent.externalId, ticketId, back.kind === 'read' ? this.#compared(sent, back) : back);
      this.#ports.emit({ type: 'ticket', externalId: sent.externalId, outcome: 'done', ticketId });
      outcome = 'ok';
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#connection.limiter.release({ outcome });
    }
  }

  /** Here a list that cannot be read is no success: what was asked for could not be compared. */
  #compared(sent: CheckedTicket, back: Extract<ReadBack, { kind: 'read' }>): TicketVerdict {
    const { checks, isWhole } = compareRead(sent, back, this.#contactIds);
    return {
      kind: 'compared',
      checks: checks.map((check) => (check.name === 'read back' ? { ...check, ok: isWhole } : check)),
    };
  }
}

/**
 * Which tickets are read back: all of them, or a sample that is spread evenly over the export and is the same each time.
 * How many there are is known only at the end of the export, so the sample is thinned out as it grows: constant memory.
 */
interface Sample {
  /** To be called for every ticket that could be read back, in the order of the export. */
  offer(externalId: string): void;
  /** At most `size` of those offered, evenly spread. */
  chosen(): ReadonlySet<string>;
}

/** Pure but for its own memory, which is twice the sample. */
export function createSample(size: number): Sample {
  let kept: string[] = [];
  let stride = 1;
  let offered = 0;
  return {
    offer(externalId) {
      if (offered % stride === 0) kept.push(externalId);
      offered++;
      if (kept.length < size * 2) return;
      kept = kept.filter((_, index) => index % 2 === 0);
      stride *= 2;
    },
    chosen() {
      if (kept.length <= size) return new Set(kept);
      return new Set(
        Array.from({ length: size }, (_, place) => kept[Math.floor((place * kept.length) / size)] ?? ''),
      );
    },
  };
}
