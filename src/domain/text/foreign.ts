/** A text or number of a foreign value, which `String()` and `Number()` would ask for functions of its own. Blank is none. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/** Long whole numbers stay as they are written: ids may have more digits than a number keeps. Undefined if it nests too deeply. */
export function parseForeign(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const keep = (_: string, value: unknown, { source = '' } = {} as { source?: string }) =>
    typeof value === 'number' && /^-?\d{16,}$/.test(source) ? rawJSON(source) : value;
  try {
    return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
  } catch {
    return undefined;
  }
}

/** A number with more digits than a number keeps, as `parseForeign` reads it. */
export function whole(value: unknown): unknown {
  const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { rawJSON: string } };
  return isRawJSON(value) ? value.rawJSON : value;
}
