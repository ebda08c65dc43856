/** An import: the arrows in their order. The result names a stop after the survey, so that the counts say how much is left. */
import { lockCheckpoint } from '../checkpoint/checkpoint.ts';
import { isFileThere, resolveCheckpointPath } from '../checkpoint/file.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { runTagAt } from '../domain/identity.ts';
import type { Settings } from '../settings/settings.ts';
import { createProblems, type Problems } from '../source/problem-list.ts';
import { Agents, askHelpdesk } from './agents.ts';
import { dryRun } from './dry-run.ts';
import { sentView } from './known-files.ts';
import { learn } from './learn.ts';
import { HelpdeskLook } from './look.ts';
import { readExport } from './read.ts';
import type { Ended, ImportPorts, Run } from './run.ts';
import { sendExport } from './send-export.ts';
import { connect, greetTarget, type TargetAddress } from './target.ts';

export interface ImportResult extends Ended {
  readonly frames?: Problems['frames'];
}

/** A dry run needs no `target`. Throws AppError for what stops it before anything is sent, and the signal's reason. */
export async function runImport(
  settings: Settings,
  target: TargetAddress | undefined,
  ports: ImportPorts,
): Promise<ImportResult> {
  const started = ports.clock.monotonic();
  const { checkpoint } = settings.output;
  const isDry = settings.mode === 'dry-run' || target === undefined;
  if (!isDry) {
    resolveCheckpointPath(checkpoint);
    await greetTarget(target, settings.run, ports);
  }
  // Nobody else changes the checkpoint until the run ends.
  const lock = isDry ? undefined : lockCheckpoint(checkpoint);
  try {
    using ledger = isFileThere(checkpoint) ? readCheckpoint(checkpoint, target?.key) : undefined;
    const problems = createProblems(ports.emit, {
      isDelta: settings.delta,
      hasFrames: ports.frames === true,
    });
    const runTag = settings.mode === 'dry-run' ? undefined : runTagAt(ports.clock.now());
    const run: Run = { ...{ settings, ports, problems, target, ledger, runTag, started } };
    const isLooking = isDry && target !== undefined && target.sandbox === undefined;
    await using look = isLooking ? new HelpdeskLook(target, settings.run, ports) : undefined;
    await using api = isDry ? undefined : connect(target, settings.run, ports);
    const agents = new Agents(api ? askHelpdesk(api) : look?.findAgent, ledger);
    const recorded = ledger && {
      name: ledger.size() === 0 ? undefined : ledger.meta.sourceName,
      checkpoint,
    };
    await using read = await readExport({ settings, ports, problems, recorded });
    const source = await learn(run, read, agents, { runTag });
    const result = isDry
      ? await dryRun(run, source, agents, look)
      : await sendExport(run, source, target, lock);
    const { facts, stoppedBy } = result;
    if (ports.beforeClose !== undefined) {
      using reader = isFileThere(checkpoint) ? readCheckpoint(checkpoint) : undefined;
      const view = sentView(settings, reader && { files: reader.files, origin: target?.baseUrl });
      await ports.beforeClose({ ports, source, view, facts, stoppedBy });
    }
    return { ...result, frames: problems.frames };
  } finally {
    lock?.release();
  }
}
