/** A checkpoint of usage events as `doctor` sees it. Tickets are imported without it, so all it can have is a remark. */

import { usageStatus } from '../../billing/usage-checkpoint.ts';
import { AppError } from '../../domain/errors.ts';
import { countOf, formatBytes, formatCount } from '../../present/terminal/format.ts';
import { type DoctorCheck, fine, warning } from './doctor-check.ts';

const NAME = 'usage';

export function checkUsageCheckpoint(path: string, now: number): DoctorCheck {
  try {
    const status = usageStatus(path, now);
    if (status === undefined)
      return warning(
        NAME,
        `${path} is not a checkpoint of usage events.`,
        'Name another file under appApi.checkpoint.',
      );
    const { events, bytes, writer } = status;
    const holds = `${path} is sound: ${formatBytes(bytes)}, ${countOf(events.known, 'usage event')}`;
    if (writer !== undefined)
      return warning(
        NAME,
        `${holds}; ${writer.pid === undefined ? 'a process' : `process ${writer.pid}`} writes to it.`,
        'Wait until that run has ended: two never use one checkpoint.',
      );
    const left = [
      ...(events.failed > 0 ? [`${formatCount(events.failed)} of them failed`] : []),
      ...(events.inDoubt > 0 ? [`${formatCount(events.inDoubt)} in doubt`] : []),
    ];
    return left.length === 0
      ? fine(NAME, `${holds}.`)
      : warning(
          NAME,
          `${holds}, ${left.join(', ')}.`,
          'Run the same usage-events command again: it sends them once more, and each counts once.',
        );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return warning(
      NAME,
      error.message,
      'Move the file away and send the events again: each counts once. Imports of tickets do not need it.',
    );
  }
}
