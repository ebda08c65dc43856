/** What `doctor` found, on screen. Lines without line ends. */
import { printable } from '../../domain/printable.ts';
import { CREDENTIAL_VARIABLES, variable } from '../../settings/credentials.ts';
import type { Origins } from '../../settings/resolve-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import { ALL_SETTINGS, type NamedSetting } from '../../settings/table/table.ts';
import type { Style } from '../../view/terminal/style.ts';
import { heading, tableLines, wrap } from '../../view/terminal/text-block.ts';

export function doctorLines(
  checks: readonly DoctorCheck[],
  settings: readonly SettingRow[],
  credentials: readonly string[],
  style: Style,
): string[] {
  const own = settings.filter(({ isDefault }) => !isDefault);
  const rows = [
    ...own.map(({ key, value = '', where }) => [key, value, where]),
    ...credentials.map((name) => ['credentials', 'set', name]),
  ];
  return [
    ...checks.flatMap((check) => checkLines(check, style)),
    ...heading('Non-default settings', style),
    ...(rows.length === 0
      ? ['  none: every setting has its default']
      : tableLines(
          rows,
          [{ header: 'setting' }, { header: 'value', flexible: true }, { header: 'from', flexible: true }],
          style,
        )),
    '',
    verdict(checks, style),
  ];
}

function checkLines({ name, status, message, hint, lines = [] }: DoctorCheck, style: Style): string[] {
  const { tick, cross, warning, arrow, bullet } = style.symbols;
  const [sign, paint] =
    status === 'ok'
      ? ([tick, style.green] as const)
      : status === 'warning'
        ? ([warning, style.yellow] as const)
        : ([cross, style.red] as const);
  const lead = `${sign} ${name.padEnd(12)}`;
  const indent = lead.length;
  return [
    ...wrap(printable(message), style, { lead, paintLead: paint }),
    ...lines.flatMap((line) =>
      line
        .split('\n')
        .flatMap((part, index) =>
          index === 0
            ? wrap(printable(part), style, { indent, lead: `${bullet} ` })
            : [`${' '.repeat(indent)}${printable(part)}`],
        ),
    ),
    ...(hint === undefined || status === 'ok'
      ? []
      : wrap(style.typed(printable(hint)), style, { indent, lead: `${arrow} `, paint: style.cyan })),
  ];
}

function verdict(checks: readonly DoctorCheck[], style: Style): string {
  const failures = checks.filter(({ status }) => status === 'failed').length;
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  if (failures > 0) return style.red(`An import would stop: ${failures} of ${checks.length} checks failed.`);
  if (warnings > 0)
    return style.yellow(`Ready to import, with ${warnings === 1 ? '1 warning' : `${warnings} warnings`}.`);
  return style.green('Everything is ready: an import can start.');
}

/** What `doctor` finds, as data: a sentence on each thing it looked at, and what to do about it. */
export interface DoctorCheck {
  readonly name: string;
  /** `ok`: as it should be. `warning`: it works, and should be looked at. `failed`: an import would stop here. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** One sentence. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
  /** Further lines: complaints of the settings, hosts of attachments. */
  readonly lines?: readonly string[];
  /** With which code an import would end for it: wrong configuration, permission refused, stopped early. */
  readonly exitCode?: 2 | 5 | 6;
}

type Extra = Omit<DoctorCheck, 'name' | 'status' | 'message' | 'exitCode'>;

export function fine(name: string, message: string, extra: Extra = {}): DoctorCheck {
  return { name, status: 'ok', message, ...extra };
}

export function warning(name: string, message: string, hint: string, extra: Extra = {}): DoctorCheck {
  return { name, status: 'warning', message, hint, ...extra };
}

export function failed(
  name: string,
  exitCode: 2 | 5 | 6,
  message: string,
  hint: string | undefined,
  extra: Extra = {},
): DoctorCheck {
  return { name, status: 'failed', message, ...(hint === undefined ? {} : { hint }), ...extra, exitCode };
}

/** 0, or of what failed the first of 2, 5, 6: without settings nothing else means much. */
export function doctorExitCode(checks: readonly DoctorCheck[]): 0 | 2 | 5 | 6 {
  const codes = new Set(checks.map(({ exitCode }) => exitCode));
  return ([2, 5, 6] as const).find((code) => codes.has(code)) ?? 0;
}

/** The settings as rows: what holds, and where it comes from. Never a secret: only where one was found. */
interface SettingRow {
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
  const held = section === 'task' ? { ...settings, trial: settings.trialSize } : settings[section];
  const value: unknown = held === undefined ? undefined : Reflect.get(held, key);
  if (value === undefined) return undefined;
  return Array.isArray(value) && show === String ? value.join(', ') : show(value as never);
}
