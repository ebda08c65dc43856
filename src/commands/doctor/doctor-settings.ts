/** The settings as rows: what holds, and where it comes from. Never a secret: only where one was found. */
import { CREDENTIAL_VARIABLES, variable } from '../../settings/environment.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Origins } from '../../settings/sources.ts';

export interface SettingRow {
  /** Dotted, as in the settings file. */
  readonly key: string;
  /** Absent where nothing is set, and for what has no text of its own. */
  readonly value?: string;
  /** `--rate`, `HELPDESK_BASE_URL`, `helpdesk-import.yaml:12:5`, `default`. */
  readonly where: string;
  readonly isDefault: boolean;
}

/** Rows of all settings, in the order of the reference. Pure. */
export function settingRows(settings: Settings, origins: Origins): SettingRow[] {
  return Object.entries(origins).map(([key, { from, where }]) => {
    const value = textOf(key, settings);
    return { key, ...(value === undefined ? {} : { value }), where, isDefault: from === 'default' };
  });
}

/** Variables of the environment that give credentials, by name. */
export function credentialNames(env: Readonly<Record<string, string | undefined>>): string[] {
  return CREDENTIAL_VARIABLES.filter((name) => variable(env, name) !== undefined);
}

function textOf(key: string, settings: Settings): string | undefined {
  const { target, source, run, output, people, selection } = settings;
  switch (key) {
    case 'run.rate':
      return run.rates.map(({ requests, seconds }) => `${requests}/${seconds}`).join(', ');
    case 'run.timeout':
      return `${run.timeoutSeconds} s`;
    case 'run.giveUpAfter':
      return `${run.giveUpAfterSeconds} s`;
    case 'run.maxErrors':
      return run.maxErrors === undefined
        ? undefined
        : run.maxErrors.kind === 'count'
          ? String(run.maxErrors.count)
          : `${run.maxErrors.percent}%`;
    case 'run.checkpoint':
    case 'run.rejects':
    case 'run.report':
    case 'run.maxProblems':
      return plain(Reflect.get(output, key.slice('run.'.length)));
    case 'agents':
      return people.agentsFile ?? `${Object.keys(people.agents).length} listed`;
    case 'fallbackAgent':
      return people.fallbackAgent;
    case 'customersWithoutEmail':
      return people.customersWithoutEmail === 'reject'
        ? 'reject'
        : `synthesize under ${people.customersWithoutEmail.synthesize}`;
    case 'trial':
      return String(settings.trialSize);
    case 'sandbox':
    case 'explain':
      return settings[key];
    case 'since':
    case 'until': {
      const at = selection[key];
      return at === undefined ? undefined : new Date(at).toISOString();
    }
    case 'shard':
      return selection.shard && `${selection.shard.index}/${selection.shard.count}`;
    case 'only':
      return selection.only?.join(', ');
    case 'limit':
      return plain(selection.limit);
    default:
      return inSection(key, { target, source, run });
  }
}

function inSection(key: string, sections: Readonly<Record<string, object>>): string | undefined {
  const [section = '', name = ''] = key.split('.');
  const holder = sections[section];
  return holder === undefined ? undefined : plain(Reflect.get(holder, name));
}

function plain(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(String).join(', ') : String(value);
}
