/** The source name in the tags: the user's, else the checkpoint's (a refined mapping is no other source), else the platform. */
import { AppError } from '../domain/errors.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { Options } from './options.ts';

const UNNAMED = 'import';
const WITHOUT_PLATFORM: ReadonlySet<string> = new Set(['native', 'message-rows', 'ticket-rows']);

export class SourceName {
  /** A user's name means another import, even if the helpdesk has the tickets under another name. */
  readonly isGiven: boolean;
  #name: string;

  constructor(given: string | undefined, byDefault: string) {
    this.isGiven = given !== undefined;
    this.#name = given ?? byDefault;
  }

  get name(): string {
    return this.#name;
  }

  /** Throws AppError `checkpoint` if the user names another one. */
  settle(recorded: string | undefined, checkpoint: string): void {
    if (recorded === undefined || recorded === this.#name) return;
    if (this.isGiven)
      throw new AppError(
        'checkpoint',
        `The checkpoint ${checkpoint} belongs to the source "${recorded}", not to "${this.#name}".`,
        {
          hint: `Give this source its own checkpoint with --checkpoint, or continue with --set source.name=${recorded}.`,
        },
      );
    this.#name = recorded;
  }
}

export function sourceNameOf(
  { name, mapping }: Pick<Options['reading'], 'name' | 'mapping'>,
  { detection }: { readonly detection: Detection },
): SourceName {
  return new SourceName(name, platformIn({ mapping }, { detection }));
}

function platformIn(
  { mapping }: Pick<Options['reading'], 'mapping'>,
  { detection }: { readonly detection: Detection },
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
