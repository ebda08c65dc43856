/** Objects of the mapping language: an unknown key is an error that names the nearest known one. */
import * as z from 'zod';
import { didYouMean } from '../../domain/nearest.ts';

export function strict<const S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const known = Object.keys(shape);
      // a line a key, in the order of the keys: plainIssues makes one issue of each
      return issue.keys.map((key) => `There is no key "${key}" here.${didYouMean(key, known)}`).join('\n');
    },
  });
}

export interface LayoutIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Issues of a failed parse as a person can use them: of a choice, only what is wrong with the branch that was meant. */
export function plainIssues(
  issues: readonly z.core.$ZodIssue[],
  base: readonly PropertyKey[] = [],
): LayoutIssue[] {
  const unknown = new Set(
    issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => path.join('\u0000')),
  );
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    // what else is wrong with an object follows from the key that was mistyped
    if (issue.code === 'custom' && unknown.has(issue.path.join('\u0000'))) return [];
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, at) => ({ path: [...path, key], message: messages[at] ?? issue.message }));
    }
    if (issue.code !== 'invalid_union' || issue.errors.length === 0)
      return [{ path, message: issue.message }];
    const branches = issue.errors.map((branch) => plainIssues(branch, path));
    // a branch that fails at its very root is of another type than what was written
    const meant = branches
      .map((branch, at) => ({ branch, depth: rootMiss(issue.errors[at] ?? []) ? 1 : 0 }))
      .sort((a, b) => a.depth - b.depth || a.branch.length - b.branch.length)[0];
    if (meant === undefined || meant.depth === 1)
      return [{ path, message: 'This is none of the forms that are allowed here.' }];
    return meant.branch;
  });
}

function rootMiss(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.some(
    (issue) => issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value'),
  );
}
