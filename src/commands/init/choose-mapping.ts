/** Which mapping an export gets: a known layout, or a proposal of its own. */
import type { Flags } from '../../cli/context.ts';
import type { Inspection } from '../../discover/inspection.ts';
import type { Proposal } from '../../discover/propose/proposal.ts';
import { proposeMapping } from '../../discover/propose/propose-mapping.ts';
import { AppError } from '../../domain/errors.ts';
import type { ExportFiles } from '../../domain/source-file.ts';
import { type Detection, detectLayout } from '../../mapping/detect/detect.ts';
import type { Layout } from '../../mapping/language/layout.ts';
import { readMapping } from '../../mapping/language/read-layout.ts';
import { builtinLayout } from '../../mapping/platforms/builtin-layouts.ts';

export interface FoundMapping {
  readonly detection: Detection;
  /** Absent where the layout is a known one. */
  readonly proposal: Proposal | undefined;
}

/** A known layout where the export has one, else a mapping of its own; undefined where there seem to be no tickets. */
export function chooseMapping(
  inspection: Inspection,
  files: ExportFiles,
  flags: Flags,
): FoundMapping | undefined {
  const { detection, undetected, tables, joins } = inspection;
  if (detection !== undefined && flags['from'] !== undefined) return { detection, proposal: undefined };
  const isKnown =
    detection !== undefined &&
    detection.layout.generic !== true &&
    (detection.layout.name !== 'native' || isNative(inspection));
  if (isKnown && flags['propose'] !== true) return { detection, proposal: undefined };
  if (detection === undefined && flags['from'] !== undefined)
    throw new AppError('source', undetected?.message ?? 'The export does not fit this layout.', {
      lines: [...(undetected?.near ?? [])],
      hint: 'Leave --from out to have a mapping proposed.',
    });
  const proposal = proposeMapping(tables, joins);
  // a layout for any source fits too, but tells less about this one
  if (proposal === undefined && detection !== undefined) return { detection, proposal: undefined };
  if (proposal === undefined) return undefined;
  const read = readMapping(proposal.mapping, builtinLayout);
  if ('issues' in read)
    throw new AppError('internal', 'The proposed mapping is not valid.', {
      lines: read.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`),
    });
  return { detection: detected(read.layout, files), proposal };
}

/** Of a mapping with the answers in it; undefined where something that is left open makes it incomplete. */
export function detectionOf(mapping: unknown, files: ExportFiles): Detection | undefined {
  const read = readMapping(mapping, builtinLayout);
  return 'issues' in read ? undefined : detected(read.layout, files);
}

function detected(layout: Layout, { files }: ExportFiles): Detection {
  return detectLayout(
    files.map(({ outline }) => outline),
    [layout],
    layout.name,
  );
}

/**
 * An id, a subject and a list of messages have others too, and so many have a `createdAt`: the API's own layout has its own
 * names for the times and the authors of messages.
 */
function isNative({ tables }: Inspection): boolean {
  const has = (names: RegExp) => tables.some(({ columns }) => columns.some(({ name }) => names.test(name)));
  return (
    has(/(?:^|[.\]])(?:occurredAt|actorType)$/i) ||
    (has(/(?:^|[.\]])createdAt$/i) && !has(/(?:^|[.\]])(?:content|body|text|message)$/i))
  );
}
