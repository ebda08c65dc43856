/** An import whose end cannot be recorded lets go of its checkpoint, so that the same process can go on. */
import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answeredTickets, LENIENT, openDesk } from '../support/desk.ts';
import { runImport } from '../support/engine.ts';

it('a run whose end cannot be recorded releases its checkpoint', async () => {
  const { checkpoint, sandbox, folder, write } = await openDesk(LENIENT);
  const files = folder.join('export.jsonl');
  write('export.jsonl', answeredTickets(2));
  const target = { baseUrl: sandbox.url, credentials: { token: sandbox.token } };
  const options = { files, checkpoint, target };
  await expect(
    runImport({
      ...options,
      onEvent: (event) => {
        if (event.type === 'stage' && event.stage === 'writing') renameSync(checkpoint, `${checkpoint}.away`);
      },
    }),
  ).rejects.toMatchObject({ code: 'checkpoint' });
  renameSync(`${checkpoint}.away`, checkpoint);
  expect((await runImport(options)).facts).toMatchObject({ exitCode: 0, tickets: { done: 2 } });
  expect(sandbox.log.requests({ effect: 'created' })).toHaveLength(2);
});
