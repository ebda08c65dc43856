/** Answers of a person put in the place of `TODO`. */
import { type Decision, type SettingPath, TODO } from './proposal.ts';
import type { ProposedSettings } from './propose-settings.ts';

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
