/** The names that an export has for agents, for whoever looks at the preview. A real service is told nothing of them. */
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { TargetAddress } from './target.ts';

/** To be called when all tickets have been mapped once. */
export function nameAgents({ sandbox }: TargetAddress, mapper: Mapper): void {
  if (sandbox === undefined) return;
  const names = mapper.agentNames();
  if (names.size > 0) sandbox.store.agents.keepNames(names);
}
