/** A pass over an opened export: every record of its selection, as a run would see it. For whoever sends nothing. */
import { createSelection } from '../plan/selection.ts';
import { type Examination, type Examined, examine } from './examine.ts';
import type { ImportJob } from './import-job.ts';

/** @param ledger where it matters what the checkpoint says of a ticket now */
export function examineExport(
  { source, settings, check }: Pick<ImportJob, 'source' | 'settings' | 'check'>,
  signal: AbortSignal,
  ledger?: Examination['ledger'],
): AsyncGenerator<readonly Examined[]> {
  const { staged, mapper, files } = source;
  // What an earlier pass counted in it stays out of the counts of this one.
  mapper.restart();
  const selection = createSelection(settings.selection);
  return examine({ staged, files, mapper, check, selection, ledger, mode: 'run' }, signal);
}
