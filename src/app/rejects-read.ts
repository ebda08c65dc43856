import { relative, resolve } from 'node:path';

/** Whether the export is this folder, or in it: then what is not done yet must stay, whatever the reason. */
export function isReadFrom(rejects: string, inputs: readonly string[]): boolean {
  return inputs.some((input) => {
    const path = relative(resolve(rejects), resolve(input));
    return input !== '-' && (path === '' || !path.startsWith('..'));
  });
}
