/** What `doctor` finds, as data: a sentence on each thing it looked at, and what to do about it. */
export interface DoctorCheck {
  readonly name: string;
  /** `warning`: an import works. `failed`: an import would stop here. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** One sentence. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string | undefined;
  /** Further lines: complaints about the settings. */
  readonly lines?: readonly string[] | undefined;
  /** How an import would end for it: wrong configuration, permission refused, stopped early. */
  readonly exitCode?: FailureCode | undefined;
}

export type FailureCode = 2 | 5 | 6;

export function fine(name: string, message: string): DoctorCheck {
  return { name, status: 'ok', message };
}

export function warning(name: string, message: string, hint: string, lines?: readonly string[]): DoctorCheck {
  return { name, status: 'warning', message, hint, lines };
}

export function failed(
  name: string,
  exitCode: FailureCode,
  message: string,
  hint?: string,
  lines?: readonly string[],
): DoctorCheck {
  return { name, status: 'failed', message, hint, lines, exitCode };
}

/** 0, or of the failures the first of 2, 5, 6: without settings nothing else means much. */
export function exitCodeOf(checks: readonly DoctorCheck[]): 0 | FailureCode {
  const codes = new Set(checks.map(({ exitCode }) => exitCode));
  return ([2, 5, 6] as const).find((code) => codes.has(code)) ?? 0;
}
