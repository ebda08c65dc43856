/** Very large inputs and special files, each with the exit code that it comes to. */
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { AWKWARD } from './awkward.ts';
import { judge, runBuilt } from './case.ts';

/** The special files, where small ones are expected; others of the list are tried by hand. */
const TRIED = AWKWARD.filter(
  ({ name }) => /^(?:pipe|folder|\/dev\/zero) as /.test(name) && !name.endsWith('checkpoint'),
);

it.each(TRIED)('$name', async ({ make, args, env = {}, codes }) => {
  using folder = temporaryFolder();
  make(folder.path);
  const ended = await runBuilt(args, folder.path, env);
  expect(judge(ended, args)).toEqual([]);
  expect(codes).toContain(ended.code);
});
