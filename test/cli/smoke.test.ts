import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answeredTickets, LENIENT, openDesk } from '../support/desk.ts';

it('a job that keeps no checkpoint imports a trial and empties it, twice in a row', async () => {
  const { write, type, checkpoint } = await openDesk(LENIENT);
  write('export.jsonl', answeredTickets(8));
  for (const run of ['1', '2']) {
    const trial = `run export.jsonl --trial --quiet --set source.name=ci-${run}`;
    for (const typed of ['run export.jsonl --dry-run --quiet', trial, 'undo --last --yes'])
      expect(await type(...typed.split(' ')), typed).toMatchObject({ code: 0 });
    for (const end of ['', '-wal', '-shm']) rmSync(`${checkpoint}${end}`, { force: true });
  }
});
