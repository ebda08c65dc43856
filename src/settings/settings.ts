import { resolve } from 'node:path';
import type { Credentials } from '../domain/secret.ts';
import type { AppKeys } from './credentials.ts';
import { isLoopback } from './parsers.ts';
import type { AllValues } from './table/table.ts';

/** Milliseconds since the epoch, `until` exclusive. */
type Selection = Omit<AllValues['selection'], 'since' | 'until'> & {
  readonly since: number | undefined;
  readonly until: number | undefined;
};

export type RunSettings = AllValues['run'] & {
  readonly concurrency: number;
  readonly giveUpAfter: number;
};

export interface Settings extends Omit<AllValues['task'], 'trial' | 'dryRun'> {
  readonly mode: 'run' | 'dry-run' | 'trial';
  readonly plan?:
    | {
        /** A dry run writes its plan there. */
        readonly write?: string | undefined;
        /** A run compares its tickets with that plan. */
        readonly approved?: string | undefined;
        /** Those that shape tickets, by name, as JSON. */
        readonly settings: Readonly<Record<string, string>>;
      }
    | undefined;
  readonly trialSize: number;
  readonly target: AllValues['target'] & { readonly apiPath: string };
  readonly credentials?: Credentials | undefined;
  readonly appApi?: (AllValues['appApi'] & { readonly keys?: AppKeys | undefined }) | undefined;
  readonly source: AllValues['source'] & { readonly files: readonly string[] };
  readonly selection: Selection;
  readonly run: RunSettings;
  readonly files: AllValues['files'];
  readonly people: AllValues['people'];
  /** Otherwise a dry run writes no rejects. */
  readonly output: AllValues['output'] & { readonly rejectsAsked: boolean };
  readonly mapping?: unknown;
  /** Fields of the table of `init`, as typed: `ticket.subject=Title`. */
  readonly changes: readonly string[];
}

/** How requests to the helpdesk are sent. */
export function paceOf({ rate, concurrency, timeout, giveUpAfter }: RunSettings) {
  return {
    budgets: rate,
    connections: concurrency,
    timeoutMs: timeout * 1000,
    giveUpAfterMs: giveUpAfter * 1000,
  };
}

/** They may be in a private network. */
export function namedHosts({ hosts = [], publicUrl }: Settings['files']): string[] {
  return [...hosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
}

export type Need = 'files' | 'target' | 'credentials' | 'appApi';

/** docs/core-api.md, 8. */
const BATCH = { least: 50, most: 100 } as const;

interface Asked {
  is(name: string): boolean;
  nameOf(name: string): string;
}

type Rule = readonly [broken: boolean, sentence: string];

export function brokenRules(settings: Settings, asked: Asked, needs: readonly Need[]): string[] {
  return [
    ...broken([...contradictions(settings, asked), ...missing(settings, asked, needs)]),
    ...overwrites(settings, asked),
  ];
}

export function unwise({ run, target, appApi, ...settings }: Settings): string[] {
  if (appApi !== undefined) {
    const sentence = `The app API ${appApi.baseUrl} is not https: the key of the app and all events cross the network unencrypted.`;
    return broken([[crossesOpenly(appApi.baseUrl), sentence]]);
  }
  return broken([
    [
      run.batchSize < BATCH.least || run.batchSize > BATCH.most,
      `The batch size is ${run.batchSize}; ${BATCH.least} to ${BATCH.most} is recommended, to avoid rate limits and to ease resuming.`,
    ],
    [
      crossesOpenly(target.baseUrl) && isAsked(settings),
      `The helpdesk ${target.baseUrl} is not https: the token and all tickets cross the network unencrypted.`,
    ],
    [
      target.readOnly === true && target.managedBy === undefined,
      'target.readOnly is set and target.managedBy is not: name the system that owns the tickets, so that people know where to edit them.',
    ],
  ]);
}

function broken(rules: readonly Rule[]): string[] {
  return rules.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence);
}

function contradictions({ selection: { since, until } }: Settings, { is, nameOf }: Asked): Rule[] {
  const exclude = (one: string, other: string, so = 'leave out one of them'): Rule => [
    is(one) && is(other),
    `${nameOf(one)} and ${nameOf(other)} cannot be combined: ${so}.`,
  ];
  return [
    exclude('dryRun', 'trial', 'the dry run sends nothing, and says which tickets a trial would take'),
    exclude('trial', 'delta'),
    exclude('sandbox', 'target.baseUrl', 'the sandbox is the helpdesk'),
    exclude('quiet', 'verbose'),
    [
      is('serve') && !is('sandbox') && !is('trial'),
      `${nameOf('serve')} has an effect only with ${nameOf('sandbox')} or ${nameOf('trial')}: add one of them, or leave it out.`,
    ],
    [
      since !== undefined && until !== undefined && since >= until,
      `${nameOf('since')} is not before ${nameOf('until')}: no ticket would be left.`,
    ],
  ];
}

/** The rejects folder may be an input: imported rows leave it. */
function overwrites({ source, output, appApi }: Settings, { nameOf }: Asked): string[] {
  const same = (path: string) => resolve('/', path);
  const taken = new Map(source.files.map((file) => [same(file), 'part of the export']));
  const written = [
    ...(appApi === undefined ? [[nameOf('run.checkpoint'), output.checkpoint] as const] : []),
    ...(output.report === undefined ? [] : [[nameOf('run.report'), output.report] as const]),
  ];
  return written.flatMap(([name, path]) => {
    const other = taken.get(same(path));
    taken.set(same(path), `the file of ${name}`);
    return other === undefined ? [] : [`${name} is ${path}, which is ${other}: name another file.`];
  });
}

function missing(settings: Settings, { is, nameOf }: Asked, needs: readonly Need[]): Rule[] {
  const { files, sandbox, target, credentials, appApi, source, mode } = settings;
  const isNeeded = (need: Need) => needs.includes(need) && sandbox === undefined && mode !== 'dry-run';
  const [address, typed, option] = needs.includes('appApi')
    ? [appApi?.baseUrl, is('appApi.baseUrl'), '--set appApi.baseUrl=']
    : [needs.includes('target') ? target.baseUrl : undefined, is('target.baseUrl'), '--base-url '];
  return [
    [
      needs.includes('files') && source.files.length === 0,
      'There is nothing to read: name the files or the folder of the export, or set source.files in the settings file.',
    ],
    [
      isNeeded('target') && target.baseUrl === undefined,
      `No helpdesk is set: set HELPDESK_BASE_URL, or target.baseUrl in the settings file, or import into a local service with ${nameOf('sandbox')}.`,
    ],
    [
      isNeeded('credentials') && credentials === undefined,
      'There is no token: set HELPDESK_TOKEN or HELPDESK_TOKEN_FILE, or the variables of OAuth 2.0 (HELPDESK_TOKEN_URL, HELPDESK_CLIENT_ID, HELPDESK_CLIENT_SECRET).',
    ],
    [
      sandbox === undefined && isAsked(settings) && crossesOpenly(address) && !typed,
      `The address ${address} is not https, so anyone in between could read the token and the tickets: use https, or type it if that is meant: ${option}${address}.`,
    ],
    [
      (isNeeded('target') || isNeeded('credentials')) &&
        typeof files.to === 'string' &&
        files.publicUrl === undefined,
      `Files go to the folder ${files.to}, which has no address: set ${nameOf('files.publicUrl')} to the address under which your web server shows it.`,
    ],
    [
      isNeeded('appApi') && appApi?.baseUrl === undefined,
      'There is no app API: set HELPDESK_APP_URL or appApi.baseUrl in the settings file, or use a local service with --sandbox.',
    ],
    [
      isNeeded('appApi') && appApi?.keys === undefined,
      'There is no key for the app API: set HELPDESK_APP_ID and HELPDESK_APP_KEY.',
    ],
  ];
}

/** Applies in a dry run too. */
function isAsked({ mode, credentials }: Pick<Settings, 'mode' | 'credentials'>): boolean {
  return mode !== 'dry-run' || credentials !== undefined;
}

function crossesOpenly(url: string | undefined): boolean {
  return url?.startsWith('http:') === true && !isLoopback(url);
}
