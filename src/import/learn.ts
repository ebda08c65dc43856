/** Arrow 2: queries before any ticket is mapped (team, order of day and month), and the rules that follow from them. */
import { createChecker } from '../check/check-ticket.ts';
import { compileLayout } from '../mapping/compile/compile-layout.ts';
import type { Settings } from '../settings/settings.ts';
import { type Agents, listedAgents } from './agents.ts';
import { nameOf } from './read.ts';
import type { LearntSource, ReadPorts, Source } from './run.ts';

interface Learning {
  readonly settings: Pick<Settings, 'source' | 'people' | 'unmapped' | 'mapping' | 'target'>;
  readonly ports: Pick<ReadPorts, 'soft' | 'clock'>;
}

/** `tags`: an import marks its tickets with the source's name, and with the tag of a run. */
export async function learn(
  { settings, ports }: Learning,
  source: Source,
  agents: Pick<Agents, 'find'> | undefined,
  tags?: { readonly runTag: string | undefined },
): Promise<LearntSource> {
  const { files, detection, joined, name } = source;
  const { people, unmapped, mapping, target } = settings;
  const reading = { ...settings.source, ...people, unmapped };
  const mapper = await compileLayout(detection.layout, detection.plan, {
    ...{ files, joined, signal: ports.soft, findAgent: agents?.find },
    settings: { ...reading, agents: await listedAgents(people, ports.soft), ignored: ignoredBy(mapping) },
  });
  const check = createChecker({
    ...reading,
    ...target,
    fileName: (ref) => nameOf(source, ref),
    timeCell: (time) => mapper.timeCell(time),
    now: ports.clock.now,
    sourceName: tags && (() => name.name),
    runTag: tags?.runTag,
  });
  return { ...source, mapper, check };
}

function ignoredBy(mapping: unknown): string[] {
  const { ignore } = (mapping ?? {}) as { ignore?: unknown };
  return [ignore ?? []].flat().filter((name) => typeof name === 'string');
}
