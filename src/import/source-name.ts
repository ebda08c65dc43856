/** The source name in the tags: the user's, else the checkpoint's (a refined mapping is no other source), else the platform. */
import { AppError } from '../domain/errors.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { PlanMeta } from '../plan/plan-file.ts';
import type { Options, Sending } from './options.ts';

interface Named {
  readonly detection: Detection;
  readonly kept?: PlanMeta | undefined;
}

const UNNAMED = 'import';
const WITHOUT_PLATFORM: ReadonlySet<string> = new Set(['native', 'message-rows', 'ticket-rows']);

export class SourceName {
  /** A user's name means another import, even if the helpdesk has the tickets under another name. */
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

  /** Throws AppError `checkpoint` if the user names another one. */
  settle(recorded: string | undefined, checkpoint: string): void {
    if (recorded === undefined || recorded === this.#name) return;
    if (this.isGiven || this.#isFixed)
      throw new AppError(
        'checkpoint',
        `The checkpoint ${checkpoint} belongs to the source "${recorded}", not to "${this.#name}".`,
        {
          hint: this.#isFixed
            ? `Give this source its own checkpoint with --checkpoint, or make a new plan with --checkpoint ${checkpoint}.`
            : `Give this source its own checkpoint with --checkpoint, or continue with --set source.name=${recorded}.`,
        },
      );
    this.#name = recorded;
  }
}

/** A plan has its name, so advice to name the source is for the next plan. */
export function withPlannedName(error: unknown): unknown {
  if (!(error instanceof AppError) || error.hint?.includes('--set source.name=') !== true) return error;
  const { code, message, hint, lines, cause } = error;
  const changed = hint.replace(/--set source\.name=[\w<>-]+/, '$& in a new plan');
  return new AppError(code, message, { hint: changed, lines: [...lines], cause });
}

export function sourceNameOf(
  { name, mapping }: Pick<Options['reading'], 'name' | 'mapping'>,
  { detection, kept }: Named,
): SourceName {
  if (kept !== undefined) {
    const { isSourceNamed } = kept.sending as Sending;
    return new SourceName(isSourceNamed ? kept.sourceName : undefined, kept.sourceName, true);
  }
  return new SourceName(name, platformIn({ mapping }, { detection }));
}

function platformIn(
  { mapping }: Pick<Options['reading'], 'mapping'>,
  { detection }: Pick<Named, 'detection'>,
): string {
  return mapping === undefined ? platformOf(detection.layout.name) : baseOf(mapping);
}

/** `zendesk` of `zendesk-csv` and `zendesk-tables`: the form does not change the tickets. */
export function platformOf(layout: string): string {
  return WITHOUT_PLATFORM.has(layout) ? UNNAMED : (layout.split('-')[0] ?? UNNAMED);
}

function baseOf(mapping: unknown): string {
  const base =
    typeof mapping === 'object' && mapping !== null ? (mapping as { extends?: unknown }).extends : undefined;
  return typeof base === 'string' ? platformOf(base) : UNNAMED;
}
