/** A proposed mapping as data: what `init` writes, why, and what only a person can decide. */
import type { Finding } from '../../findings/finding.ts';
import type { TicketField } from '../../mapping/language/layout.ts';

/** Where something stands in the settings file. */
export type SettingPath = readonly (string | number)[];

/** Stands in the file where a person has to decide; a run with one left in it stops with exit code 2. */
export const TODO = 'TODO';

/** Something that the export does not tell. At `path` stands `TODO` until it is decided. */
export interface Decision {
  readonly path: SettingPath;
  /** For a terminal: one question. */
  readonly question: string;
  /** For the file: stands above the line. */
  readonly comment: string;
  /** What may be answered, the likeliest first; without it any text that `kind` allows. */
  readonly choices?: readonly { readonly value: string | boolean | null; readonly label: string }[];
  readonly kind: 'choice' | 'zone' | 'time' | 'domain' | 'text';
  /** Offered as the answer to a free question. */
  readonly suggestion?: string;
  /** It cannot be left open: one of the choices changes nothing. */
  readonly mustBeAnswered?: boolean;
}

export interface Comment {
  readonly path: SettingPath;
  readonly text: string;
}

export interface Proposal {
  /** The `mapping` section, keys in the order of reading. */
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly comments: readonly Comment[];
  readonly decisions: readonly Decision[];
  /** What was guessed: to be confirmed like a finding. */
  readonly doubts: readonly Finding[];
  /** Which column each field of the ticket comes from, for the screen; absent ones were not found. */
  readonly found: ReadonlyMap<TicketField | 'contact' | 'messages' | 'events', string>;
}

/** The settings file as data, with `TODO` wherever a decision is open. */
export interface ProposedSettings {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly comments: readonly Comment[];
  readonly decisions: readonly Decision[];
  /** Agents of the source without an id in the target, most active first. */
  readonly agents: readonly { readonly agent: string; readonly count: number }[];
}

/** Comments and decisions of the parts, collected while a mapping is made. */
export class ProposalNotes {
  readonly comments: Comment[] = [];
  readonly decisions: Decision[] = [];

  comment(path: SettingPath, text: string): void {
    this.comments.push({ path: ['mapping', ...path], text });
  }

  decide(decision: Decision): void {
    this.decisions.push({ ...decision, path: ['mapping', ...decision.path] });
  }
}

/** An answer of a person, to be put in the place of `TODO`. */
export interface Answer {
  readonly decision: Decision;
  /** `undefined`: left open, to be decided in the file. */
  readonly value: string | boolean | null | undefined;
}

/** The settings with the answers in them; what was left open stays `TODO`, and stays a decision. */
export function withAnswers(proposed: ProposedSettings, answers: readonly Answer[]): ProposedSettings {
  const settings = structuredClone(proposed.settings) as Record<string, unknown>;
  const settled = new Set<Decision>();
  for (const { decision, value } of answers) {
    if (value === undefined) continue;
    set(settings, decision.path, value);
    settled.add(decision);
  }
  return {
    ...proposed,
    settings,
    decisions: proposed.decisions.filter((decision) => !settled.has(decision)),
  };
}

/** Where `TODO` stands in the settings: what a run would stop for. */
export function openPaths(settings: unknown, path: SettingPath = []): SettingPath[] {
  if (settings === TODO) return [path];
  if (Array.isArray(settings)) return settings.flatMap((value, index) => openPaths(value, [...path, index]));
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => openPaths(value, [...path, key]));
}

function set(settings: Record<string, unknown>, path: SettingPath, value: unknown): void {
  let holder: unknown = settings;
  for (const step of path.slice(0, -1)) holder = childOf(holder, step);
  const last = path.at(-1);
  if (last === undefined || typeof holder !== 'object' || holder === null) return;
  Object.defineProperty(holder, last, { value, enumerable: true, writable: true, configurable: true });
}

function childOf(holder: unknown, step: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return undefined;
  return (holder as Record<string | number, unknown>)[step];
}
