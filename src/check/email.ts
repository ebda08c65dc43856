/**
 * E-mail addresses that a helpdesk can write to: fewer than the standards allow (no quoted local parts, comments, address literals), but all
 * that people use (consecutive dots and non-Latin letters pass).
 */

/** The longest address (RFC 5321, 4.5.3.1.3, without the angle brackets). */
const LONGEST = 254;

/** The address as the service compares it (2.5): trimmed, in lower case. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Whether a normalized text is an e-mail address. */
export function isEmail(text: string): boolean {
  const address = normalizeEmail(text);
  return address.length <= LONGEST && ADDRESS.test(address);
}

/** One `@`; before it no white space, control or separator characters; behind it a host name with at least one dot. */
const ADDRESS =
  /^[^\s@,;:<>()[\]"\\\p{Cc}]{1,64}@(?=.{1,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{M}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])$/u;
