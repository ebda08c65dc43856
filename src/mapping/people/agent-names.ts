/**
 * Names for agents in layouts whose messages hold agent ids of the target already: read from a table of the team, each once,
 * as the ids come by. For eyes only; what is sent stays as it is.
 */
import type { SourceTicket } from '../../domain/source.ts';
import type { CompileContext } from '../compile/compile-context.ts';
import type { Mapper } from '../compile/mapper.ts';
import { newNotes, rowScope } from '../compile/scope.ts';
import type { AgentDirectory } from './agents.ts';
import { compilePeopleTable } from './people.ts';

/** The mapper as it is, where the layout has no team or the export no table of it. */
export function withAgentNames(mapper: Mapper, context: CompileContext, agents: AgentDirectory): Mapper {
  const { layout } = context;
  const people = layout.team === undefined ? undefined : layout.people?.[layout.team];
  if (people === undefined || context.tables.get(people.table) === undefined) return mapper;
  const find = compilePeopleTable(layout.team ?? '', people, context);
  const asked = new Set<string>();
  const note = (agentId: unknown, ticket: SourceTicket) => {
    if (typeof agentId !== 'string' || asked.has(agentId) || asked.size >= MOST_ASKED) return;
    asked.add(agentId);
    const person = find(agentId, rowScope(ticket, ticket.row, newNotes()));
    if (person !== undefined) agents.noteName(agentId, { ...person, id: agentId });
  };
  return {
    ...mapper,
    map: (ticket) => {
      const mapped = mapper.map(ticket);
      note(mapped.ticket['assignedToId'], ticket);
      for (const { value } of mapped.messages) note(value['agentId'], ticket);
      for (const { value } of mapped.events) note(value['agentId'], ticket);
      return mapped;
    },
  };
}

/** An export whose agent ids are all different is a mistake, and no reason to look each of them up. */
const MOST_ASKED = 20_000;
