/** Rules between settings: contradictions, missing ones, and unwise ones. */
import { resolve } from 'node:path';
import type { Complaint } from './complaint.ts';
import { isLoopback } from './parsers.ts';
import type { Settings } from './settings.ts';

/** What a command requires. */
export type Need = 'files' | 'target' | 'credentials' | 'appApi';

/** Recommended limits (docs/core-api.md, 8). */
const BATCH = { least: 50, most: 100 } as const;

interface RuleFindings {
  readonly complaints: readonly Complaint[];
  readonly warnings: readonly string[];
}

/** Values for this run, by setting. */
interface Asked {
  is(name: string): boolean;
  /** Its name in its source. */
  nameOf(name: string): string;
}

/** A complaint if the condition holds. */
type Rule = readonly [broken: boolean, sentence: string];

export function checkRules(settings: Settings, asked: Asked, needs: readonly Need[]): RuleFindings {
  const complaints = [...contradictions(settings, asked), ...missing(settings, asked, needs)];
  const warnings = needs.includes('appApi') ? unwiseAppApi(settings) : unwise(settings);
  return {
    complaints: [
      ...broken(complaints).map((message) => ({ message })),
      ...overwrites(settings, asked).map((message) => ({ message })),
    ],
    warnings: broken(warnings),
  };
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
    exclude('sandbox', 'target.baseUrl', 'the sandbox is the target'),
    exclude('quiet', 'verbose'),
    [
      is('serve') && !is('sandbox'),
      `${nameOf('serve')} has an effect only with ${nameOf('sandbox')}: add ${nameOf('sandbox')}, or leave it out.`,
    ],
    [
      since !== undefined && until !== undefined && since >= until,
      `${nameOf('since')} is not before ${nameOf('until')}: no ticket would be left.`,
    ],
  ];
}

/**
 * No output may replace a file of the export or another output. The rejects folder may be an input: imported rows leave it.
 */
function overwrites({ source, output, appApi }: Settings, { nameOf }: Asked): string[] {
  const same = (path: string) => resolve('/', path);
  const taken = new Map(source.files.map((file) => [same(file), 'part of the export']));
  const written = [
    // Usage events have no checkpoint.
    ...(appApi === undefined ? [[nameOf('run.checkpoint'), output.checkpoint] as const] : []),
    ...(output.report === undefined ? [] : [[nameOf('run.report'), output.report] as const]),
  ];
  return written.flatMap(([name, path]) => {
    const other = taken.get(same(path));
    taken.set(same(path), `the file of ${name}`);
    return other === undefined ? [] : [`${name} is ${path}, which is ${other}: name another file.`];
  });
}

function missing(settings: Settings, { nameOf }: Asked, needs: readonly Need[]): Rule[] {
  const { files, sandbox, target, credentials, appApi, run, source, mode, explain } = settings;
  const isNeeded = (need: Need) =>
    needs.includes(need) && sandbox === undefined && mode !== 'dry-run' && explain === undefined;
  const address = needs.includes('appApi')
    ? appApi?.baseUrl
    : needs.includes('target')
      ? target.baseUrl
      : undefined;
  return [
    [
      needs.includes('files') && source.files.length === 0,
      'There is nothing to read: name the files or the folder of the export, or set source.files in the settings file.',
    ],
    [
      isNeeded('target') && target.baseUrl === undefined,
      `There is no target: set HELPDESK_BASE_URL, or target.baseUrl in the settings file, or import into a local service with ${nameOf('sandbox')}.`,
    ],
    [
      isNeeded('credentials') && credentials === undefined,
      'There is no token: set HELPDESK_TOKEN or HELPDESK_TOKEN_FILE, or the variables of OAuth 2.0 (HELPDESK_TOKEN_URL, HELPDESK_CLIENT_ID, HELPDESK_CLIENT_SECRET).',
    ],
    [
      sandbox === undefined && isAsked(settings) && crossesOpenly(address) && !run.allowPlainHttp,
      `The address ${address} is not https, so anyone in between could read the token and the tickets: use https, or allow it with ${nameOf('run.allowPlainHttp')}.`,
    ],
    [
      (isNeeded('target') || isNeeded('credentials')) &&
        typeof files.to === 'string' &&
        files.publicUrl === undefined,
      `Files go to the folder ${files.to}, which has no address: set ${nameOf('files.publicUrl')} to the address under which your web server shows it.`,
    ],
    [
      isNeeded('appApi') && appApi?.baseUrl === undefined,
      'There is no app API: set HELPDESK_APP_URL (or --app-url, or appApi.baseUrl in the settings file), or use a local service with --sandbox.',
    ],
    [
      isNeeded('appApi') && appApi?.keys === undefined,
      'There is no key for the app API: set HELPDESK_APP_ID and HELPDESK_APP_KEY.',
    ],
  ];
}

function unwise(settings: Settings): Rule[] {
  const { run, target } = settings;
  return [
    [
      run.batchSize < BATCH.least || run.batchSize > BATCH.most,
      `The batch size is ${run.batchSize}; ${BATCH.least} to ${BATCH.most} is recommended, to avoid rate limits and to ease resuming.`,
    ],
    [
      crossesOpenly(target.baseUrl) && isAsked(settings),
      `The target ${target.baseUrl} is not https: the token and all tickets cross the network unencrypted.`,
    ],
    [
      target.readOnly === true && target.managedBy === undefined,
      'target.readOnly is set and target.managedBy is not: name the system that owns the tickets, so that people know where to edit them.',
    ],
  ];
}

function unwiseAppApi({ appApi }: Settings): Rule[] {
  const url = appApi?.baseUrl;
  const sentence = `The app API ${url} is not https: the key of the app and all events cross the network unencrypted.`;
  return [[crossesOpenly(url), sentence]];
}

/** Whether the token goes to the target, also in a dry run. */
function isAsked({ mode, credentials, explain }: Settings): boolean {
  return (mode !== 'dry-run' && explain === undefined) || credentials !== undefined;
}

function crossesOpenly(url: string | undefined): boolean {
  return url?.startsWith('http:') === true && !isLoopback(url);
}
