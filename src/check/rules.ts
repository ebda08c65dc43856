/** Rules of checking, from the settings and the run. */
import type { MissingTimes } from '../domain/limits.ts';
import type { RecordRef } from '../domain/source.ts';
import type { UnmappedPolicy } from '../domain/unmapped.ts';
import type { People } from './people.ts';

export interface CheckRules {
  /** What happens to unmapped values. Default: `drop`. */
  readonly unmapped?: UnmappedPolicy | undefined;
  /** The user's name of a record's file. */
  readonly fileName: (ref: RecordRef) => string;
  /** Milliseconds since the epoch; later times are in the future. */
  readonly now: () => number;
  /** Zone (IANA) of times without a zone; without it such a time is an error. */
  readonly timezone?: string | undefined;
  /** Default: `reject`. */
  readonly missingTimes?: MissingTimes | undefined;
  /** `createdAt` of a ticket without any time; without it such a ticket is rejected. */
  readonly missingCreatedAt?: string | undefined;
  /** Addresses of one person. */
  readonly people?: Pick<People, 'of' | 'lineOf' | 'file'> | undefined;
  /** Tag of every ticket; may be empty. */
  readonly tag: string;
  /** Source name for identity tags (domain/identity.ts); undefined: no such tags. */
  readonly sourceName?: (() => string | undefined) | undefined;
  /** The tag of the run. */
  readonly runTag?: string | undefined;
  /** Template of subjects, with `{subject}` and `{id}`. */
  readonly subject?: string | undefined;
  readonly channelId?: string | undefined;
  /** Sent with every ticket, in place of what the export says. */
  readonly readOnly?: boolean | undefined;
  /** Sent with every ticket, in place of what the export says. */
  readonly managedBy?: string | undefined;
  /** The target's spelling of the type of a status change: `status_change` (2.4), or `status_changed` as deployed. */
  readonly statusChangeType: string;
}
