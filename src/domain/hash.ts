/** SHA-256 of a text: 64 hexadecimal digits. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex');
}
