/**
 * The rejects: what could not be imported, in the files, columns and bytes of the source, so that a person corrects it
 * there and the same command reads it again (contract, "Changed exports, rejects, delta").
 */
import type { ExportFiles } from '../domain/source-file.ts';
import type { StagePlan } from '../domain/stage-plan.ts';
import { RejectFiles } from './reject-files.ts';
import { RejectFolder } from './reject-folder.ts';
import type { RejectsWriter } from './rejects-writer.ts';

/** Throws AppError `usage` when `folder` exists and is no folder of rejects. */
export async function openRejects(
  folder: string,
  files: ExportFiles,
  plan: StagePlan,
): Promise<RejectsWriter> {
  const writer = new RejectFiles(await RejectFolder.open(folder), files, plan);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    ticket: (rows, reason) => inTurn(() => writer.rows(files, rows, reason)),
    row: (row, reason) => inTurn(() => writer.rows(files, [row], reason)),
    unreadable: (ref) => inTurn(() => writer.unreadable(ref)),
    keep: (from, rows, reason) => inTurn(() => writer.rows(from, rows, reason)),
    finish: () => inTurn(() => writer.finish()),
    discard: () => inTurn(() => writer.discard()),
  };
}
