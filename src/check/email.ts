/**
 * What counts as an e-mail address. Deliberately less than the standards allow (no quoted local parts, no comments, no
 * address literals): whatever passes here is an address that a helpdesk can write to, and nothing that people really
 * use is refused (consecutive dots and non-Latin letters pass).
 */

/** The longest address that mail servers handle (RFC 5321, 4.5.3.1.3, without the angle brackets). */
const LONGEST = 254;

/** The address as the service compares it (2.5): without white space around it, in lower case. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Whether a text, once normalized, is an e-mail address. */
export function isEmail(text: string): boolean {
  const address = normalizeEmail(text);
  return address.length <= LONGEST && ADDRESS.test(address);
}

/** One `@`; before it no white space, control or separator characters; behind it a host name with at least one dot. */
const ADDRESS =
  /^[^\s@,;:<>()[\]"\\\p{Cc}]{1,64}@(?=.{1,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{M}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])$/u;
