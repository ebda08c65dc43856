/** Decisions of mapping and checking an export: plain data of bounded size. */

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
  /** The first different ones. */
  readonly values: ReadonlySet<string>;
}

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

/** `customersWithoutEmail.synthesize` is a domain, or one address for all customers without one. */
export function sharedAddress(synthesize: string): string | undefined {
  return /^[^@\s]+@\S+$/.test(synthesize) ? synthesize.toLowerCase() : undefined;
}

export function isMadeUp(email: string, synthesize: string): boolean {
  const address = email.toLowerCase();
  const domain = synthesize.replace(/^@/, '').toLowerCase();
  const shared = sharedAddress(synthesize);
  return shared === undefined
    ? address.startsWith('customer-') && address.endsWith(`@${domain}`)
    : address === shared;
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

/** "Polyanna M (2970)" without the number. */
export const bareName = (name: string) =>
  (/^(\p{L}[^()@]*)\(#?\d+\)$/u.exec(name.trim())?.[1] ?? name).trim();

const sameName = (name: string) => bareName(name).replace(/\s+/g, ' ').toLowerCase();

/** Counts of kept and lost values. */
export interface Entry {
  /** `kept` and `columns`: a column and the rows with a value; a code of plan/losses.yaml. */
  readonly kind: string;
  readonly what: string;
  /** A table or field. */
  readonly at?: string | undefined;
  readonly file?: string | undefined;
  readonly action?: string | undefined;
  readonly count: number;
}

export interface Account {
  readonly agents: readonly AgentRecord[];
  readonly entries: readonly Entry[];
}
