/** A change of one place of the code that breaks a promise, and the tests of which one must notice. */
export interface Mutant {
  readonly name: string;
  /** Where it stands, or stood before files were moved. */
  readonly file: string;
  /** Stands in the file once, else in one other file alone: where it stands no more, the list is out of date, which is an error. */
  readonly search: string;
  readonly replace: string;
  /** What would not hold any more, in the words of docs/contract.md or docs/reliability.md. */
  readonly breaks: string;
  readonly tests: readonly string[];
}
