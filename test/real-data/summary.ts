/** What the tests of the real exports read of the JSON summary. */
export interface Summary {
  readonly layout: string;
  readonly tickets: Readonly<Record<string, number>>;
  readonly messages: { readonly read: number };
  readonly events: { readonly read: number };
  readonly problemGroups: readonly {
    readonly severity: string;
    readonly code: string;
    readonly count: number;
  }[];
}

/** Errors by code. */
export function errorsOf({ problemGroups }: Summary): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { severity, code, count } of problemGroups)
    if (severity === 'error') found[code] = (found[code] ?? 0) + count;
  return found;
}
