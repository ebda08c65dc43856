/** E-mail addresses. */
import { withoutInvisible } from '../domain/printable.ts';

const LONGEST = 254;

/** Trimmed, in lower case, as the service compares it (2.5), without invisible characters. */
export function normalizeEmail(text: string): string {
  return withoutInvisible(text).trim().toLowerCase();
}

export function isEmail(text: string): boolean {
  const address = normalizeEmail(text);
  return address.length <= LONGEST && ADDRESS.test(address);
}

/**
 * One `@`, no white space or control characters, and a host with a dot. Stricter than the standards (no quoted local parts,
 * comments, literals), but all that people use.
 */
const ADDRESS =
  /^[^\s@,;:<>()[\]"\\\p{Cc}]{1,64}@(?=.{1,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{M}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])$/u;
