/** The problems of an import: counted, told as they are found, each first of its kind with its line. */
import type { Emit } from '../domain/ports.ts';
import { createProblemLog, groupKey, type ProblemSink, type ProblemSnapshot } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source.ts';

export interface Problems {
  readonly tell: ProblemSink;
  snapshot(): ProblemSnapshot;
  /** Tickets with changes that a delta did not send. */
  notUpdated(): number;
  /** By `groupKey`; undefined if frames are not asked for. */
  readonly frames: Readonly<Record<string, SourceFrame>> | undefined;
}

const NOT_SENT: ReadonlySet<string> = new Set([
  'delta-held',
  'history-held',
  'field-not-updatable',
  'not-ours-in-target',
]);

export function createProblems(
  emit: Emit,
  { isDelta, hasFrames }: { readonly isDelta: boolean; readonly hasFrames: boolean },
): Problems {
  const log = createProblemLog();
  const notUpdated = new Set<string>();
  const frames: Record<string, SourceFrame> = {};
  return {
    tell: (found, frameOf) => {
      const isFirst = log.add(found);
      const { severity, code, ticket } = found;
      if (isDelta && ticket !== undefined && severity === 'warning' && NOT_SENT.has(code))
        notUpdated.add(ticket);
      emit({ type: 'problem', problem: found });
      if (!isFirst || !hasFrames) return;
      try {
        const frame = frameOf?.();
        if (frame !== undefined) frames[groupKey(found)] = frame;
      } catch {
        // A line that cannot be shown stops no import.
      }
    },
    snapshot: () => log.snapshot(),
    notUpdated: () => notUpdated.size,
    frames: hasFrames ? frames : undefined,
  };
}

export const NO_PROBLEMS: Pick<Problems, 'tell'> = { tell: () => undefined };
