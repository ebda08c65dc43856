/** What is mounted where, as Linux tells it; elsewhere nothing is known. */
import { readFileSync } from 'node:fs';

/** A single file is mounted at this path (as resolved), as containers do with `-v file:file`. */
export function isMountPoint(path: string, told = mountInfo()): boolean {
  return told.split('\n').some((line) => placeOf(line) === path);
}

function mountInfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

/** The fifth field; spaces and the like stand as octal numbers. */
function placeOf(line: string): string | undefined {
  return line
    .split(' ')[4]
    ?.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
