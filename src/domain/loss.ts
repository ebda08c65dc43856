/** What of the source will not arrive in the target: shown before anything is sent. */
export interface LossReport {
  /** Columns or JSON paths that no rule uses; `filled` counts rows with a value. */
  readonly unusedColumns: readonly { table: string; column: string; file: string; filled: number }[];
  /** Values without an entry in a value map. */
  readonly unmappedValues: readonly { field: string; value: string; count: number; action: string }[];
  /** Agents of the source without an agent id. */
  readonly agentsWithoutId: readonly { agent: string; count: number; fallback?: string | undefined }[];
  /** Messages whose author is known neither as agent nor as customer. */
  readonly unknownAuthors: readonly { author: string; count: number }[];
  /** Fields with a value in the source that the API has no place for. */
  readonly notHeld: readonly { what: string; count: number }[];
}
