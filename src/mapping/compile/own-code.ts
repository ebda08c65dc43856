/**
 * Expressions and modules of the user at work. They may never end, and whoever runs the program is then the only one who can
 * tell: the command line watches from another thread. Where nobody watches, this does nothing.
 */
export interface OwnCodeWatch {
  /** `what`: whose turn it is, as an error would name it. */
  begin(what: string): void;
  end(): void;
}

let current: OwnCodeWatch | undefined;

export function watchOwnCode(watch: OwnCodeWatch): void {
  current = watch;
}

export function ownCodeWatch(): OwnCodeWatch | undefined {
  return current;
}
