/** The mapping of an unknown export: what `init` writes for it if nothing is asked. */
import type { ExportFiles } from '../domain/source-file.ts';
import { mappingOf } from './mapping-of.ts';
import { proposed } from './proposed.ts';
import { evidenceOf } from './structure.ts';
import type { Tree } from './trees.ts';

interface Proposal {
  readonly mapping: Tree;
  /** Questions for a person, one sentence each. */
  readonly open: readonly string[];
}

export async function proposedMapping(files: ExportFiles, signal: AbortSignal): Promise<Proposal> {
  const evidence = await evidenceOf(files, signal);
  using _ = evidence.stage;
  const fields = proposed(evidence, new Map());
  const marked = [...fields.all.values()].flatMap(({ key, label, mark }) =>
    mark === undefined ? [] : [`${key} (${label}): ${mark}`],
  );
  const { texts, files: unread } = fields.unread;
  return {
    // Each column's own cells say which words mean nothing.
    mapping: { ...mappingOf(fields), nulls: undefined },
    open: [
      ...marked,
      ...texts.map(({ name }) => `No field reads the text in "${name}"`),
      ...unread.map((name) => `No field reads the file ${name}`),
    ],
  };
}
