import { onTestFinished } from 'vitest';
import { temporaryFolder } from './cli.ts';

/** A folder that is gone when the test is finished. */
export function folderOfTest(): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder;
}
