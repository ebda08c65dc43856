/** Files of an import whose process is killed ten times while it fetches them. */
import { describe, it } from 'vitest';
import { killedFiles } from './killed-files.ts';

describe('an import with 200 files that is killed ten times', () => {
  it('keeps each content once, repeats no more uploads than were under way, and tells nobody a credential', async () => {
    await killedFiles({ files: 200, kills: 10, seed: 3 });
  });
});
