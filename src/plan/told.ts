import type { AppError } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Problem } from '../domain/problem.ts';
import type { Facts } from './facts.ts';

/** Facts of a run that the tables of its tickets lack. */
export interface Told
  extends Pick<Facts, 'mode' | 'isDelta' | 'layout' | 'target' | 'checkpoint' | 'picks' | 'contacts'>,
    Readonly<{
      [P in 'requests' | 'planFile' | 'rejects' | 'openFirst' | 'trial' | 'runTag']?: Facts[P] | undefined;
    }> {
  readonly files: readonly string[];
  readonly digest: string;
  /** The zone of times without one. */
  readonly timezone?: string | undefined;
  /** A run with `--files`: when it began, milliseconds since 1970. */
  readonly fetchesAt?: number | undefined;
  readonly orphans: { readonly messages: number; readonly events: number };
  /** Problems of the whole mapping. */
  readonly findings?: readonly Problem[] | undefined;
  readonly batchSize: number;
  readonly rate: readonly Rate[];
  readonly look?: Facts['people']['look'];
  /** By this process. */
  readonly sent?: Readonly<Record<'messages' | 'events' | 'updates', number>> | undefined;
  readonly probed?: { readonly checked: number; readonly unreachable: number } | undefined;
  readonly durationMs?: number | undefined;
  /** The time that a question waited for its answer. */
  readonly askedMs?: number | undefined;
  readonly stoppedBy?: Pick<AppError, 'code' | 'message' | 'hint'> | undefined;
  readonly isFlawed?: boolean | undefined;
  readonly duplicates?: boolean | undefined;
  readonly notUpdated?: number | undefined;
  readonly mustReachAll?: boolean | undefined;
  readonly failOn?: 'lost' | undefined;
}
