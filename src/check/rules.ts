import type { MissingTimes } from '../domain/limits.ts';
import type { UnmappedPolicy } from '../domain/snapshot.ts';
import type { RecordRef } from '../domain/source.ts';
import type { People } from './people.ts';

export interface CheckRules {
  /** Default: `drop`. */
  readonly unmapped?: UnmappedPolicy | undefined;
  readonly fileName: (ref: RecordRef) => string;
  /** Milliseconds since the epoch; later times are in the future. */
  readonly now: () => number;
  /** IANA; without it a time without a zone is an error. */
  readonly timezone?: string | undefined;
  /** Default: `reject`. */
  readonly missingTimes?: MissingTimes | undefined;
  /** For a ticket without any time; without it such a ticket is rejected. */
  readonly missingCreatedAt?: string | undefined;
  readonly people?: Pick<People, 'of' | 'lineOf' | 'file'> | undefined;
  readonly tag: string;
  /** Undefined: no identity tags. */
  readonly sourceName?: (() => string | undefined) | undefined;
  readonly runTag?: string | undefined;
  readonly subject?: string | undefined;
  readonly channelId?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly managedBy?: string | undefined;
  /** `status_change` (2.4), or `status_changed` as deployed. */
  readonly statusChangeType: string;
}
