/** The settings as rows: what holds, and where it comes from. Never a secret: only where one was found. */
import { CREDENTIAL_VARIABLES, variable } from '../../settings/credentials.ts';
import type { Origins } from '../../settings/resolve-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import { ALL_SETTINGS, type NamedSetting } from '../../settings/table/table.ts';

export interface SettingRow {
  /** Dotted, as in the settings file. */
  readonly key: string;
  /** Absent where nothing is set. */
  readonly value?: string | undefined;
  /** `--rate`, `HELPDESK_BASE_URL`, `helpdesk-import.yaml:12:5`, `default`. */
  readonly where: string;
  readonly isDefault: boolean;
}

/** Rows of all settings, in the order of the reference. Pure. */
export function settingRows(settings: Settings, origins: Origins): SettingRow[] {
  return ALL_SETTINGS.flatMap((setting) => {
    const origin = origins[setting.name];
    if (origin === undefined) return [];
    const value = shown(setting, settings);
    return [{ key: setting.name, value, where: origin.where, isDefault: origin.from === 'default' }];
  });
}

/** Variables of the environment that give credentials, by name. */
export function credentialNames(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.values(CREDENTIAL_VARIABLES).filter((name) => variable(env, name) !== undefined);
}

function shown({ section, key, show = String }: NamedSetting, settings: Settings): string | undefined {
  const held = section === 'task' ? settings : settings[section];
  const value: unknown = held === undefined ? undefined : Reflect.get(held, key);
  if (value === undefined) return undefined;
  return Array.isArray(value) && show === String ? value.join(', ') : show(value as never);
}
