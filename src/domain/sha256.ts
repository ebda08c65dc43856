/** SHA-256 of a text. What works it out is loaded with the first digest: many a dry run asks for none. */

/** 64 hexadecimal digits. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex');
}
