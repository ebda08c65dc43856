/** Every reason to stop that has one sentence: its error from one entry of `stops.yaml`. */
import { join } from 'node:path';
import { AppError, type AppErrorDetails, type ErrorCode } from '../errors.ts';
import { type ProblemData, say, wordsIn } from './problem-words.ts';

interface Stop {
  readonly code: ErrorCode;
  readonly says: string;
  readonly hint?: string;
}

const FILE = join(import.meta.dirname, 'stops.yaml');

export function stop(
  name: string,
  data: ProblemData = {},
  details: Omit<AppErrorDetails, 'hint'> = {},
): AppError {
  const { code, says, hint } = wordsIn<Stop>(FILE)[name] ?? { code: 'internal', says: name };
  return new AppError(code, say(says, data), { ...details, hint: hint && say(hint, data) });
}
