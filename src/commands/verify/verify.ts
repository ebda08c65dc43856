/**
 * Reads imported tickets back and compares them with the export: read → stage → shape → check, as an import does, and then
 * instead of sending each ticket it is read. Changes nothing in the target and no ticket of the checkpoint, which is open for
 * the rate budget's sake: what the run before has sent counts, and nobody else sends meanwhile.
 */
import { createChecker } from '../../check/check-ticket.ts';
import type { Checkpoint } from '../../checkpoint/checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import { AppError } from '../../domain/errors.ts';
import type { CheckedTicket } from '../../domain/ticket.ts';
import { agentFinder } from '../../import/agent-finder.ts';
import { checkRules } from '../../import/check-rules.ts';
import { type ExaminedTicket, examineExport } from '../../import/examine.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import { KnownTickets } from '../../import/known-tickets.ts';
import { openSource } from '../../import/source.ts';
import { type Connection, connect, type TargetAddress } from '../../import/target.ts';
import { readFailure } from '../../push/failure-meaning.ts';
import type { Settings } from '../../settings/settings.ts';
import { openExisting } from '../resolve/resolve-doubtful.ts';
import { FindingsLog } from './verify-findings.ts';
import { TicketReader } from './verify-reader.ts';
import { type VerifyResult, verifyExitCode } from './verify-result.ts';
import { createSample } from './verify-sample.ts';

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
  const checkpoint = openExisting(settings.output.checkpoint, ports, target.key);
  try {
    await using finder = agentFinder(settings, target, ports);
    await using source = await openSource(settings, {
      ...ports,
      problem: () => undefined,
      signal: ports.soft,
      folder: ports.settingsFolder,
      ...(finder === undefined ? {} : { findAgent: finder.find }),
    });
    const check = createChecker(checkRules(settings, source, ports.clock));
    const pass = () => examineExport({ source, settings, check }, ports.soft, checkpoint);
    const chosen = await choose(pass(), sampleSize, checkpoint, settings, ports);
    const connection = connect(target, settings, ports, checkpoint, `helpdesk-import/${ports.version}`);
    try {
      const log = await readBack(pass(), chosen, connection, ports);
      const findings = log.result();
      const { sent, retried, rateLimited } = connection.api.stats;
      return {
        version: 1,
        layout: source.detection.layout.name,
        target: target.baseUrl,
        checkpoint: settings.output.checkpoint,
        tickets: chosen.counts,
        findings,
        requests: { sent, retried, rateLimited },
        durationMs: Math.round(ports.clock.monotonic() - started),
        exitCode: verifyExitCode(findings),
      };
    } catch (error) {
      throw stopOf(error, ports.hard);
    } finally {
      await connection.api.close();
    }
  } finally {
    await checkpoint.close();
  }
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
  checkpoint: Checkpoint,
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
        sample.offer(examined.mapped.externalId);
      }
    }
    emit({ type: 'checked', tickets: counts.read, problems: 0 });
  }
  const path = settings.output.checkpoint;
  requireSameSource({ known: checkpoint.size(), ...known.counts }, path);
  if (counts.imported === 0)
    throw new AppError(
      'usage',
      'There is nothing to verify: no ticket of this export is complete in the target.',
      {
        hint: `Import it first, or name its checkpoint with --checkpoint (now ${path}).`,
      },
    );
  const ids = sampleSize === 'all' ? undefined : sample.chosen();
  return {
    counts: { ...counts, chosen: ids?.size ?? counts.imported },
    has: (externalId) => ids?.has(externalId) ?? true,
  };
}

/** The second pass: as many tickets at a time as the concurrency limit allows. */
async function readBack(
  pass: Pass,
  chosen: Chosen,
  { api, limiter }: Connection,
  { emit, soft, hard }: ImportPorts,
): Promise<FindingsLog> {
  const log = new FindingsLog();
  emit({
    type: 'start-import',
    tickets: chosen.counts.chosen,
    alreadyDone: 0,
    requests: chosen.counts.chosen * 3,
  });
  emit({ type: 'stage', stage: 'verifying' });
  const reader = new TicketReader(api, limiter, log, emit, hard);
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
  { mapped, record, result, skippedBecause }: ExaminedTicket,
  chosen: Chosen,
): { checked: CheckedTicket; ticketId: string } | undefined {
  const { checked } = result;
  const isImported = record?.state === 'done' && record.ticketId !== undefined;
  if (!isImported || checked === undefined || skippedBecause !== undefined) return undefined;
  return chosen.has(mapped.externalId) ? { checked, ticketId: record.ticketId } : undefined;
}

/** A failure of the target as what stops the command. */
function stopOf(error: unknown, hard: AbortSignal): unknown {
  const failure = readFailure(error, hard);
  return failure.outcome === 'stopped' ? (failure.stop ?? error) : error;
}
