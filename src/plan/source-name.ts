/** The source name in the tags: the user's, else the checkpoint's (a refined mapping is no other source), else the platform. */
import { stop } from '../domain/text/stops.ts';

const UNNAMED = 'import';
const WITHOUT_PLATFORM: ReadonlySet<string> = new Set(['native', 'export']);

export interface SourceName {
  readonly name: string;
  /** A user's name means another import, even if the helpdesk has the tickets under another name. */
  readonly isGiven: boolean;
}

export function sourceNameOf(
  {
    source: { name: given },
    mapping,
  }: { readonly source: { readonly name?: string | undefined }; readonly mapping?: unknown },
  layout: string,
  { name: recorded, checkpoint }: { name?: string | undefined; checkpoint?: string } = {},
): SourceName {
  const isGiven = given !== undefined;
  if (isGiven && recorded !== undefined && recorded !== given)
    throw stop('other-source-name', { checkpoint, recorded, given });
  return {
    name: given ?? recorded ?? (mapping === undefined ? platformOf(layout) : baseOf(mapping)),
    isGiven,
  };
}

/** `zendesk` of `zendesk-csv` and `zendesk-tables`: the form does not change the tickets. */
function platformOf(layout: string): string {
  return WITHOUT_PLATFORM.has(layout) ? UNNAMED : (layout.split('-')[0] ?? UNNAMED);
}

function baseOf(mapping: unknown): string {
  const base =
    typeof mapping === 'object' && mapping !== null ? (mapping as { extends?: unknown }).extends : undefined;
  return typeof base === 'string' ? platformOf(base) : UNNAMED;
}
