/** Paths of settings: reading, setting and merging. */

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type SettingPath, TODO } from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';

export type Tree = Readonly<Record<string, unknown>>;

/** Sets the value at a path, made where it is not there yet. */
export function setAt(settings: Record<string, unknown>, path: SettingPath, value: unknown): void {
  let holder = settings as Record<string | number, unknown>;
  // A word of an export may be called __proto__.
  const define = (step: string | number, own: unknown) =>
    Object.defineProperty(holder, step, { value: own, enumerable: true, writable: true, configurable: true });
  for (const [at, step] of path.entries()) {
    if (at === path.length - 1) define(step, value);
    else {
      const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
      if (typeof inner !== 'object' || inner === null)
        define(step, typeof path[at + 1] === 'number' ? [] : {});
      holder = holder[step] as Record<string | number, unknown>;
    }
  }
}

/** Settings of a file with what the table changed since it was read: all else stays. Throws AppError `usage` for a list that both changed. */
export function merged(own: unknown, before: unknown, now: unknown, path: SettingPath = []): unknown {
  if (own === TODO) return now;
  if (isJsonObject(own) && isJsonObject(now)) {
    const old = isJsonObject(before) ? before : {};
    const found: Record<string, unknown> = {};
    for (const key of new Set([...Object.keys(own), ...Object.keys(now)])) {
      const [isOwn, isOld, isNow] = [own, old, now].map((tree) => Object.hasOwn(tree, key));
      if (isOwn && isNow) setAt(found, [key], merged(own[key], old[key], now[key], [...path, key]));
      else if (isOwn ? !isOld : !isOld && isNow) setAt(found, [key], isOwn ? own[key] : now[key]);
    }
    return found;
  }
  if (Array.isArray(own) && Array.isArray(now) && own.length === now.length) {
    const old = Array.isArray(before) ? before : [];
    return own.map((each, at) => merged(each, old[at], now[at], [...path, at]));
  }
  if (isDeepStrictEqual(before, now)) return own;
  const isRules = Array.isArray(before) || isJsonObject(now);
  if (Array.isArray(own) && isRules && !isDeepStrictEqual(own, before))
    throw stop('own-rules', { path: path.join('.') });
  return now;
}
