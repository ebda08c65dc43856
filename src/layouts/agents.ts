/** Who is an agent in the target: source ids or e-mail addresses to agent ids, and the fallback for those who left. */
import { parse } from 'csv-parse/sync';
import { AppError } from '../domain/errors.ts';
import { comparable } from './plain-value.ts';

export interface AgentSettings {
  /** Source id or e-mail address → agent id. */
  readonly agents: Readonly<Record<string, string>>;
  /** Agent id for messages and events of agents that have none. */
  readonly fallbackAgent: string | undefined;
}

export class AgentDirectory {
  readonly fallback: string | undefined;
  readonly #ids = new Map<string, string>();

  constructor(settings: AgentSettings) {
    this.fallback = settings.fallbackAgent;
    for (const [source, id] of Object.entries(settings.agents)) this.add(source, id);
  }

  add(source: string, agentId: string): void {
    this.#ids.set(comparable(source), agentId);
  }

  /** By the id in the source first, then by address; without the fallback. */
  find(id: string | undefined, email: string | undefined): string | undefined {
    return (id && this.#ids.get(comparable(id))) || (email && this.#ids.get(comparable(email))) || undefined;
  }

  knows(id: string | undefined, email: string | undefined): boolean {
    return this.find(id, email) !== undefined;
  }
}

/**
 * The agents map as a CSV file: a column `agentId` (or `agent_id`, `id`, `target`) and one or more others (`source`,
 * `sourceId`, `email`) whose cells name the agent in the source. Throws AppError `configuration`.
 */
export function agentsFromCsv(text: string, file: string): Record<string, string> {
  let rows: Record<string, string>[];
  try {
    rows = parse(text, {
      columns: (header: string[]) => header.map(comparable),
      bom: true,
      trim: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    throw new AppError('configuration', `The agents file ${file} is no CSV: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  const columns = Object.keys(rows[0] ?? {});
  const target = ['agentid', 'agent_id', 'agent id', 'target', 'id'].find((name) => columns.includes(name));
  const sources = columns.filter(
    (name) => name !== target && /source|e-?mail|^agent$|^name$|^id$/.test(name),
  );
  if (target === undefined || sources.length === 0) {
    throw new AppError(
      'configuration',
      `The agents file ${file} needs the columns source (or email) and agentId.`,
      {
        hint: `It has: ${columns.join(', ') || 'no columns'}.`,
      },
    );
  }
  const agents: [string, string][] = [];
  for (const row of rows) {
    const id = row[target] ?? '';
    if (id === '') continue;
    for (const source of sources) {
      const name = row[source] ?? '';
      if (name !== '') agents.push([name, id]);
    }
  }
  return Object.fromEntries(agents);
}
