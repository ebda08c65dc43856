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
