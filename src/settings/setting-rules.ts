/** Rules between settings: what contradicts, what is missing, and what is allowed but unwise. Pure. */
import { resolve } from 'node:path';
import { missingAppApi, unwiseAppApi } from './app-api-settings.ts';
import type { Complaint } from './complaint.ts';
import { isLoopback } from './parse-text.ts';
import type { Settings } from './settings.ts';
import type { Flags } from './sources.ts';

/** What a command cannot do without. */
export type Need = 'files' | 'target' | 'credentials' | 'appApi';

/** The specification's recommendation (section 8). */
const BATCH = { least: 50, most: 100 } as const;

export interface RuleFindings {
  readonly complaints: readonly Complaint[];
  readonly warnings: readonly string[];
}

export function checkRules(settings: Settings, flags: Flags, needs: readonly Need[]): RuleFindings {
  return {
    complaints: [...contradictions(settings, flags), ...overwrites(settings), ...missing(settings, needs)],
    warnings: needs.includes('appApi') ? unwiseAppApi(settings.appApi) : unwise(settings),
  };
}

function contradictions(settings: Settings, flags: Flags): Complaint[] {
  const { selection, output } = settings;
  const given = (name: string) => flags[name] !== undefined && flags[name] !== false;
  const rules: readonly (readonly [broken: boolean, message: string])[] = [
    [
      given('dryRun') && given('trial'),
      '--dry-run and --trial exclude each other: the dry run sends nothing, and says which tickets a trial would take.',
    ],
    [given('trial') && given('delta'), '--trial and --delta exclude each other: leave out one of them.'],
    [
      given('replaceMessages') && !given('delta'),
      '--replace-messages only means something with --delta: add --delta, or leave it out.',
    ],
    [
      given('sandbox') && given('baseUrl'),
      '--sandbox and --base-url exclude each other: the sandbox is the target.',
    ],
    [
      given('serve') && !given('sandbox'),
      '--serve only means something with --sandbox: add --sandbox, or leave it out.',
    ],
    [output.quiet && output.verbose, '--quiet and --verbose exclude each other: leave out one of them.'],
    [
      selection.since !== undefined && selection.until !== undefined && selection.since >= selection.until,
      '--since is not before --until: no ticket would be left.',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, message]) => ({ message }));
}

/**
 * Nothing that is written may take the place of a file of the export, or of another thing that is written. The rejects
 * folder may be read again on purpose: what is imported from it leaves it.
 */
function overwrites({ source, output, appApi }: Settings): Complaint[] {
  const same = (path: string) => resolve('/', path);
  const taken = new Map(source.files.map((file) => [same(file), 'part of the export']));
  const written = [
    { place: '--checkpoint', path: appApi?.checkpoint ?? output.checkpoint },
    ...(output.report === undefined ? [] : [{ place: '--report', path: output.report }]),
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

function missing(settings: Settings, needs: readonly Need[]): Complaint[] {
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
      message:
        'There is no target: set HELPDESK_BASE_URL (or --base-url, or target.baseUrl in the settings file), or import into a local service with --sandbox.',
    });
  if (sends && needs.includes('credentials') && settings.credentials === undefined)
    complaints.push({
      message:
        'There is no token: set HELPDESK_TOKEN or HELPDESK_TOKEN_FILE, or the variables of OAuth 2.0 (HELPDESK_TOKEN_URL, HELPDESK_CLIENT_ID, HELPDESK_CLIENT_SECRET).',
    });
  if (sends && needs.includes('appApi')) complaints.push(...missingAppApi(settings.appApi));
  return complaints;
}

function unwise({ run, target, mode }: Settings): string[] {
  const warnings: string[] = [];
  if (run.batchSize < BATCH.least || run.batchSize > BATCH.most)
    warnings.push(
      `The batch size is ${run.batchSize}; ${BATCH.least} to ${BATCH.most} is recommended, to avoid rate limits and to ease resuming.`,
    );
  if (target.baseUrl?.startsWith('http:') === true && !isLoopback(target.baseUrl) && mode !== 'dry-run')
    warnings.push(
      `The target ${target.baseUrl} is not https: the token and all tickets cross the network unencrypted.`,
    );
  if (target.readOnly === true && target.managedBy === undefined)
    warnings.push(
      'target.readOnly is set and target.managedBy is not: name the system that owns the tickets, so that people know where to edit them.',
    );
  if (run.onInDoubt === 'retry')
    warnings.push(
      'run.onInDoubt is retry: a ticket whose create was answered by nothing may end up in the target twice.',
    );
  return warnings;
}
