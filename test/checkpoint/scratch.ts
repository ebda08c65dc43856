import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { created, finished, intend } from '../support/ledger-steps.ts';

export const TARGET = 'https://helpdesk.example.com/api/core/v1';
export const CLOCK = createFakeClock('2025-06-02T08:00:00.000Z');
export const OPTIONS = { target: TARGET, clock: CLOCK, programVersion: '0.1.0' };

export { PRINTS, PROBLEM } from '../support/ledger-steps.ts';

/** A folder that is gone when the test is over. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function scratchPath(): string {
  return join(scratchFolder(), 'import.checkpoint.sqlite');
}

/** Opened, and closed at the end of the test where the test did not do it. */
export function opened(path = scratchPath(), survives: 'machine' | 'process' = 'process'): Checkpoint {
  const checkpoint = openCheckpoint(path, { ...OPTIONS, survives });
  onTestFinished(() => checkpoint.close());
  return checkpoint;
}

/** Takes a ticket to the end as an import does. */
export async function complete(checkpoint: Checkpoint, externalId: string, ticketId: string): Promise<void> {
  await intend(checkpoint, externalId);
  await created(checkpoint, externalId, ticketId);
  await finished(checkpoint, externalId);
}
