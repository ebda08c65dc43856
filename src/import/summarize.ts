/** From the result of a run to its summary. */
import type { AppError } from '../domain/errors.ts';
import { exitCodeOf, planOf, type Summary, type TrialChecklist } from '../summary/summary.ts';
import type { ImportJob } from './import-job.ts';
import type { Surveyed } from './survey-export.ts';
import type { TargetAddress } from './target.ts';

type Known = 'requests' | 'look' | 'files' | 'planFile' | 'rejects' | 'openFirst';

export interface JobResult extends Readonly<{ [Part in Known]?: Summary[Part] | undefined }> {
  readonly surveyed: Surveyed;
  /** What this process sent, besides what earlier ones did. */
  readonly sent?:
    | { readonly messages: number; readonly events: number; readonly updates: number }
    | undefined;
  readonly trial?:
    | (NonNullable<Summary['trial']> & {
        readonly attachments: { readonly checked: number; readonly unreachable: number };
        readonly checklist: TrialChecklist;
        readonly failed: boolean;
      })
    | undefined;
  /** Kinds of problems that an earlier run of the same export showed in full (`groupKey`). */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  /** The target has a ticket of this import more than once. */
  readonly duplicates?: boolean | undefined;
  readonly stoppedBy?: AppError | undefined;
}

const NOT_ASKED = { sent: 0, retried: 0, rateLimited: 0, changing: 0 };

export function summarize(job: ImportJob, target: TargetAddress | undefined, result: JobResult): Summary {
  const { source, settings, runTag, log, ports } = job;
  const { surveyed, stoppedBy, trial, requests = NOT_ASKED } = result;
  const { sent = { messages: 0, events: 0, updates: 0 } } = result;
  const { survey, totals, lostRows } = surveyed;
  const { mode } = settings;
  const { kept } = source;
  const problems = log.snapshot();
  const tickets = source.plan.steps.counts();
  const { checked, unreachable } = trial?.attachments ?? { checked: 0, unreachable: 0 };
  const { read } = survey.attachments;
  const planFile = kept ? { path: kept.path, digest: kept.digest } : result.planFile;
  return {
    version: 1,
    mode,
    layout: source.detection.layout.name,
    target: target?.baseUrl,
    tickets,
    messages: {
      read: survey.messages.read,
      sent: totals.messages + sent.messages,
      orphans: survey.orphans.messages,
    },
    events: {
      read: survey.events.read,
      sent: totals.events + sent.events,
      orphans: survey.orphans.events,
    },
    ...(settings.delta && { updates: { found: survey.requests.updates, sent: sent.updates } }),
    contacts: { distinct: survey.contacts.distinct },
    attachments: { read, checked, unreachable },
    ...(result.files && { files: result.files }),
    notes: survey.notes,
    requests,
    ...(mode === 'dry-run' && { plan: planOf(survey) }),
    ...(result.look && { look: result.look }),
    ...(planFile && { planFile }),
    problems: problems.rows,
    problemsTotal: problems.total,
    problemGroups: problems.groups,
    ...(runTag && { runTag }),
    ...(result.openFirst && { openFirst: result.openFirst }),
    ...(trial && { trial: { tickets: trial.tickets } }),
    checkpoint: settings.output.checkpoint,
    ...(result.rejects && { rejects: result.rejects }),
    durationMs: Math.round(ports.clock.monotonic() - job.started),
    exitCode: exitCodeOf({
      tickets,
      stoppedBy: stoppedBy === undefined ? [] : [stoppedBy],
      isFlawed:
        trial?.failed === true ||
        lostRows > 0 ||
        problems.groups.some(({ code }) => code === 'older-than-imported'),
      duplicates: result.duplicates === true,
      mustReachAll: mode === 'run' && settings.links === undefined,
    }),
  };
}
