/**
 * The name of the source in the tags of every ticket (domain/identity.ts). The user's name comes first; else what
 * the checkpoint was begun with, so that a mapping that is refined later does not make another source of it; else the platform.
 */
import { AppError } from '../domain/errors.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { PlanMeta } from '../plan/plan-file.ts';
import type { Settings } from '../settings/settings.ts';
import type { Sending } from './plan-settings.ts';

/** What of an opened source names it. */
interface Named {
  readonly detection: Detection;
  readonly kept?: PlanMeta | undefined;
}

/** Of layouts that say nothing about where an export comes from. */
const UNNAMED = 'import';
const WITHOUT_PLATFORM: ReadonlySet<string> = new Set(['native', 'message-rows', 'ticket-rows']);

export class SourceName {
  /** The user named it: where another name is found in the target, it is meant to be another import. */
  readonly isGiven: boolean;
  readonly #isFixed: boolean;
  #name: string;

  /** `isFixed`: the tickets of a plan carry it already. */
  constructor(given: string | undefined, byDefault: string, isFixed = false) {
    this.isGiven = given !== undefined;
    this.#name = given ?? byDefault;
    this.#isFixed = isFixed;
  }

  get name(): string {
    return this.#name;
  }

  /** `recorded`: what the checkpoint was begun with. Throws AppError `checkpoint` where the user names another one. */
  settle(recorded: string | undefined, checkpoint: string): void {
    if (recorded === undefined || recorded === this.#name) return;
    if (this.isGiven || this.#isFixed)
      throw new AppError(
        'checkpoint',
        `The checkpoint ${checkpoint} belongs to the source "${recorded}", not to "${this.#name}".`,
        {
          hint: this.#isFixed
            ? `Give this source its own checkpoint with --checkpoint, or make a new plan with --checkpoint ${checkpoint}.`
            : `Give this source its own checkpoint with --checkpoint, or continue with --source-name ${recorded}.`,
        },
      );
    this.#name = recorded;
  }
}

/** A plan has its name already: advice to name the source is advice for the next plan. */
export function withPlannedName(error: unknown): unknown {
  if (!(error instanceof AppError) || error.hint?.includes('--source-name') !== true) return error;
  const { code, message, hint, lines, cause } = error;
  const changed = hint.replace(/--source-name(?: [\w-]+)?/, '$& in a new plan');
  return new AppError(code, message, { hint: changed, lines: [...lines], cause });
}

export function sourceNameOf(
  { source, mapping }: Pick<Settings, 'source' | 'mapping'>,
  { detection, kept }: Named,
): SourceName {
  if (kept !== undefined) {
    const { isSourceNamed } = kept.sending as Sending;
    return new SourceName(isSourceNamed ? kept.sourceName : undefined, kept.sourceName, true);
  }
  return new SourceName(source.name, platformIn({ mapping }, { detection }));
}

/** The platform that the layout is of, or the one that it extends. */
export function platformIn(
  { mapping }: Pick<Settings, 'mapping'>,
  { detection }: Pick<Named, 'detection'>,
): string {
  return mapping === undefined ? platformOf(detection.layout.name) : baseOf(mapping);
}

/** `zendesk` of `zendesk`, `zendesk-csv` and `zendesk-tables`: which of them an export comes as does not change its tickets. */
export function platformOf(layout: string): string {
  return WITHOUT_PLATFORM.has(layout) ? UNNAMED : (layout.split('-')[0] ?? UNNAMED);
}

function baseOf(mapping: unknown): string {
  const base =
    typeof mapping === 'object' && mapping !== null ? (mapping as { extends?: unknown }).extends : undefined;
  return typeof base === 'string' ? platformOf(base) : UNNAMED;
}
