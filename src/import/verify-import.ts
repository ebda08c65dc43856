/** Reads imported tickets back and compares them with the export. */
import { verifyFiles, type WrongFile } from '../attachments/verify-files.ts';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { stop } from '../domain/text/stops.ts';
import { KnownTickets } from '../plan/origins.ts';
import { createSelection } from '../plan/selection.ts';
import { failureOf } from '../push/failure-meaning.ts';
import { namedHosts, type Settings } from '../settings/settings.ts';
import { NO_PROBLEMS } from '../source/problem-list.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import { type Comparable, isInSample, readAllBack, type Signed } from '../verify/read-all-back.ts';
import { Agents, askHelpdesk } from './agents.ts';
import { type FilesView, sentView } from './known-files.ts';
import { learn } from './learn.ts';
import { mapTickets } from './map.ts';
import { nameOf, readExport } from './read.ts';
import type { ImportPorts, LearntSource } from './run.ts';
import { connect, greetTarget, type TargetAddress } from './target.ts';

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

export async function verifyImport(
  settings: Settings,
  target: TargetAddress,
  sampleSize: SampleSize,
  ports: ImportPorts,
  signed: Signed = () => undefined,
) {
  const started = ports.clock.monotonic();
  const { checkpoint: path } = settings.output;
  using checkpoint = readCheckpoint(path, target.key);
  requireNoWriter(checkpoint);
  await greetTarget(target, settings.run, ports);
  await using api = connect(target, settings.run, ports);
  const agents = new Agents(askHelpdesk(api), undefined);
  await using read = await readExport({ settings, ports, problems: NO_PROBLEMS });
  const source = await learn({ settings, ports }, read, agents);
  const view = sentView(settings, { files: checkpoint.files, origin: target.baseUrl });
  const seen = new Set<string>();
  const noted: Signed = (sign, externalId) => {
    seen.add(externalId);
    signed(sign, externalId);
  };
  const tickets = await countTickets(settings, source, view, sampleSize, { checkpoint, ports, noted });
  try {
    const pass = imported(source, view, checkpoint);
    const findings = await readAllBack(pass, tickets, api, settings.run.concurrency, { ...ports, noted });
    for (const { externalId } of checkpoint.inStates(['created', 'incomplete', 'done']))
      if (!seen.has(externalId)) signed('+', externalId);
    const files = await openFiles(checkpoint, sampleSize, settings, target, ports);
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

/** Reads would take from the rate budget of a run. */
function requireNoWriter(checkpoint: CheckpointReader): void {
  const writer = checkpoint.writer();
  if (writer === undefined) return;
  const who = writer.pid === undefined ? 'another process' : `process ${writer.pid}`;
  throw stop('checkpoint-written-now', { path: checkpoint.path, who });
}

/** Without a ticket in the helpdesk that is known. */
const OPEN: ReadonlySet<string> = new Set(['creating', 'inDoubt', 'refused', 'rejected']);

interface Counting {
  readonly checkpoint: CheckpointReader;
  readonly ports: Pick<ImportPorts, 'emit' | 'soft'>;
  readonly noted: Signed;
}

async function countTickets(
  settings: Settings,
  source: LearntSource,
  view: FilesView,
  sampleSize: SampleSize,
  { checkpoint, ports: { emit, soft }, noted }: Counting,
): Promise<VerifyCounts> {
  const counts = { read: 0, imported: 0, incomplete: 0, changed: 0, invalid: 0, open: 0 };
  const known = new KnownTickets(settings, rejectFoldersOf(settings.source.files).length > 0);
  const selection = createSelection(settings.selection);
  emit({ type: 'stage', stage: 'checking' });
  for await (const page of mapTickets(settings, source, selection, { ledger: checkpoint, view }, soft)) {
    for (const made of page) {
      counts.read++;
      if (made.kind !== 'ticket') {
        if (made.leftOut === undefined) counts.open++;
        continue;
      }
      known.add(made);
      const { externalId, record, result, step } = made;
      if (made.leftOut !== undefined) continue;
      if (record?.ticketId === undefined) {
        noted('-', externalId);
        if (step.outcome === 'rejected' || (record !== undefined && OPEN.has(record.state))) counts.open++;
      } else if (record.state !== 'done') {
        noted('*', externalId);
        counts.incomplete++;
      } else if (result.checked === undefined) {
        noted('!', externalId);
        counts.invalid++;
      } else {
        counts.imported++;
        if (step.changed.length > 0) counts.changed++;
      }
    }
    emit({ type: 'checked', tickets: counts.read, problems: 0 });
  }
  known.requireSource(checkpoint);
  if (counts.imported === 0) throw stop('nothing-to-verify', { path: checkpoint.path });
  return {
    ...counts,
    chosen: sampleSize === 'all' ? counts.imported : Math.min(sampleSize, counts.imported),
  };
}

/** Complete in the helpdesk, and valid in the export. */
function* imported(
  { plan, files }: LearntSource,
  view: FilesView,
  checkpoint: CheckpointReader,
): Generator<readonly Comparable[]> {
  for (const page of plan.entries(`leftOut IS NULL AND state = 'done'`))
    yield page.flatMap((entry) => {
      if (entry.kind !== 'ticket') return [];
      const { checked } = view(entry.result, nameOf({ files }, entry.ref));
      const { ticketId } = checkpoint.get(entry.externalId) ?? {};
      return checked === undefined || ticketId === undefined ? [] : [{ checked, ticketId }];
    });
}

/** As a browser would: all, or as many as tickets are read back. */
async function openFiles(
  checkpoint: CheckpointReader,
  sampleSize: SampleSize,
  { run, files }: Settings,
  { baseUrl, sandbox }: TargetAddress,
  { clock, env, soft }: ImportPorts,
): Promise<{ readonly opened: number; readonly wrong: readonly WrongFile[] } | undefined> {
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
