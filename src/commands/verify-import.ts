/**
 * Reads imported tickets back and compares them with the export. Changes nothing in the target and no ticket of the checkpoint,
 * which is open for reading.
 */
import pLimit from 'p-limit';
import { verifyFiles } from '../attachments/verify-files.ts';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../checkpoint/same-source.ts';
import { AppError } from '../domain/errors.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { agentFinder } from '../import/agent-finder.ts';
import { checkRules } from '../import/check-rules.ts';
import { type Examined, examineExport } from '../import/examine.ts';
import { keptChecker } from '../import/files/keep-files.ts';
import type { ImportPorts } from '../import/import-job.ts';
import { openSource } from '../import/source.ts';
import { KnownTickets } from '../import/survey-export.ts';
import { connect, greetTarget, type TargetAddress } from '../import/target.ts';
import { readFailure } from '../push/failure-meaning.ts';
import { namedHosts, type Settings } from '../settings/settings.ts';
import type { CoreApi } from '../target/api.ts';
import { CHECK_NAMES, type Check, NOT_REPORTED } from '../verify/check.ts';
import { ContactIds } from '../verify/compare-ticket.ts';
import { compareRead, readBack } from '../verify/read-back.ts';
import type { CheckFindings, Difference, Findings, VerifyResult } from './results.ts';

/** How many tickets are read back. */
export type SampleSize = number | 'all';

/** Throws AppError as an import does, `usage` where nothing is imported yet, and the signal's reason. */
export async function verifyImport(
  settings: Settings,
  target: TargetAddress,
  sampleSize: SampleSize,
  ports: ImportPorts,
): Promise<VerifyResult> {
  const started = ports.clock.monotonic();
  const path = settings.output.checkpoint;
  const checkpoint = readCheckpoint(path, target.key);
  try {
    const writer = checkpoint.writer();
    // What is read back would take from the rate budget of a run.
    if (writer !== undefined)
      throw new AppError(
        'checkpoint',
        `The checkpoint ${path} is in use by ${writer.pid === undefined ? 'another process' : `process ${writer.pid}`}.`,
        { hint: 'Wait until that run has ended.' },
      );
    await greetTarget(target, settings, ports);
    await using finder = agentFinder(settings, target, ports);
    await using source = await openSource(settings, {
      ...ports,
      problem: () => undefined,
      findAgent: finder.find,
    });
    const rules = checkRules(settings, source, ports.clock);
    const { check, view } = await keptChecker(settings, rules, checkpoint, target.baseUrl);
    const pass = () => examineExport({ source, settings, check, view }, ports.soft, checkpoint);
    const tickets = await countTickets(pass(), sampleSize, checkpoint, settings, ports);
    const { api } = connect(target, settings, ports, undefined);
    try {
      const findings = await readAllBack(pass(), tickets, api, settings.run.concurrency, ports);
      const files = await openFiles(checkpoint, sampleSize, settings, target, ports);
      const { sent, retried, rateLimited } = api.stats;
      const { different, missingTotal, unreadTotal, targetIsUnreadable, hiddenBy } = findings;
      const wrong = different + missingTotal + unreadTotal + (files?.wrong.length ?? 0);
      const mayNotRead = targetIsUnreadable && hiddenBy?.status === 403;
      return {
        version: 1,
        layout: source.detection.layout.name,
        target: target.baseUrl,
        checkpoint: path,
        tickets,
        findings,
        files,
        requests: { sent, retried, rateLimited },
        durationMs: Math.round(ports.clock.monotonic() - started),
        exitCode: mayNotRead ? 5 : targetIsUnreadable || wrong > 0 ? 3 : 0,
      };
    } catch (error) {
      const failure = readFailure(error, ports.hard);
      throw failure.outcome === 'stopped' ? (failure.stop ?? error) : error;
    } finally {
      await api.close();
    }
  } finally {
    checkpoint.close();
  }
}

type Pass = ReturnType<typeof examineExport>;

async function countTickets(
  pass: Pass,
  sampleSize: SampleSize,
  checkpoint: CheckpointReader,
  settings: Settings,
  { emit }: ImportPorts,
): Promise<VerifyResult['tickets']> {
  const counts = { read: 0, imported: 0, incomplete: 0, changed: 0, invalid: 0 };
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
  return {
    ...counts,
    chosen: sampleSize === 'all' ? counts.imported : Math.min(sampleSize, counts.imported),
  };
}

/** Whether the n-th of so many is in a sample that is spread evenly over them, and is the same each time. */
export function isInSample(nth: number, size: number, of: number): boolean {
  return Math.ceil((nth * size) / of) < Math.ceil(((nth + 1) * size) / of);
}

/** A few requests at a time. Where the list cannot be read, one ticket alone shows whether tickets can. */
async function readAllBack(
  pass: Pass,
  { chosen, imported }: VerifyResult['tickets'],
  api: CoreApi,
  concurrency: number,
  { emit, soft, hard }: ImportPorts,
): Promise<Findings> {
  emit({ type: 'start-import', tickets: chosen, alreadyDone: 0, requests: chosen * 3 });
  emit({ type: 'stage', stage: 'verifying' });
  const findings = noFindings();
  const contactIds = new ContactIds();
  const limit = pLimit(concurrency);
  const list = await api.probe(hard);
  let isReadable = list.type === 'answer' && list.status >= 200 && list.status < 300;
  let nth = 0;
  const read = async ({ checked, ticketId }: Comparable) => {
    soft.throwIfAborted();
    const { externalId } = checked;
    const at = { externalId, ticketId };
    const back = await readBack(checked, ticketId, api, hard);
    if (back.kind === 'read') {
      const { checks, isWhole } = compareRead(checked, back, contactIds);
      // What was asked for and could not be compared is no success.
      noteCompared(
        findings,
        at,
        checks.map((one) => (one.name === 'read back' ? { ...one, ok: isWhole } : one)),
      );
    } else noteUnread(findings, at, back);
    emit({ type: 'ticket', externalId, outcome: 'done', ticketId });
    return back.kind;
  };
  for await (const chunk of pass) {
    const tickets = chunk.flatMap(comparable).filter(() => isInSample(nth++, chosen, imported));
    while (!isReadable) {
      const first = tickets.shift();
      if (first === undefined) break;
      const kind = await read(first);
      if (kind === 'hidden')
        return { ...findings, targetIsUnreadable: true, missing: [], missingTotal: 0, checks: [] };
      isReadable = kind === 'read';
    }
    await Promise.all(tickets.map((ticket) => limit(read, ticket)));
  }
  const made = findings.checks.filter(({ equal, differs, notReported }) => equal + differs + notReported > 0);
  return { ...findings, checks: made };
}

interface Comparable {
  readonly checked: CheckedTicket;
  readonly ticketId: string;
}

function comparable(examined: Examined): Comparable[] {
  if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) return [];
  const { record, result } = examined;
  if (record?.state !== 'done' || record.ticketId === undefined || result.checked === undefined) return [];
  return [{ checked: result.checked, ticketId: record.ticketId }];
}

const EXAMPLES = 5;

function noFindings() {
  return {
    ...{ compared: 0, equal: 0, different: 0, missingTotal: 0, unreadTotal: 0 },
    missing: [] as Difference[],
    unread: [] as Difference[],
    targetIsUnreadable: false,
    hiddenBy: undefined as Findings['hiddenBy'],
    checks: CHECK_NAMES.map((name): CheckFindings => {
      return { name, equal: 0, differs: 0, notReported: 0, examples: [] };
    }),
  };
}

function noteCompared(
  findings: ReturnType<typeof noFindings>,
  at: Omit<Difference, 'detail'>,
  checks: readonly Check[],
): void {
  findings.compared++;
  findings[checks.every(({ ok }) => ok) ? 'equal' : 'different']++;
  for (const { name, ok, detail } of checks) {
    const found = findings.checks.find((one) => one.name === name);
    if (found === undefined) continue;
    found[ok ? (detail === NOT_REPORTED ? 'notReported' : 'equal') : 'differs']++;
    if (!ok && found.examples.length < EXAMPLES) found.examples.push({ ...at, detail });
  }
}

function noteUnread(
  findings: ReturnType<typeof noFindings>,
  at: Omit<Difference, 'detail'>,
  { kind, detail, status }: { kind: 'hidden' | 'failed'; detail: string; status?: number | undefined },
): void {
  const isHidden = kind === 'hidden';
  if (isHidden) findings.hiddenBy ??= { status, detail };
  findings[isHidden ? 'missingTotal' : 'unreadTotal']++;
  const examples = findings[isHidden ? 'missing' : 'unread'];
  const said = isHidden && status === 404 ? 'The target does not have it.' : detail;
  if (examples.length < EXAMPLES) examples.push({ ...at, detail: said });
}

/** Opens the new addresses of fetched files as a browser would: all of them, or as many as tickets are read back. */
async function openFiles(
  checkpoint: CheckpointReader,
  sampleSize: SampleSize,
  { run, files }: Settings,
  { baseUrl, sandbox }: TargetAddress,
  { clock, env, soft }: ImportPorts,
): Promise<VerifyResult['files']> {
  const stored = [...checkpoint.files.contents()].filter(({ begun }) => !begun);
  const all = [...new Map(stored.map((one) => [`${one.hash} ${one.address}`, one])).values()];
  if (all.length === 0) return undefined;
  const size = sampleSize === 'all' ? all.length : Math.min(sampleSize, all.length);
  const chosen = all.filter((_, nth) => isInSample(nth, size, all.length));
  const options = {
    timeoutMs: run.timeout * 1000,
    privateHosts: [...namedHosts(files), ...(sandbox === undefined ? [] : [new URL(baseUrl).hostname])],
    env,
    origin: baseUrl,
    now: clock.monotonic,
  };
  return { opened: chosen.length, wrong: await verifyFiles(chosen, options, soft) };
}
