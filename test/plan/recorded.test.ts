/** Facts that a checkpoint keeps between runs. */
import { expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { factsOfCheckpoint, recordFacts } from '../../src/plan/recorded.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { factsWith, PROBLEMS, snapshotOf } from '../view/sample.ts';

it('a run of a part adds to the record of the whole, and problems of the export stay', async () => {
  const path = folderOfTest().join('c.sqlite');
  const checkpoint = openCheckpoint(path, {
    ...{ target: 'https://helpdesk.example.com', programVersion: '1', survives: 'process' },
    clock: createFakeClock(),
  });
  const record = (sent: number, isPart: boolean) =>
    recordFacts(
      checkpoint,
      factsWith({
        messages: { read: 9, sent, internal: 0, orphans: 0 },
        events: { read: 9, sent, orphans: 0 },
        problems: snapshotOf(PROBLEMS),
      }),
      { isPart, at: '2025-01-01T00:00:00.000Z' },
    );
  const found = () => {
    const reader = readCheckpoint(path);
    const facts = factsOfCheckpoint(reader);
    reader.close();
    return facts.events.sent;
  };
  await record(5, false);
  await record(3, true);
  expect(found()).toEqual(5);
  await record(8, true);
  expect(found()).toEqual(8);
  await record(2, false);
  expect(found()).toEqual(2);
  const reader = readCheckpoint(path);
  const { version, mode, problemGroups } = factsOfCheckpoint(reader);
  reader.close();
  expect([version, mode]).toEqual([2, 'checkpoint']);
  expect(problemGroups.map(({ code }) => code).toSorted()).toEqual(
    PROBLEMS.map(({ code }) => code).toSorted(),
  );
  await checkpoint.close();
});
