/** The problems of an import: counted, told as they are found, and the place of the first of each kind. */
import type { Emit } from '../domain/ports.ts';
import {
  createProblemLog,
  groupKey,
  type Problem,
  type ProblemGroup,
  type ProblemLog,
  type ProblemSink,
  type ProblemSnapshot,
} from '../domain/problem.ts';
import type * as places from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';

/** By `groupKey`. */
export type ProblemFrames = Readonly<Record<string, places.SourceFrame>>;

export interface Problems {
  readonly tell: ProblemSink;
  snapshot(): ProblemSnapshot;
  /** Tickets with changes that a delta did not send. */
  notUpdated(): number;
  /** Undefined if frames are not asked for. */
  frames(files: ExportFiles): Promise<ProblemFrames | undefined>;
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
  const noted = notePlaces((found) => {
    const isFirst = log.add(found);
    const { severity, code, ticket } = found;
    if (isDelta && ticket !== undefined && severity === 'warning' && NOT_SENT.has(code))
      notUpdated.add(ticket);
    emit({ type: 'problem', problem: found });
    return isFirst;
  });
  const tell: ProblemSink = hasFrames ? noted.sink : (found) => noted.sink(found);
  return {
    tell,
    snapshot: () => log.snapshot(),
    notUpdated: () => notUpdated.size,
    frames: async (files) =>
      hasFrames ? await readFrames(log.snapshot().groups, noted.locations, files) : undefined,
  };
}

export const NO_PROBLEMS: Pick<Problems, 'tell'> = { tell: () => undefined };

type Locations = ReadonlyMap<Problem, places.SourceLocation>;

/** Notes the place of the first of each group. `add` returns whether a problem is that. */
export function notePlaces(add: ProblemLog['add']): {
  readonly sink: ProblemSink;
  readonly locations: Locations;
} {
  const locations = new Map<Problem, places.SourceLocation>();
  const sink: ProblemSink = (problem, locate) => {
    if (!add(problem) || locate === undefined) return;
    const location = found(locate);
    if (location !== undefined) locations.set(problem, location);
  };
  return { sink, locations };
}

function found(locate: places.LocateSource): places.SourceLocation | undefined {
  try {
    return locate();
  } catch {
    return undefined;
  }
}

export async function readFrames(
  groups: readonly ProblemGroup[],
  locations: Locations,
  { files }: Pick<ExportFiles, 'files'>,
): Promise<ProblemFrames> {
  const frames: Record<string, places.SourceFrame> = {};
  for (const { example } of groups) {
    const location = locations.get(example);
    if (location === undefined) continue;
    try {
      const frame = files[location.ref.file]?.frame(location.ref, location.part);
      if (frame !== undefined) frames[groupKey(example)] = frame;
    } catch {}
  }
  return frames;
}
