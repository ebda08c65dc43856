/** `--plan` and `--approved` of `run`. */

import { accessSync, constants } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';
import { isPlan, openPlan } from '../plan/plan-file.ts';
import type { Settings } from '../settings/settings.ts';
import { ALL_SETTINGS, type NamedSetting } from '../settings/table/table.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import type { Flags } from './context.ts';
import { requireOutput } from './output-file.ts';

export function withPlan(settings: Settings, { plan: write, approved }: Flags): Settings {
  if (write === undefined && approved === undefined) return settings;
  if (rejectFoldersOf(settings.source.files).length > 0)
    throw refusal('A plan is about an export, not about a folder of rejects: import the rejects without it.');
  const [plan, signed] = [String(write ?? ''), String(approved ?? '')];
  if (plan !== '') requirePlace(settings, plan);
  // Before an export is read for minutes.
  if (signed !== '') openPlan(signed)[Symbol.dispose]();
  return {
    ...settings,
    plan: { write: plan || undefined, approved: signed || undefined, settings: shaping(settings) },
  };
}

function requirePlace({ mode, source, output }: Settings, path: string): void {
  if (mode !== 'dry-run')
    throw refusal('--plan has an effect only with --dry-run: add --dry-run, or leave it out.');
  if (path === '-') throw refusal('A plan is a file: name one with --plan.');
  const others = [...source.files, output.checkpoint, output.report].flatMap((other) => other ?? []);
  if (others.some((other) => resolve(other) === resolve(path)))
    throw refusal(`--plan is ${path}, which is another file of this run: name another one.`);
  requireOutput({ path, name: `The plan ${path}`, isOurs: isPlan, isDatabase: true });
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (cause) {
    throw stop('plan-folder', { path }, { cause });
  }
}

function refusal(message: string): AppError {
  return new AppError('usage', message);
}

const OF_RUN = ['files', 'ticketUrl', 'allowUnreadableRows'];
const OF_TICKETS = ['tag', 'subject', 'channelId', 'statusChangeType', 'readOnly', 'managedBy'];

/** Settings that shape tickets, by name, as JSON. */
function shaping(settings: Settings): Record<string, string> {
  const all = ALL_SETTINGS.filter(isShaping).map((setting) => [setting.name, valueIn(settings, setting)]);
  return Object.fromEntries(
    [...all, ['mapping', settings.mapping]].flatMap(([name, value]) => {
      const text = JSON.stringify(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function isShaping({ section, key, name }: NamedSetting): boolean {
  if (section === 'source') return !OF_RUN.includes(key);
  if (section === 'target') return OF_TICKETS.includes(key);
  return section === 'people' || name === 'unmapped';
}

/** Files may be in another folder on another machine. */
function valueIn(settings: Settings, { section, key, isPath }: NamedSetting): unknown {
  const part: unknown = section === 'task' ? settings : Reflect.get(settings, section);
  const value: unknown = Reflect.get(part as object, key);
  return isPath === true && typeof value === 'string' ? basename(value) : value;
}
