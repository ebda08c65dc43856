/** The sections of the settings, each value looked up and read by its parser. Complaints stay in the lookup. Pure. */
import { join } from 'node:path';
import type { Environment } from './environment.ts';
import {
  durationInSeconds,
  parseConcurrency,
  parseMaxErrors,
  parseRate,
  parseShard,
  wholeNumber,
} from './parse-numbers.ts';
import {
  nonEmpty,
  oneOf,
  parseBoolean,
  parseDelimiter,
  parseIdList,
  parsePath,
  parseServiceUrl,
  parseSourceName,
  parseSourceTag,
  parseTimeZone,
} from './parse-text.ts';
import { parsePeriod } from './parse-time.ts';
import { good } from './parsed.ts';
import {
  CUSTOMER_EVENTS,
  DEFAULTS,
  IN_DOUBT_POLICIES,
  MESSAGE_IDS,
  MISSING_TIMES,
  type OutputSettings,
  type PeopleSettings,
  type RunSettings,
  type SelectionSettings,
  type SourceSettings,
  type TargetSettings,
} from './settings.ts';
import type { SettingsFile } from './settings-file.ts';
import type { Flags, Lookup, SettingName } from './sources.ts';

const text = (value: string) => good(value);
/** Any number of seconds up to a day; half a second at least, so that a time-out is not always hit. */
const seconds = durationInSeconds(0.5, 86_400);
const margin = durationInSeconds(0, 86_400);

export function targetSettings(lookup: Lookup, sandbox: boolean): TargetSettings {
  const apiPath = lookup.one('target.apiPath', parsePath) ?? DEFAULTS.apiPath;
  const address = lookup.one('target.baseUrl', parseServiceUrl, { flagOnly: sandbox });
  // People paste the address of the API itself.
  const baseUrl =
    address !== undefined && apiPath !== '' && address.endsWith(apiPath)
      ? address.slice(0, -apiPath.length)
      : address;
  const sourceTag = lookup.one('target.sourceTag', parseSourceTag);
  return {
    ...present('baseUrl', baseUrl),
    apiPath,
    tag: lookup.one('target.tag', text)?.trim() ?? DEFAULTS.tag,
    ...present('sourceTag', sourceTag === '' ? undefined : sourceTag),
    identityTag: (lookup.one('target.identityTag', oneOf(['on', 'off'])) ?? 'on') === 'on',
    statusChangeType: lookup.one('target.statusChangeType', nonEmpty) ?? DEFAULTS.statusChangeType,
    ...present('readOnly', lookup.one('target.readOnly', parseBoolean)),
    ...present('managedBy', lookup.one('target.managedBy', nonEmpty)),
    ...present('eventsAppend', lookup.one('target.eventsAppend', parseBoolean)),
    messageIds: lookup.one('target.messageIds', oneOf(MESSAGE_IDS)) ?? 'auto',
    customerEvents: lookup.one('target.customerEvents', oneOf(CUSTOMER_EVENTS)) ?? DEFAULTS.customerEvents,
  };
}

export function sourceSettings(
  lookup: Lookup,
  files: readonly string[] | undefined,
  file: SettingsFile | undefined,
): SourceSettings {
  const inFile = lookup.all('source.files', nonEmpty)?.map((path) => file?.resolve(path) ?? path);
  if (files !== undefined && files.length > 0)
    lookup.origin('source.files', { from: 'argument', where: 'the command line' });
  const timezone = lookup.one('source.timezone', parseTimeZone);
  const missingCreatedAt = lookup.one('source.missingCreatedAt', (value) => parsePeriod(value, timezone));
  return {
    files: files !== undefined && files.length > 0 ? files : (inFile ?? []),
    name: lookup.one('source.name', parseSourceName),
    ...present('from', lookup.one('source.from', nonEmpty)),
    ...present('encoding', lookup.one('source.encoding', nonEmpty)),
    ...present('delimiter', lookup.one('source.delimiter', parseDelimiter)),
    ...present('timezone', timezone),
    ...present('dayFirst', lookup.one('source.dayFirst', parseBoolean)),
    missingTimes: lookup.one('source.missingTimes', oneOf(MISSING_TIMES)) ?? DEFAULTS.missingTimes,
    ...present(
      'missingCreatedAt',
      missingCreatedAt === undefined ? undefined : new Date(missingCreatedAt.begin).toISOString(),
    ),
  };
}

export function selectionSettings(
  lookup: Lookup,
  timezone: string | undefined,
  env: Environment,
): SelectionSettings {
  const period = (value: string) => parsePeriod(value, timezone);
  return {
    ...present('since', lookup.one('since', period)?.begin),
    // A whole day as the end means: that day included.
    ...present('until', lookup.one('until', period)?.end),
    ...present('only', lookup.all('only', parseIdList)?.flat()),
    ...present('limit', lookup.one('limit', wholeNumber(1))),
    ...present(
      'shard',
      lookup.one('shard', (value) => parseShard(value, env)),
    ),
  };
}

/** A budget and a policy in the file are meant for the real target: the sandbox obeys flags only, and has no budget. */
export function runSettings(lookup: Lookup, sandbox: boolean): RunSettings {
  return {
    batchSize: lookup.one('run.batchSize', wholeNumber(1, 10_000)) ?? DEFAULTS.batchSize,
    concurrency: lookup.one('run.concurrency', parseConcurrency) ?? DEFAULTS.concurrency,
    rates: lookup.all('run.rate', parseRate, { flagOnly: sandbox }) ?? (sandbox ? [] : DEFAULTS.rates),
    timeoutSeconds: lookup.one('run.timeout', seconds) ?? DEFAULTS.timeoutSeconds,
    ...present('maxErrors', lookup.one('run.maxErrors', parseMaxErrors)),
    onInDoubt: lookup.one('run.onInDoubt', oneOf(IN_DOUBT_POLICIES)) ?? DEFAULTS.onInDoubt,
    doubtMarginSeconds: lookup.one('run.doubtMargin', margin) ?? DEFAULTS.doubtMarginSeconds,
    giveUpAfterSeconds: lookup.one('run.giveUpAfter', seconds) ?? DEFAULTS.giveUpAfterSeconds,
    checkAttachments: lookup.one('run.checkAttachments', parseBoolean) ?? false,
    allowPrivateHosts: lookup.one('run.allowPrivateHosts', parseBoolean) ?? false,
  };
}

export function peopleSettings(file: SettingsFile | undefined): PeopleSettings {
  const { agents, fallbackAgent, customersWithoutEmail } = file?.value ?? {};
  const listed = typeof agents === 'object' ? Object.entries(agents) : [];
  return {
    agents: Object.fromEntries(listed.map(([key, id]) => [key, String(id)])),
    ...present('agentsFile', typeof agents === 'string' ? file?.resolve(agents) : undefined),
    ...present('fallbackAgent', fallbackAgent === undefined ? undefined : String(fallbackAgent)),
    customersWithoutEmail: customersWithoutEmail ?? 'reject',
  };
}

export function outputSettings(
  lookup: Lookup,
  flags: Flags,
  sandbox: string | undefined,
  file: SettingsFile | undefined,
  shard: SelectionSettings['shard'],
): OutputSettings {
  const path = (name: SettingName, options = {}) => {
    const found = lookup.one(name, nonEmpty, options);
    return found !== undefined && lookup.origins[name]?.from === 'file' ? file?.resolve(found) : found;
  };
  // The sandbox is another target, so it has a checkpoint and rejects of its own.
  const checkpoint = path('run.checkpoint', { flagOnly: sandbox !== undefined });
  const rejects = path('run.rejects', { flagOnly: sandbox !== undefined });
  const rejectsAsked = lookup.origins['run.rejects']?.from === 'flag';
  const folder =
    rejects ?? (sandbox === undefined ? DEFAULTS.rejects : join(sandbox, DEFAULTS.sandboxRejects));
  return {
    checkpoint:
      checkpoint ?? (sandbox === undefined ? DEFAULTS.checkpoint : join(sandbox, DEFAULTS.sandboxCheckpoint)),
    rejects:
      shard === undefined || rejectsAsked
        ? folder
        : `${folder.replace(/[/\\]+$/, '')}-${shard.index}-of-${shard.count}`,
    rejectsAsked,
    ...present('report', path('run.report')),
    maxProblems: lookup.one('run.maxProblems', wholeNumber(0)) ?? DEFAULTS.maxProblems,
    json: flags['json'] === true,
    quiet: flags['quiet'] === true,
    verbose: flags['verbose'] === true,
    color: flags['color'] !== false,
    progress: flags['progress'] !== false,
  };
}

/** An object with the key, or without it where there is no value: what exactOptionalPropertyTypes asks for. */
export function present<K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } {
  const made: { [key in K]?: T } = {};
  if (value !== undefined) made[key] = value;
  return made;
}
