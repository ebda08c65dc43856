/** Files of an import whose process is killed a hundred times while it fetches them. */
import { describe, it } from 'vitest';
import { killedFiles } from './killed-files.ts';

describe('an import with 2,000 files that is killed a hundred times', () => {
  it('keeps each content once, repeats no more uploads than were under way, and tells nobody a credential', async () => {
    await killedFiles({ files: 2_000, kills: 100, seed: 4 });
  });
});
