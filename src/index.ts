/**
 * The program as a library: `import { runImport } from 'helpdesk-import'`. These exports are public; everything else
 * may change with any version. docs/library.md shows how to use it.
 */

export type { VerifyResult } from './commands/results.ts';
export type { ColumnReport, ExportReport, TableReport } from './discover/inspection.ts';
export { AppError, ERROR_CODES, type ErrorCode } from './domain/errors.ts';
export type { TicketProblem } from './domain/ledger.ts';
export type {
  ActorType,
  AttachmentPayload,
  ContactRef,
  ContentType,
  EventPayload,
  MessagePayload,
  TicketPayload,
  TicketPriority,
  TicketStatus,
} from './domain/payload.ts';
export type { Problem, Severity } from './domain/problem.ts';
export type { RunEvent } from './domain/run-events.ts';
export type { FilesForecast, LossReport, MappingRow, MonthRow, Survey, TrialPick } from './domain/survey.ts';
export type { Outcome, OutcomeCounts } from './domain/ticket-state.ts';
export { runImport } from './library.ts';
export {
  type InspectOptions,
  inspect,
  type ResolveDecision,
  type ResolveOptions,
  type ResolveResult,
  resolve,
  type StatusOptions,
  type StatusResult,
  status,
  type VerifyOptions,
  verify,
} from './library-commands.ts';
export type {
  ImportAttachments,
  ImportCredentials,
  ImportMapping,
  ImportOptions,
  ImportResult,
  ImportSettings,
  ImportTarget,
} from './library-options.ts';
export type { TransformedTicket, TransformSource, TransformTicket } from './mapping/compile/transform.ts';
export type { ProblemGroup } from './summary/problem-log.ts';
export type { Summary, TrialCheck, TrialChecklist, TrialTicket } from './summary/summary.ts';
export type { UsagePeriod } from './target/customer.ts';
export {
  decideGate,
  type GateCheck,
  type GateDecision,
  type GateOperator,
  type GateRule,
} from './target/gate.ts';
