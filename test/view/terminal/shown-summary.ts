/** The end of a run as the screen shows it, for runs that went well and for one that did not. */
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import { commandLines } from '../../../src/view/command-line.ts';
import { summaryLines } from '../../../src/view/terminal/summary-view.ts';
import { PROBLEMS, snapshotOf, summaryWith } from './sample.ts';
import { testStyle } from './sink.ts';

const OPTIONS = { commands: commandLines({ command: 'run', files: ['export.jsonl'], options: [] }) };
/** What the screen shows at the end of the run that `parts` describe. */
export const shown = (parts: Parameters<typeof summaryWith>[0], width = 80, options = {}) =>
  summaryLines(summaryWith(parts), testStyle(width), { ...OPTIONS, ...options }).join('\n');

/** A run with something of every outcome. */
export const mixed = {
  tickets: {
    ...emptyCounts(),
    read: 12_430,
    done: 12_150,
    rejected: 41,
    failed: 30,
    inDoubt: 9,
    skipped: 200,
  },
  messages: { read: 60_231, sent: 60_000, orphans: 12 },
  attachments: { read: 911, checked: 40, unreachable: 2 },
  requests: { sent: 33_290, retried: 12, rateLimited: 1, changing: 33_200 },
  problems: snapshotOf(PROBLEMS),
  rejects: 'helpdesk-import.rejects',
  report: 'report.html',
  exitCode: 4,
} as const;
