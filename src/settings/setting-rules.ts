/** Rules between settings: what contradicts, what is missing, and what is allowed but unwise. Pure. */
import { resolve } from 'node:path';
import type { Complaint } from './complaint.ts';
import { isLoopback } from './parsers.ts';
import type { Settings } from './settings.ts';

/** What a command cannot do without. */
export type Need = 'files' | 'target' | 'credentials' | 'appApi';

/** What is recommended (docs/core-api.md, 8 Limits). */
const BATCH = { least: 50, most: 100 } as const;

export interface RuleFindings {
  readonly complaints: readonly Complaint[];
  readonly warnings: readonly string[];
}

/** What was given for this one run, by the names of the settings. */
export interface Asked {
  is(name: string): boolean;
  /** What whoever gave it calls it. */
  nameOf(name: string): string;
}

export function checkRules(settings: Settings, asked: Asked, needs: readonly Need[]): RuleFindings {
  return {
    complaints: [
      ...contradictions(settings, asked),
      ...overwrites(settings, asked),
      ...missing(settings, asked, needs),
    ],
    warnings: needs.includes('appApi') ? unwiseAppApi(settings) : unwise(settings),
  };
}

function contradictions({ selection }: Settings, { is, nameOf }: Asked): Complaint[] {
  const exclude = (one: string, other: string, so = 'leave out one of them') =>
    [is(one) && is(other), `${nameOf(one)} and ${nameOf(other)} cannot be combined: ${so}.`] as const;
  const only = (one: string, other: string) =>
    [
      is(one) && !is(other),
      `${nameOf(one)} has an effect only with ${nameOf(other)}: add ${nameOf(other)}, or leave it out.`,
    ] as const;
  const rules: readonly (readonly [broken: boolean, message: string])[] = [
    exclude('dryRun', 'trial', 'the dry run sends nothing, and says which tickets a trial would take'),
    exclude('trial', 'delta'),
    exclude('sandbox', 'target.baseUrl', 'the sandbox is the target'),
    only('serve', 'sandbox'),
    exclude('quiet', 'verbose'),
    [
      selection.since !== undefined && selection.until !== undefined && selection.since >= selection.until,
      `${nameOf('since')} is not before ${nameOf('until')}: no ticket would be left.`,
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, message]) => ({ message }));
}

/**
 * Nothing that is written may take the place of a file of the export, or of another thing that is written. The rejects
 * folder may be read again on purpose: what is imported from it leaves it.
 */
function overwrites({ source, output, appApi }: Settings, { nameOf }: Asked): Complaint[] {
  const same = (path: string) => resolve('/', path);
  const taken = new Map(source.files.map((file) => [same(file), 'part of the export']));
  const written = [
    // Usage events have no checkpoint.
    ...(appApi === undefined ? [{ place: nameOf('run.checkpoint'), path: output.checkpoint }] : []),
    ...(output.report === undefined ? [] : [{ place: nameOf('run.report'), path: output.report }]),
  ];
  const complaints: Complaint[] = [];
  for (const { place, path } of written) {
    const other = taken.get(same(path));
    if (other !== undefined)
      complaints.push({ message: `${place} is ${path}, which is ${other}: name another file.` });
    taken.set(same(path), `the file of ${place}`);
  }
  return complaints;
}

function missing(settings: Settings, { nameOf }: Asked, needs: readonly Need[]): Complaint[] {
  const complaints: Complaint[] = [];
  const sends =
    settings.sandbox === undefined && settings.mode !== 'dry-run' && settings.explain === undefined;
  if (needs.includes('files') && settings.source.files.length === 0)
    complaints.push({
      message:
        'There is nothing to read: name the files or the folder of the export, or set source.files in the settings file.',
    });
  if (sends && needs.includes('target') && settings.target.baseUrl === undefined)
    complaints.push({
      message: `There is no target: set HELPDESK_BASE_URL, or target.baseUrl in the settings file, or import into a local service with ${nameOf('sandbox')}.`,
    });
  if (sends && needs.includes('credentials') && settings.credentials === undefined)
    complaints.push({
      message:
        'There is no token: set HELPDESK_TOKEN or HELPDESK_TOKEN_FILE, or the variables of OAuth 2.0 (HELPDESK_TOKEN_URL, HELPDESK_CLIENT_ID, HELPDESK_CLIENT_SECRET).',
    });
  const { files, sandbox } = settings;
  const address = needs.includes('appApi')
    ? settings.appApi?.baseUrl
    : needs.includes('target')
      ? settings.target.baseUrl
      : undefined;
  if (sandbox === undefined && isAsked(settings) && crossesOpenly(address) && !settings.run.allowPlainHttp)
    complaints.push({
      message: `The address ${address} is not https, so anyone in between could read the token and the tickets: use https, or allow it with ${nameOf('run.allowPlainHttp')}.`,
    });
  if (sends && sandbox === undefined && typeof files.to === 'string' && files.publicUrl === undefined)
    complaints.push({
      message: `Files go to the folder ${files.to}, where nobody can open them: set ${nameOf('files.publicUrl')} to the address under which your web server shows that folder.`,
    });
  if (sends && needs.includes('appApi')) complaints.push(...missingAppApi(settings));
  return complaints;
}

function unwise(settings: Settings): string[] {
  const { run, target } = settings;
  const warnings: string[] = [];
  if (run.batchSize < BATCH.least || run.batchSize > BATCH.most)
    warnings.push(
      `The batch size is ${run.batchSize}; ${BATCH.least} to ${BATCH.most} is recommended, to avoid rate limits and to ease resuming.`,
    );
  if (crossesOpenly(target.baseUrl) && isAsked(settings))
    warnings.push(
      `The target ${target.baseUrl} is not https: the token and all tickets cross the network unencrypted.`,
    );
  if (target.readOnly === true && target.managedBy === undefined)
    warnings.push(
      'target.readOnly is set and target.managedBy is not: name the system that owns the tickets, so that people know where to edit them.',
    );
  return warnings;
}

/** Whether the token goes to the target: a dry run asks it too where it can. */
function isAsked({ mode, credentials, explain }: Settings): boolean {
  return (mode !== 'dry-run' && explain === undefined) || credentials !== undefined;
}

function crossesOpenly(url: string | undefined): boolean {
  return url?.startsWith('http:') === true && !isLoopback(url);
}

function missingAppApi({ appApi }: Settings): Complaint[] {
  const complaints: Complaint[] = [];
  if (appApi?.baseUrl === undefined)
    complaints.push({
      message:
        'There is no app API: set HELPDESK_APP_URL (or --app-url, or appApi.baseUrl in the settings file), or use a local service with --sandbox.',
    });
  if (appApi?.keys === undefined)
    complaints.push({
      message: 'There is no key for the app API: set HELPDESK_APP_ID and HELPDESK_APP_KEY.',
    });
  return complaints;
}

function unwiseAppApi({ appApi }: Settings): string[] {
  const url = appApi?.baseUrl;
  if (!crossesOpenly(url)) return [];
  return [
    `The app API ${url} is not https: the key of the app and all events cross the network unencrypted.`,
  ];
}
