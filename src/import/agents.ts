/** Agents' IDs: listed in a file, or answered by the helpdesk, by the checkpoint, or not before the import. */
import type { CheckpointReader } from '../checkpoint/read-checkpoint.ts';
import type { AgentRecord } from '../domain/decisions.ts';
import { AppError } from '../domain/errors.ts';
import { checkRegular, whyUnread } from '../domain/files.ts';
import { BOUNDS } from '../domain/limits.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { standIn } from '../mapping/people/actors.ts';
import type { Settings } from '../settings/settings.ts';
import { openExport } from '../source/open-export.ts';
import { stopOfCommand } from './target.ts';

export const NOT_ASKED = Symbol('not asked');

/** Resolves with an ID; undefined if the helpdesk does not have the agent. */
export type AskAgent = (email: string, signal: AbortSignal) => Promise<string | undefined | typeof NOT_ASKED>;

/** The helpdesk answers, else the checkpoint. Without either a stand-in takes the place of the ID: nothing is sent with it. */
export class Agents {
  /** Addresses that are looked up at import. */
  readonly later = new Set<string>();
  readonly #ask: AskAgent | undefined;
  readonly #recorded: Pick<CheckpointReader, 'people'> | undefined;

  constructor(ask: AskAgent | undefined, recorded: Pick<CheckpointReader, 'people'> | undefined) {
    this.#ask = ask;
    this.#recorded = recorded;
  }

  readonly find = async (email: string, signal: AbortSignal): Promise<string | undefined> => {
    const answer = this.#ask === undefined ? NOT_ASKED : await this.#ask(email, signal);
    if (answer !== NOT_ASKED) return answer;
    const known = this.#recorded?.people.get(email);
    if (known?.how === 'found') return known.id;
    this.later.add(email);
    return known !== undefined && wasImportedWithout(known) ? undefined : standIn(email);
  };
}

/** An imported ticket is compared with what it was imported with: the fallback, or no assignee. */
function wasImportedWithout({ how, messages, events }: AgentRecord): boolean {
  return how === 'fallback' || (how === 'none' && messages + events === 0);
}

/** A helpdesk without the call is asked once. */
export function askHelpdesk(api: Pick<CoreApi, 'findAgent'>): AskAgent {
  let answers = true;
  return async (email, signal) => {
    if (!answers) return undefined;
    try {
      return await api.findAgent(email, signal);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.code === 'refused') return undefined;
      if (error.code !== 'target-unreadable') throw stopOfCommand(error);
      answers = false;
      return undefined;
    }
  };
}

const AGENTS =
  'A file of agents is a CSV with a header and two columns: the id or e-mail in the export, and the agent ID in the helpdesk.';

export async function listedAgents(
  { agents = {} }: Pick<Settings['people'], 'agents'>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  if (typeof agents !== 'string') return agents;
  const ids: Record<string, string> = Object.create(null) as Record<string, string>;
  for await (const { place, cells, isHeader } of agentRows(agents, signal)) {
    const [who = '', id = ''] = cells;
    if (isHeader) continue;
    if (who === '' || id === '') throw wrong(`${place} needs an agent and an agent id.`, AGENTS);
    ids[who] = id;
  }
  return ids;
}

async function* agentRows(file: string, signal: AbortSignal) {
  try {
    checkRegular(file, BOUNDS.team.most);
  } catch (error) {
    throw wrong(`The file of agents ${file} ${whyUnread(error)}.`, AGENTS);
  }
  await using opened = await openExport([file], { signal });
  for (const list of opened.files) {
    const { name, header } = list;
    const trimmed = (cells: readonly string[]) => cells.map((cell) => cell.trim());
    yield { place: `${name}:1`, cells: trimmed(header ?? []), isHeader: true };
    for await (const batch of list.records(undefined, signal))
      for (const { cells = [], ref, error } of batch) {
        const place = `${name}:${ref.line}`;
        if (error !== undefined) throw wrong(`${place} cannot be read: ${error}`, AGENTS);
        yield { place, cells: trimmed(cells), isHeader: false };
      }
  }
}

function wrong(message: string, hint: string, lines: string[] = []): AppError {
  return new AppError('configuration', message, { lines, hint });
}
