/** Losses and questions beside cells: counted for a ticket, and kept once it is settled. */
import { type AgentRecord, type Entry, usesOf } from '../../domain/decisions.ts';
import type { Aside, WordCount } from './aside.ts';

const MOST_VALUES = 1000;
const LONGEST_VALUE = 200;

/** Codes of plan/losses.yaml. Those of a ticket that stays behind are not counted: it is lost as a whole. */
const LOSSES = [
  'copies',
  'repeated',
  'empty',
  'unsent',
  'ends',
  'files',
  'addressless',
  'system-events',
] as const;

/**
 * `unmapped`: a value and its field. `customersNote`: its author. `visibility`, `exclusion`: a column and a word unknown to a
 * rule. `strangers`: messages to and from third parties. `cutList`: tickets with as many list items as the API gives at most.
 * `typed`: texts of agents that were sent to nobody. `ends`: the request that has the whole text.
 * `equal`: messages without an ID whose rows are equal. `other`: messages with the ID of another one and other words.
 * `byName`: requesters known by name alone. `agentAsks`: requesters who are listed under agents.
 */
type Kind =
  | (typeof LOSSES)[number]
  | 'unmapped'
  | 'author'
  | 'customersNote'
  | 'visibility'
  | 'exclusion'
  | 'strangers'
  | 'typed'
  | 'cutList'
  | 'equal'
  | 'other'
  | 'byName'
  | 'agentAsks';

const isLoss: ReadonlySet<Kind> = new Set(LOSSES);

export type AgentUse = 'messages' | 'events' | 'assigned';

export class Entries {
  readonly #counts = new Map<Kind, Map<string, { readonly parts: readonly string[]; count: number }>>();
  readonly #agents = new Map<string, { -readonly [K in keyof AgentRecord]: AgentRecord[K] }>();
  #open: { readonly isLoss: boolean; count(): void }[] = [];
  /** Rules whose messages agents wrote in public. */
  readonly asides = new Set<Aside>();
  /** Tickets with their own text alone, and with more. */
  readonly threads = { single: 0, more: 0 };

  /** Counts nothing of this work. */
  aside<Result>(work: () => Result): Result {
    const open = this.#open;
    this.#open = [];
    try {
      return work();
    } finally {
      this.#open = open;
    }
  }

  /** The ticket is mapped again. */
  forget(): void {
    this.#open = [];
  }

  settle(isLeft: boolean): void {
    for (const { isLoss, count } of this.#open.splice(0)) if (!isLoss || !isLeft) count();
  }

  later(count: () => void, isLoss = false): void {
    this.#open.push({ isLoss, count });
  }

  add(kind: Kind, value = '', ...more: readonly string[]): void {
    this.later(() => this.#count(kind, value, more), isLoss.has(kind));
  }

  #count(kind: Kind, value: string, more: readonly string[]): void {
    const counts = this.#counts.get(kind) ?? new Map();
    this.#counts.set(kind, counts);
    const short = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE - 1)}…` : value;
    const key = JSON.stringify([short, ...more]);
    const isFull = counts.size >= MOST_VALUES && !counts.has(key);
    const [name, parts] = isFull ? ['', ['(other values)']] : [key, [short, ...more]];
    const entry = counts.get(name) ?? { parts, count: 0 };
    counts.set(name, entry);
    entry.count++;
  }

  counts(kind: Kind): { readonly value: string; readonly count: number }[] {
    return this.#each(kind, ([value], count) => ({ value, count }));
  }

  /** Each agent once, by helpdesk ID or by what the export calls it. */
  agent(use: AgentUse, record: Omit<AgentRecord, AgentUse>): void {
    this.later(() => this.#countAgent(use, record));
  }

  #countAgent(use: AgentUse, { agent, name, how, id }: Omit<AgentRecord, AgentUse>): void {
    const isOwn = how === 'listed' || how === 'found' || how === 'later';
    const named = isOwn && id !== undefined ? `id ${id}` : `agent ${agent.slice(0, LONGEST_VALUE)}`;
    const isFull = this.#agents.size >= MOST_VALUES && !this.#agents.has(named);
    const key = isFull ? '' : named;
    const known = this.#agents.get(key) ?? {
      ...{ agent: isFull ? '(other agents)' : agent, name, how, id },
      ...{ messages: 0, events: 0, assigned: 0 },
    };
    // An assignee never gets the fallback, so the author's entry says more.
    if (known.how === 'none') Object.assign(known, { how, id });
    known.name ??= name;
    known[use]++;
    this.#agents.set(key, known);
  }

  unknownWords(kind: 'visibility' | 'exclusion'): ReadonlyMap<string, readonly WordCount[]> {
    const all = this.#each(kind, ([column, word], count) => ({ column, word, count }));
    return Map.groupBy(all, ({ column }) => column);
  }

  agents(): AgentRecord[] {
    return [...this.#agents.values()].sort((a, b) => usesOf(b) - usesOf(a));
  }

  rows(): Entry[] {
    const { single, more } = this.threads;
    const sums = LOSSES.map((kind) => ({
      ...{ kind, what: '' },
      count: this.counts(kind).reduce((sum, { count }) => sum + count, 0),
    }));
    return [
      ...this.#each('unmapped', ([what, at, action], count) => ({ kind: 'values', what, at, action, count })),
      ...this.#each('author', ([what], count) => ({ kind: 'authors', what, count })),
      ...[...sums, { kind: 'answers', what: '', count: more > 0 ? 0 : single }]
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count),
    ];
  }

  #each<T>(kind: Kind, make: (parts: readonly [string, ...string[]], count: number) => T): T[] {
    return [...(this.#counts.get(kind)?.values() ?? [])]
      .sort((a, b) => b.count - a.count)
      .map(({ parts: [value = '', ...more], count }) => make([value, ...more], count));
  }
}
