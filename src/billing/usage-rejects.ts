/**
 * The rejects of usage events at the end of a run. As those of tickets: what this run found is added, what was imported goes, and
 * all else that stands there stays. A row is known by its event id: its own, or one made of its values and of its number
 * among rows that are equal, which the marker remembers, because its equals may be gone.
 */
import { AppError } from '../domain/errors.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { digestOfBytes, digestOfRow, type StandingRejects, writtenLine } from '../import/standing-rejects.ts';
import { rewriteRejects } from '../import/write-rejects.ts';
import { createSelection } from '../plan/selection.ts';
import { rejectFoldersOf } from '../rejects/rejects-read.ts';
import type { RejectsWriter } from '../rejects/rejects-writer.ts';
import { appApiOf } from './app-target.ts';
import type { SurveyedRecords } from './surveyed-records.ts';
import type { KnownUsage } from './usage-checkpoint.ts';
import { openUsageSource, USAGE_TABLE, usagePlan } from './usage-source.ts';
import {
  DUPLICATE,
  type Examined,
  equalLine,
  examineUsage,
  requireSurveyed,
  type UsageJob,
} from './usage-survey.ts';

/**
 * Resolves with the folder of rejects, where there is one now. Throws AppError `disk-write`, `usage` for a folder of another
 * kind, and `source` for files that are not what was read before.
 *
 * @param content absent where nothing was sent
 */
export async function writeUsageRejects(
  job: UsageJob,
  known: KnownUsage | undefined,
  content?: SurveyedRecords,
): Promise<string | undefined> {
  const { source, settings, ports } = job;
  const app = appApiOf(settings);
  const read = rejectFoldersOf(settings.source.files);
  const rewrite = {
    ...app,
    plan: source.plan,
    planFor: (_: string, { files }: ExportFiles) => Promise.resolve(usagePlan(files, settings)),
  };
  return await rewriteRejects(rewrite, settings, source.files, ports.hard, async (standing, writer) => {
    const here = new StandingEvents();
    for (const rows of standing) await here.take(rows, job, known, read.includes(rows.folder));
    let added = 0;
    const chunks = examineUsage(job, known, ports.hard);
    for await (const chunk of content === undefined ? chunks : requireSurveyed(chunks, content))
      for (const examined of chunk) if (await addRow(examined, job, here, writer, app.checkpoint)) added++;
    return added;
  });
}

/** A row of the export that was rejected, or that the target refused. Resolves with whether it was written. */
async function addRow(
  { outcome, ref, row, digest, equal, isUnreadable, ...reported }: Examined,
  { source, problem }: UsageJob,
  here: StandingEvents,
  writer: RejectsWriter,
  checkpoint: string,
): Promise<boolean> {
  if (outcome !== 'rejected' && outcome !== 'failed') return false;
  const reason = reasonOf({ outcome, ...reported });
  if (isUnreadable === true || row === undefined) {
    const raw = await source.files.files.find(({ id }) => id === ref.file)?.raw(ref);
    if (raw !== undefined && here.hasBytes(digestOfBytes(raw))) return false;
    await writer.unreadable(ref, reason);
    return true;
  }
  const rowDigest = digestOfRow(row);
  const same = here.withId(digest);
  if (same.some((each) => each.digest === rowDigest)) return false;
  const corrected = same.find(({ isWritten }) => !isWritten);
  if (corrected !== undefined) {
    problem({
      severity: 'warning',
      code: 'corrected-in-rejects',
      file: source.fileName(ref.file),
      line: ref.line,
      message: `${corrected.folder} has this event with other values, which stay as they are: import the folder, or delete the row there.`,
      count: 1,
    });
    return false;
  }
  if (same.length === 1) same[0]?.goes();
  await writer.ticket([{ table: USAGE_TABLE, ref }], reason);
  await writer.note([
    writtenLine(checkpoint, rowDigest, 'ticket'),
    ...(equal === undefined ? [] : [equalLine(equal)]),
  ]);
  return true;
}

interface StandingEvent {
  readonly folder: string;
  readonly digest: number;
  /** As an import wrote it: nobody has corrected it. */
  readonly isWritten: boolean;
  goes(): void;
}

/** The rows of the folders by their events, and what is decided of each. */
class StandingEvents {
  readonly #byId = new Map<string, StandingEvent[]>();
  readonly #folders: StandingRejects[] = [];

  withId(digest: Buffer | undefined): readonly StandingEvent[] {
    return (digest && this.#byId.get(digest.toString('hex'))) ?? [];
  }

  hasBytes(digest: number): boolean {
    return this.#folders.some((rows) => rows.has(digest));
  }

  /** @param isRead whether the run reads this folder: what is done then was done with its rows */
  async take(
    rows: StandingRejects,
    job: UsageJob,
    known: KnownUsage | undefined,
    isRead: boolean,
  ): Promise<void> {
    this.#folders.push(rows);
    const { settings, ports } = job;
    const own = { ...settings, source: { ...settings.source, encoding: undefined, files: [rows.folder] } };
    await using source = await openUsageSource(own, { signal: ports.hard, problem: () => undefined }).catch(
      unlessUnreadable,
    );
    // Files that a person made something else of: they stay.
    if (source === undefined) return;
    const gone = new Set<number>();
    for await (const chunk of examineUsage(
      { ...job, settings: own, source },
      known,
      ports.hard,
      createSelection({}),
    ))
      for (const examined of chunk) {
        const row = rows.row(examined.ref);
        if (row === undefined || examined.digest === undefined) continue;
        const { digest, isWritten } = row;
        const isRepeated = rows.isNoted(digest, 'duplicate') || examined.skippedBecause === DUPLICATE;
        const goes =
          gone.has(digest) || (examined.outcome === 'done' && !isRepeated && (isRead || isWritten));
        if (goes) gone.add(digest);
        const reason = isRepeated
          ? REPEATED
          : examined.outcome === 'done'
            ? OTHERWISE
            : standingReason(examined, isRead);
        if (goes || reason !== undefined) rows.decide(examined.ref, goes ? undefined : reason);
        if (goes) continue;
        if (isRepeated) rows.note(digest, 'duplicate');
        const id = examined.digest.toString('hex');
        this.#byId.set(id, [
          ...(this.#byId.get(id) ?? []),
          { folder: rows.folder, digest, isWritten, goes: () => rows.decide(examined.ref, undefined) },
        ]);
      }
  }
}

const REPEATED = 'An earlier row has the same event id. Give this row its own id, or delete it here.';
const OTHERWISE =
  'An event with this id was imported, perhaps with other values. Give this row its own id, or delete it here.';

function standingReason(examined: Examined, isRead: boolean): string | undefined {
  const { outcome } = examined;
  if (outcome === 'rejected' || outcome === 'failed') return reasonOf(examined);
  if (!isRead || outcome === 'skipped') return undefined;
  return outcome === 'inDoubt' ? 'It is not known whether the target took it.' : 'It has not been sent yet.';
}

function reasonOf({ outcome, problems, record }: Pick<Examined, 'outcome' | 'problems' | 'record'>): string {
  if (outcome === 'failed') return record?.problem ?? 'The target refused it.';
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors.map(({ message }) => message).join(' ');
}

function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof AppError) || !['source', 'configuration'].includes(error.code)) throw error;
  return undefined;
}
