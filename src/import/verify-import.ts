/** Reads imported tickets back and compares them with the export. */
import pLimit from 'p-limit';
import { verifyFiles, type WrongFile } from '../attachments/verify-files.ts';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../checkpoint/same-source.ts';
import { AppError } from '../domain/errors.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { failureOf } from '../push/failure-meaning.ts';
import { CHECK_NAMES, type Check, NOT_REPORTED } from '../verify/check.ts';
import { ContactIds } from '../verify/compare-ticket.ts';
import { compareRead, readBack } from '../verify/read-back.ts';
import { agentFinder } from './ask-helpdesk.ts';
import { type Examined, examineExport } from './examine.ts';
import type { ImportPorts } from './import-job.ts';
import { keptChecker } from './keep-files.ts';
import type { Options } from './options.ts';
import { checkRules, openSource } from './source.ts';
import { KnownTickets } from './survey-export.ts';
import { connect, greetTarget, type TargetAddress } from './target.ts';

interface Difference {
  readonly externalId: string;
  readonly ticketId: string;
  readonly detail: string;
}

/** A few examples of each kind, in bounded memory. */
type Findings = ReturnType<typeof noFindings>;

/** Its `exitCode`: 0: all equal. 3: something differs, is missing or could not be compared. 5: the token may not read. */
export type VerifyResult = Awaited<ReturnType<typeof verifyImport>>;

/**
 * `read`: records of the export. `imported`: complete and valid. `incomplete`: the next run sends what is missing. `changed`:
 * other in the export now. `invalid`: not valid any longer. `open`: in doubt, refused or rejected. `chosen`: read back.
 */
export type VerifyCounts = Readonly<
  Record<'read' | 'imported' | 'incomplete' | 'changed' | 'invalid' | 'open' | 'chosen', number>
>;

type SampleSize = number | 'all';

/** As rclone has them: equal, differs, missing in the helpdesk, only there, could not be read. */
export type Sign = '=' | '*' | '-' | '+' | '!';
type Signed = (sign: Sign, externalId: string) => void;

/** Throws AppError, `usage` if nothing is imported yet, and the signal's reason. */
export async function verifyImport(
  options: Options,
  target: TargetAddress,
  sampleSize: SampleSize,
  ports: ImportPorts,
  signed: Signed = () => undefined,
) {
  const started = ports.clock.monotonic();
  const { checkpointPath: path, pace, reading, selection } = options;
  using checkpoint = readCheckpoint(path, target.key);
  const writer = checkpoint.writer();
  // Reads would take from the rate budget of a run.
  if (writer !== undefined)
    throw new AppError(
      'checkpoint',
      `The checkpoint ${path} is in use by ${writer.pid === undefined ? 'another process' : `process ${writer.pid}`}.`,
      { hint: 'Wait until that run has ended.' },
    );
  await greetTarget(target, pace, ports);
  await using finder = agentFinder(options, target, ports);
  await using source = await openSource(reading, {
    ...ports,
    problem: () => undefined,
    findAgent: finder.find,
  });
  const rules = checkRules(options, source, ports.clock);
  const { check, view } = keptChecker(options, rules, checkpoint, target.baseUrl);
  const pass = () => examineExport({ source, selection, check, view }, ports.soft, checkpoint);
  const seen = new Set<string>();
  const noted: Signed = (sign, externalId) => {
    seen.add(externalId);
    signed(sign, externalId);
  };
  const tickets = await countTickets(pass(), sampleSize, { checkpoint, reading, ...ports, noted });
  await using api = connect(target, pace, ports);
  try {
    const findings = await readAllBack(pass(), tickets, api, pace.connections, { ...ports, noted });
    for (const { externalId } of checkpoint.inStates(['created', 'incomplete', 'done']))
      if (!seen.has(externalId)) signed('+', externalId);
    const files = await openFiles(checkpoint, sampleSize, options, target, ports);
    const { sent, retried, rateLimited } = api.stats;
    const { different, missingTotal, unreadTotal, targetIsUnreadable, hiddenBy } = findings;
    const wrong =
      different +
      missingTotal +
      unreadTotal +
      tickets.incomplete +
      tickets.open +
      tickets.invalid +
      (files?.wrong.length ?? 0);
    const mayNotRead = targetIsUnreadable && hiddenBy?.status === 403;
    return {
      version: 1 as const,
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
    throw failureOf(error, ports.hard).ends?.reason ?? error;
  }
}

/** Without a ticket in the helpdesk that is known. */
const OPEN: ReadonlySet<string> = new Set(['creating', 'inDoubt', 'refused', 'rejected']);

type Pass = ReturnType<typeof examineExport>;

interface Counting extends Pick<ImportPorts, 'emit'> {
  readonly checkpoint: CheckpointReader;
  readonly reading: Options['reading'];
  readonly noted: Signed;
}

async function countTickets(
  pass: Pass,
  sampleSize: SampleSize,
  { checkpoint, reading, emit, noted }: Counting,
): Promise<VerifyCounts> {
  const counts = { read: 0, imported: 0, incomplete: 0, changed: 0, invalid: 0, open: 0 };
  const known = new KnownTickets(reading);
  emit({ type: 'stage', stage: 'checking' });
  for await (const chunk of pass) {
    for (const examined of chunk) {
      counts.read++;
      if (examined.kind !== 'ticket') {
        if (examined.skippedBecause === undefined) counts.open++;
        continue;
      }
      known.add(examined);
      const { record, result, step } = examined;
      if (examined.skippedBecause !== undefined) continue;
      if (record?.ticketId === undefined) {
        noted('-', examined.externalId);
        if (step.outcome === 'rejected' || (record !== undefined && OPEN.has(record.state))) counts.open++;
        continue;
      }
      const isComparable = record.state === 'done' && result.checked !== undefined;
      if (!isComparable) noted(record.state === 'done' ? '!' : '*', examined.externalId);
      if (record.state !== 'done') counts.incomplete++;
      else if (result.checked === undefined) counts.invalid++;
      else {
        counts.imported++;
        if (step.changed.length > 0) counts.changed++;
      }
    }
    emit({ type: 'checked', tickets: counts.read, problems: 0 });
  }
  const { path } = checkpoint;
  requireSameSource({ known: checkpoint.size(), ...known.counts }, path);
  if (counts.imported === 0)
    throw new AppError('usage', 'Nothing to verify: no ticket of this export is complete in the helpdesk.', {
      hint: `Import it first, or name its checkpoint with --checkpoint (now ${path}).`,
    });
  return {
    ...counts,
    chosen: sampleSize === 'all' ? counts.imported : Math.min(sampleSize, counts.imported),
  };
}

/** Spread evenly, and the same each time. */
export function isInSample(nth: number, size: number, of: number): boolean {
  return Math.ceil((nth * size) / of) < Math.ceil(((nth + 1) * size) / of);
}

/** If the list cannot be read, one ticket shows whether tickets can. */
async function readAllBack(
  pass: Pass,
  { chosen, imported }: VerifyCounts,
  api: CoreApi,
  concurrency: number,
  { emit, soft, hard, noted }: Pick<ImportPorts, 'emit' | 'soft' | 'hard'> & { readonly noted: Signed },
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
      noted(isWhole && checks.every(({ ok }) => ok) ? '=' : '*', externalId);
      // Not compared is no success.
      noteCompared(
        findings,
        at,
        checks.map((one) => (one.name === 'read back' ? { ...one, ok: isWhole } : one)),
      );
    } else {
      noteUnread(findings, at, back);
      noted(back.kind === 'hidden' && back.status === 404 ? '-' : '!', externalId);
    }
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
    hiddenBy: undefined as { readonly status: number | undefined; readonly detail: string } | undefined,
    checks: CHECK_NAMES.map((name) => {
      return { name, equal: 0, differs: 0, notReported: 0, examples: [] as Difference[] };
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
  const said = isHidden && status === 404 ? 'The helpdesk does not have it.' : detail;
  if (examples.length < EXAMPLES) examples.push({ ...at, detail: said });
}

/** As a browser would: all, or as many as tickets are read back. */
async function openFiles(
  checkpoint: CheckpointReader,
  sampleSize: SampleSize,
  { pace, attachments }: Options,
  { baseUrl, sandbox }: TargetAddress,
  { clock, env, soft }: ImportPorts,
): Promise<{ readonly opened: number; readonly wrong: readonly WrongFile[] } | undefined> {
  const stored = [...checkpoint.files.contents()].filter(({ begun }) => !begun);
  const all = [...new Map(stored.map((one) => [`${one.hash} ${one.address}`, one])).values()];
  if (all.length === 0) return undefined;
  const size = sampleSize === 'all' ? all.length : Math.min(sampleSize, all.length);
  const chosen = all.filter((_, nth) => isInSample(nth, size, all.length));
  const options = {
    timeoutMs: pace.timeoutMs,
    privateHosts: [
      ...attachments.privateHosts,
      ...(sandbox === undefined ? [] : [new URL(baseUrl).hostname]),
    ],
    env,
    origin: baseUrl,
    now: clock.monotonic,
  };
  return { opened: chosen.length, wrong: await verifyFiles(chosen, options, soft) };
}
