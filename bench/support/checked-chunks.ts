/** Read, staged, mapped and checked, chunk by chunk, as a survey gets it. */

import { createChecker } from '../../src/check/check-ticket.ts';
import type { CheckResult } from '../../src/domain/ticket.ts';
import { checkRules } from '../../src/import/check-rules.ts';
import { openSource } from '../../src/import/source.ts';
import { systemClock } from '../../src/system-clock.ts';
import { settingsFor } from './settings.ts';

/** Plain data only, so that it can be sent to another thread. */
export type Checked = Omit<CheckResult, 'checked'> & {
  readonly checked?: Omit<NonNullable<CheckResult['checked']>, 'fingerprints'>;
};

export async function* checkedChunks(files: readonly string[]): AsyncGenerator<Checked[]> {
  const settings = settingsFor(files);
  const { signal } = new AbortController();
  await using source = await openSource(settings, { emit: () => {}, signal, problem: () => {}, folder: '.' });
  const check = createChecker(checkRules(settings, source, systemClock));
  for await (const items of source.joined.tickets(signal))
    yield items.flatMap((item) => (item.kind === 'ticket' ? [plain(check(source.mapper.map(item)))] : []));
}

function plain(result: CheckResult): Checked {
  const { checked, ...rest } = result;
  if (checked === undefined) return rest;
  const { seq, externalId, ref, ticket, messages, events, rows, mapped } = checked;
  return { ...rest, checked: { seq, externalId, ref, ticket, messages, events, rows, mapped } };
}
