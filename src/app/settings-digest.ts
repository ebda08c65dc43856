/** Whether the settings that shape payloads are what they were in the last run, and what that means. */
import { createHash } from 'node:crypto';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { changedSections } from '../checkpoint/meta.ts';
import type { Survey } from '../domain/survey.ts';
import { countOf } from '../report/format.ts';
import type { Settings } from '../settings/settings.ts';

/** Digests by the section of helpdesk-import.yaml; of sections without an effect on payloads there is none. */
export function settingsDigests({ target, source, people, mapping }: Settings): Record<string, string> {
  const { tag, sourceTag, statusChangeType, readOnly, managedBy } = target;
  const { timezone, dayFirst, missingTimes, missingCreatedAt } = source;
  return {
    target: digest({ tag, sourceTag, statusChangeType, readOnly, managedBy }),
    source: digest({ timezone, dayFirst, missingTimes, missingCreatedAt }),
    agents: digest(people),
    mapping: digest(mapping ?? null),
  };
}

/** One sentence about what changed and which tickets it touches, or undefined where nothing did. Records what is now. */
export async function compareSettings(
  checkpoint: Checkpoint,
  settings: Settings,
  { layout, sourceName }: { readonly layout: string; readonly sourceName: string },
  { tickets }: Survey,
): Promise<string | undefined> {
  const now = { ...settingsDigests(settings), layout: digest(layout) };
  const changed = changedSections(checkpoint.meta.settings, now);
  await checkpoint.usedWith({ sourceKey: layout, sourceName, settings: now });
  if (changed.length === 0 || checkpoint.size() === 0) return undefined;
  const open = tickets.pending + tickets.failed + tickets.inDoubt;
  return `The settings have changed since the last run (${changed.join(', ')}): the ${countOf(open, 'ticket')} not done yet will be sent by the new ones, and the ${countOf(tickets.done, 'ticket')} done stay as they are in the target.`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
