/**
 * Where a setting comes from: flag, environment, settings file, in this order (contract, "Options of `run`"). One table
 * says which settings have which; the lookup reads every place where a value stands, complains about each bad one, and
 * takes the first good one.
 */
import type { Complaint } from './complaint.ts';
import { type Environment, variable } from './environment.ts';
import type { Parser } from './parsed.ts';
import { valueAt } from './schema-complaints.ts';
import type { SettingsFile } from './settings-file.ts';

/** Flags as the command line gives them: still text; a key is there only when the flag was given. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Origin {
  readonly from: 'argument' | 'flag' | 'environment' | 'file' | 'default';
  /** `--rate`, `HELPDESK_BASE_URL`, `helpdesk-import.yaml:12:5`, `default`. */
  readonly where: string;
}

/** By dotted name, as in the settings file. */
export type Origins = Readonly<Record<string, Origin>>;

export interface Places {
  readonly flag?: `--${string}`;
  readonly env?: string;
  /** Whether the settings file has it, under the name of the table. */
  readonly file?: true;
}

/** Every setting and its places. The reference documentation is generated from this and from the file's schema. */
export const SETTING_PLACES = {
  confirm: { file: true },
  'target.baseUrl': { flag: '--base-url', env: 'HELPDESK_BASE_URL', file: true },
  'target.apiPath': { file: true },
  'target.tag': { file: true },
  'target.sourceTag': { file: true },
  'target.identityTag': { file: true },
  'target.statusChangeType': { file: true },
  'target.readOnly': { file: true },
  'target.managedBy': { file: true },
  'target.eventsAppend': { file: true },
  'target.messageIds': { file: true },
  'target.customerEvents': { file: true },
  'source.name': { flag: '--source-name', env: 'HELPDESK_SOURCE_NAME', file: true },
  'source.files': { file: true },
  'source.from': { flag: '--from', file: true },
  'source.encoding': { flag: '--encoding', file: true },
  'source.delimiter': { flag: '--delimiter', file: true },
  'source.timezone': { file: true },
  'source.dayFirst': { file: true },
  'source.missingTimes': { file: true },
  'source.missingCreatedAt': { file: true },
  'run.batchSize': { flag: '--batch-size', file: true },
  'run.concurrency': { flag: '--concurrency', file: true },
  'run.rate': { flag: '--rate', file: true },
  'run.timeout': { flag: '--timeout', file: true },
  'run.maxErrors': { flag: '--max-errors', file: true },
  'run.onInDoubt': { flag: '--on-in-doubt', file: true },
  'run.doubtMargin': { file: true },
  'run.giveUpAfter': { file: true },
  'run.checkpoint': { flag: '--checkpoint', file: true },
  'run.rejects': { flag: '--rejects', file: true },
  'run.report': { flag: '--report', file: true },
  'run.maxProblems': { flag: '--max-problems', file: true },
  'run.checkAttachments': { flag: '--check-attachments', file: true },
  'run.allowPrivateHosts': { file: true },
  'appApi.baseUrl': { flag: '--app-url', env: 'HELPDESK_APP_URL', file: true },
  'appApi.apiPath': { file: true },
  'appApi.usageEventsPath': { file: true },
  'appApi.customerPath': { file: true },
  'appApi.usagePath': { file: true },
  'appApi.appIdHeader': { file: true },
  'appApi.apiKeyHeader': { file: true },
  'appApi.eventsPerRequest': { flag: '--events-per-request', file: true },
  'appApi.missingTimestamp': { file: true },
  'appApi.checkpoint': { flag: '--checkpoint', file: true },
  'appApi.rejects': { flag: '--rejects', file: true },
  'appApi.usageEvents': { file: true },
  agents: { file: true },
  fallbackAgent: { file: true },
  customersWithoutEmail: { file: true },
  trial: { flag: '--trial' },
  since: { flag: '--since' },
  until: { flag: '--until' },
  only: { flag: '--only' },
  limit: { flag: '--limit' },
  shard: { flag: '--shard' },
  sandbox: { flag: '--sandbox' },
  explain: { flag: '--explain' },
} as const satisfies Record<string, Places>;
export type SettingName = keyof typeof SETTING_PLACES;

export interface Lookup {
  /** The value of a setting that has one text, or undefined where nobody says. */
  one<T>(name: SettingName, parse: Parser<T>, options?: LookupOptions): T | undefined;
  /** The same for a setting that may stand several times. */
  all<T>(name: SettingName, parse: Parser<T>, options?: LookupOptions): readonly T[] | undefined;
  /** Says where a value came from that no lookup found. */
  origin(name: SettingName, origin: Origin): void;
  readonly complaints: Complaint[];
  /** Settings that somebody gave a wrong value. */
  readonly failed: ReadonlySet<SettingName>;
  readonly origins: Origins;
}

export interface LookupOptions {
  /** Only the command line counts: what the file says is meant for another target. */
  readonly flagOnly?: boolean;
}

export interface LookupInputs {
  readonly flags: Flags;
  readonly env: Environment;
  readonly file: SettingsFile | undefined;
}

interface Candidate {
  readonly texts: readonly string[];
  readonly origin: Origin;
  /** `index`: which of the texts is wrong. */
  complaint(message: string, index: number): Complaint;
}

export function createLookup({ flags, env, file }: LookupInputs): Lookup {
  const complaints: Complaint[] = [];
  const failed = new Set<SettingName>();
  const origins: Record<string, Origin> = {};

  function candidates(name: SettingName, options: LookupOptions): Candidate[] {
    const places: Places = SETTING_PLACES[name];
    const found: Candidate[] = [];
    const add = (origin: Origin, raw: unknown, complaint: Candidate['complaint']) => {
      const values = Array.isArray(raw) ? raw : [raw];
      if (raw !== undefined) found.push({ texts: values.map(String), origin, complaint });
    };
    if (places.flag !== undefined) {
      const where = places.flag;
      add({ from: 'flag', where }, flags[camelCase(where)], (message) => ({
        message: `${where} ${message}`,
      }));
    }
    if (options.flagOnly === true) return found;
    if (places.env !== undefined) {
      const where = places.env;
      add({ from: 'environment', where }, variable(env, where), (message) => ({
        message: `${where} ${message}`,
      }));
    }
    const inFile =
      file !== undefined && places.file === true ? valueAt(file.value, name.split('.')) : undefined;
    if (file !== undefined && inFile !== undefined && inFile !== null)
      add({ from: 'file', where: file.placeOf(name) }, inFile, (message, index) =>
        file.complain(name, `${name} ${message}`, Array.isArray(inFile) ? index : undefined),
      );
    return found;
  }

  function all<T>(
    name: SettingName,
    parse: Parser<T>,
    options: LookupOptions = {},
  ): readonly T[] | undefined {
    let chosen: readonly T[] | undefined;
    for (const { texts, origin, complaint } of candidates(name, options)) {
      const values: T[] = [];
      for (const [index, text] of texts.entries()) {
        const parsed = parse(text);
        if ('value' in parsed) values.push(parsed.value);
        else {
          complaints.push(complaint(sentence(parsed.problem), index));
          failed.add(name);
        }
      }
      if (chosen === undefined && values.length === texts.length) {
        chosen = values;
        origins[name] = origin;
      }
    }
    return chosen;
  }

  return {
    all,
    one: (name, parse, options) => all(name, parse, options)?.[0],
    origin: (name, origin) => {
      origins[name] = origin;
    },
    complaints,
    failed,
    origins,
  };
}

/** `--on-in-doubt` → `onInDoubt`, as commander names it. */
function camelCase(flag: string): string {
  return flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
