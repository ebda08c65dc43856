/** SHA-256 of a text: 64 hexadecimal digits. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex');
}

// A number for a text, for sketches and filters that live as long as the process: written to a file only where another number does no harm.

/** 53 bits of the text, mixed well (two rounds of multiplication by odd constants, as in MurmurHash3's finish). */
export function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return 2 ** 32 * (low & 0x1fffff) + (high >>> 0);
}
