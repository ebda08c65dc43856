/** Options of `run` that another command has too, with the same meaning. */
import { type OptionSpec, RUN_OPTIONS } from './options.ts';

/** Which records of an export are read, and how. */
export const READING = [
  '--config',
  '--from',
  '--encoding',
  '--delimiter',
  '--since',
  '--until',
  '--only',
  '--limit',
  '--shard',
] as const;

/** In the order of `run`, with examples of `command`. `names` are long flags. */
export function optionsOfRun(names: readonly string[], command: string): readonly OptionSpec[] {
  return RUN_OPTIONS.filter(({ flags }) => names.includes(longFlag(flags))).map(({ example, ...spec }) =>
    example === undefined
      ? spec
      : { ...spec, example: example.replace(/^helpdesk-import run/, `helpdesk-import ${command}`) },
  );
}

function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? '';
}
