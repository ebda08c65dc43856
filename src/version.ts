/** The program's version, from package.json, one folder above src/ and dist/. */
import { readFileSync } from 'node:fs';
import { AppError } from './domain/errors.ts';

export function version(): string {
  const found: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof found === 'object' && found !== null && 'version' in found && typeof found.version === 'string')
    return found.version;
  throw new AppError('internal', 'package.json has no version');
}
