/** What checking goes by: settings of the user, and what it must be told about the run. */
import type { MissingTimes } from '../domain/limits.ts';
import type { RecordRef } from '../domain/source.ts';
import type { UnmappedPolicy } from '../domain/unmapped.ts';
import type { People } from './people.ts';

export interface CheckRules {
  /** What becomes of values that no rule uses. Default: `drop`. */
  readonly unmapped?: UnmappedPolicy | undefined;
  /** The name under which the user knows the file of a record. */
  readonly fileName: (ref: RecordRef) => string;
  /** Milliseconds since the epoch: what counts as the future. */
  readonly now: () => number;
  /** Zone (IANA) of times that name none; without it such a time is an error. */
  readonly timezone?: string | undefined;
  /** Default: `reject`. */
  readonly missingTimes?: MissingTimes | undefined;
  /** `createdAt` of a ticket that has none and whose messages have none either; without it such a ticket is rejected. */
  readonly missingCreatedAt?: string | undefined;
  /** Whose addresses are one person's. */
  readonly people?: Pick<People, 'of' | 'lineOf' | 'file'> | undefined;
  /** Tag that every ticket gets; empty for none. */
  readonly tag: string;
  /** The name of the source, for the tags of identity (domain/identity.ts); undefined: none of them. */
  readonly sourceName?: (() => string | undefined) | undefined;
  /** The tag of the run. */
  readonly runTag?: string | undefined;
  /** How subjects are written, with `{subject}` and `{id}` in it. */
  readonly subject?: string | undefined;
  readonly channelId?: string | undefined;
  /** Sent with every ticket, in place of what the export says. */
  readonly readOnly?: boolean | undefined;
  /** Sent with every ticket, in place of what the export says. */
  readonly managedBy?: string | undefined;
  /** How the target spells the type of a status change: `status_change` (2.4), or `status_changed` as deployed. */
  readonly statusChangeType: string;
}
