/** Which mapping an export gets: a known layout, or a proposal of its own. */
import type { Flags } from '../../cli/context.ts';
import type { Inspection } from '../../discover/inspection.ts';
import { type Proposal, proposeMapping } from '../../discover/propose-mapping.ts';
import type { Answers } from '../../discover/questions.ts';
import { AppError } from '../../domain/errors.ts';
import type { ExportFiles } from '../../domain/source-file.ts';
import { type Detection, detectLayout } from '../../mapping/detect/detect.ts';
import { readMapping } from '../../mapping/language/read-layout.ts';
import { builtinLayout } from '../../mapping/platforms/builtin-layouts.ts';

export interface FoundMapping {
  readonly detection: Detection;
  /** Absent where the layout is a known one. */
  readonly proposal: Proposal | undefined;
}

/** A known layout where the export has one, else a mapping of its own; undefined where no table has anything like tickets. */
export function chooseMapping(
  inspection: Inspection,
  files: ExportFiles,
  flags: Flags,
  answers: Answers,
): FoundMapping | undefined {
  const { detection, undetected } = inspection;
  const from = flags['from'];
  if (detection !== undefined && from !== undefined) return { detection, proposal: undefined };
  const isKnown =
    detection !== undefined &&
    detection.layout.generic !== true &&
    (detection.layout.name !== 'native' || isNative(inspection));
  if (isKnown && flags['propose'] !== true) return { detection, proposal: undefined };
  if (detection === undefined && from !== undefined)
    throw new AppError('source', undetected?.message ?? 'The export does not fit this layout.', {
      lines: [...(undetected?.near ?? [])],
      hint: 'Leave --from out to have a mapping proposed.',
    });
  const proposal = proposeMapping(inspection, answers);
  // a layout for any source fits too, but says less about this one
  if (proposal === undefined) return detection === undefined ? undefined : { detection, proposal: undefined };
  return { detection: detectionOf(proposal, files), proposal };
}

function detectionOf({ mapping }: Proposal, { files }: ExportFiles): Detection {
  const read = readMapping(mapping, builtinLayout);
  if ('issues' in read)
    throw new AppError('internal', 'The proposed mapping is not valid.', {
      lines: read.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`),
    });
  const outlines = files.map(({ outline }) => outline);
  return detectLayout(outlines, [read.layout], read.layout.name);
}

/**
 * An ID, a subject and a list of messages have others too, and so many have a `createdAt`: the API's own layout has its own
 * names for the times and the authors of messages.
 */
function isNative({ tables }: Inspection): boolean {
  const has = (names: RegExp) => tables.some(({ columns }) => columns.some(({ name }) => names.test(name)));
  return (
    has(/(?:^|[.\]])(?:occurredAt|actorType)$/i) ||
    (has(/(?:^|[.\]])createdAt$/i) && !has(/(?:^|[.\]])(?:content|body|text|message)$/i))
  );
}
