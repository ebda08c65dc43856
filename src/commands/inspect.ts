/** `helpdesk-import inspect`: what is in an export. Sends nothing and writes nothing. */
import { type CommandSpec, JSON_RESULT, NEEDED_FILES, shared } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { answer } from '../cli/screen.ts';
import { type Inspection, inspectExport, inspectionJson } from '../discover/inspection.ts';
import { AppError } from '../domain/errors.ts';
import { builtinLayouts } from '../mapping/platforms/builtin-layouts.ts';
import type { StagedExport } from '../source/open-export.ts';
import type { Conversation } from '../view/conversation/conversation.ts';
import { chooseMapping } from './init/choose-mapping.ts';
import { surveyNeeds } from './init/survey-needs.ts';
import { inspectionBlocks } from './inspect-view.ts';
import { openFiles, stoppable, textFlag } from './open-files.ts';

export const command: CommandSpec = {
  arguments: [NEEDED_FILES],
  options: [
    shared('--from', { description: 'see whether the files fit this layout' }),
    shared('--encoding'),
    shared('--delimiter'),
    JSON_RESULT,
  ],
  examples: [
    ['inspect export/', 'which layout it is, its tables, columns and values'],
    ['inspect export/ --json', 'the same as one JSON object'],
  ],
  run: inspectCommand,
};

async function inspectCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  using stop = stoppable(context);
  await using opened = await openFiles(files, flags, context, stop.signal);
  using inspection = await inspectExport(opened, builtinLayouts(), {
    from: textFlag(flags, 'from'),
    signal: stop.signal,
  });
  const conversations = await conversationsOf(inspection, opened, flags, context, stop.signal);
  answer(
    context,
    flags,
    { ...inspectionJson(inspection, opened.files), conversations },
    inspectionBlocks(inspection, opened.files, files, conversations ?? []),
  );
  return 0;
}

/** As `init` would map the export; undefined where it has nothing like a ticket. */
async function conversationsOf(
  inspection: Inspection,
  opened: StagedExport,
  flags: Flags,
  { cwd, clock }: CliContext,
  signal: AbortSignal,
): Promise<readonly Conversation[] | undefined> {
  try {
    const found = chooseMapping(inspection, opened, flags, new Map());
    if (found === undefined) return undefined;
    const { conversations } = await surveyNeeds(opened, found.detection, {
      folder: cwd,
      signal,
      now: new Date(clock.now()),
    });
    return conversations;
  } catch (error) {
    // init and run say what is wrong with a mapping
    if (error instanceof AppError && ['source', 'configuration'].includes(error.code)) return undefined;
    throw error;
  }
}
