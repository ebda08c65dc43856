/** What mapping and checking an export decided: plain data of bounded size. */

export interface MonthRow {
  readonly month: string;
  readonly count: number;
  /** Counts by the API's status; a ticket without one counts as `open` (2.1). */
  readonly byStatus: Readonly<Record<string, number>>;
}

export interface TrialPick {
  readonly externalId: string;
  readonly why: readonly string[];
}

export interface UnreadColumn {
  readonly table: string;
  readonly column: string;
  readonly file: string;
  readonly filled: number;
  readonly text: number;
}

/** Messages of the export that a rule leaves out; the verdict counts them. */
export const LEFT_OUT = {
  copies: 'first messages that the ticket repeats in other words',
  repeated: 'messages that the export has more than once',
  empty: 'empty messages',
  unsent: 'drafts, deleted messages and undelivered mails',
} as const;

/** What the export itself lacks. */
export const LACKING = {
  answers: 'tickets without answers, as the export has only their first text',
  rest: 'ends of messages that the export cuts',
  files: 'attachments that the export names and does not hold',
} as const;

export const NO_NAME = '(no name)';

export interface AgentRecord {
  readonly agent: string;
  readonly name?: string | undefined;
  readonly how: 'listed' | 'found' | 'later' | 'fallback' | 'none';
  readonly id?: string | undefined;
  readonly messages: number;
  readonly events: number;
  readonly assigned: number;
}

export function usesOf({ messages, events, assigned }: AgentRecord): number {
  return messages + events + assigned;
}

/** In a note: agents without an ID, whose words the fallback signs. */
export const AGENTS_WHO_WROTE = 'Written by';

export function isUnknownAgent({ how }: AgentRecord): boolean {
  return how === 'fallback' || how === 'none';
}

/** One entry a person: who is known by name alone is the only other agent of that name. */
export function agentsByPerson(agents: readonly AgentRecord[]): AgentRecord[][] {
  const people = Map.groupBy(agents, ({ agent, name = agent }) => sameName(name));
  const isName = ({ agent, name = agent }: AgentRecord) => agent === name;
  return [...people.values()].flatMap((all) => {
    const others = all.filter((one) => !isName(one));
    return others.length === 1 ? [[...others, ...all.filter(isName)]] : all.map((one) => [one]);
  });
}

/** An agent of the helpdesk who has the name of one without an ID there. */
export interface AgentOffer {
  readonly name: string;
  readonly id: string;
  readonly uses: number;
}

/** Two agents of one name are no offer. */
export function agentOffers(
  agents: readonly AgentRecord[],
  team: readonly { readonly id: string; readonly name?: unknown }[],
): AgentOffer[] {
  return agentsByPerson(agents.filter(isUnknownAgent)).flatMap((all) => {
    const [{ agent = '', name = agent } = {}] = all;
    const [one, ...more] = team.filter((each) => sameName(String(each.name ?? '')) === sameName(name));
    const uses = all.reduce((sum, each) => sum + usesOf(each), 0);
    return one === undefined || more.length > 0 ? [] : [{ name, id: one.id, uses }];
  });
}

const sameName = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();

export interface LossReport {
  /** Columns or JSON paths that no rule uses; `filled` counts rows with a value. `isKept`: in the note of their tickets. */
  readonly columns: readonly {
    table: string;
    column: string;
    file: string;
    filled: number;
    isKept: boolean;
  }[];
  readonly unmappedValues: readonly { field: string; value: string; count: number; action: string }[];
  readonly agents: readonly AgentRecord[];
  readonly unknownAuthors: readonly { author: string; count: number }[];
  /** Fields of the source that the API does not have. */
  readonly notHeld: readonly { what: string; count: number }[];
}
