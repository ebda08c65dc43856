/** Names of agents in layouts whose messages hold agent ids of the target themselves: for eyes only, nothing of it is sent. */
import type { SourceTicket } from '../../domain/source.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { CompileContext } from '../compile/compile-context.ts';
import { newNotes, rowScope } from '../compile/scope.ts';
import type { AgentDirectory } from './agents.ts';
import { compilePeopleTable } from './people.ts';

export function compileTeam(
  context: CompileContext,
  agents: AgentDirectory,
): (mapped: MappedTicket, ticket: SourceTicket) => void {
  const { team = '', people = {} } = context.layout;
  const table = people[team];
  if (table === undefined || !context.tables.has(table.table)) return () => {};
  const find = compilePeopleTable(team, table, context);
  const asked = new Set<unknown>();
  return ({ ticket, messages, events }, source) => {
    for (const id of [
      ticket['assignedToId'],
      ...[...messages, ...events].map(({ value }) => value['agentId']),
    ]) {
      if (typeof id !== 'string' || asked.has(id)) continue;
      asked.add(id);
      const person = find(id, rowScope(source, source.row, newNotes()));
      if (person !== undefined) agents.noteName(id, { ...person, id });
    }
  };
}
