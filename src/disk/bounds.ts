/** How much the program takes of what others write. One table: the code reads it, and the reference is made from it. */

const KIB = 1024;
const MIB = 1024 * KIB;

interface Bound {
  /** What is bounded, for the reference. */
  readonly what: string;
  readonly most: number;
  readonly unit: 'bytes' | 'seconds';
  /** What becomes of more than that. */
  readonly beyond: string;
}

export const BOUNDS = {
  settings: { what: 'a settings file', most: 4 * MIB, unit: 'bytes', beyond: 'refused, exit code 2' },
  ids: {
    what: 'a list of tickets (`--only @file`)',
    most: 256 * MIB,
    unit: 'bytes',
    beyond: 'refused, exit code 2',
  },
  token: { what: 'a file with a token', most: 64 * KIB, unit: 'bytes', beyond: 'refused, exit code 2' },
  ownCode: {
    what: 'work of a mapping with patterns, or of a transform, on one ticket',
    most: 5,
    unit: 'seconds',
    beyond: 'the run ends with exit code 2 and names the ticket',
  },
} as const satisfies Readonly<Record<string, Bound>>;
