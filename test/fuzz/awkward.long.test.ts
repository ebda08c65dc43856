/** Very large inputs, special files and odd surroundings, each with the exit code that it comes to. */
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { AWKWARD } from './awkward.ts';
import { judge, runBuilt } from './case.ts';

/** Tried by hand: those that take a minute, and the same once more under another name. */
const BY_HAND =
  /^(?:60,000 |a pipe as the export: i|(?:HTTP_PROXY|http_proxy|https_proxy)=(?!"nonsense"|"http:\/\/\[")|\/proc\/self\/mem )/;
const TRIED = AWKWARD.filter(({ name }) => !BY_HAND.test(name));

it.each(TRIED)('$name', async ({ make, args, env = {}, codes, says = '' }) => {
  using folder = temporaryFolder();
  make(folder.path);
  const ended = await runBuilt(args, folder.path, env);
  expect(judge(ended, args)).toEqual([]);
  expect(codes).toContain(ended.code);
  expect(ended.stdout + ended.stderr).toContain(says);
});
