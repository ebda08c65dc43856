/** Airbyte files that say themselves that a stream is not whole: a status other than COMPLETE, or fewer records than counted. */
import { type SourceFile, valueAt } from '../domain/source-file.ts';
import type { Finding } from './finding.ts';
import { baseName } from './staged-tables.ts';

interface Stream {
  records: number;
  counted: number | undefined;
  status: string | undefined;
}

export async function incompleteStreams(files: readonly SourceFile[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const file of files) {
    const lines = file.outline.collections?.find(({ path }) => path === undefined)?.sample ?? [];
    if (
      file.format !== 'jsonl' ||
      !lines.some(({ type }) => type === 'RECORD' || type === 'TRACE' || type === 'STATE')
    )
      continue;
    for (const [name, { records, counted, status }] of await streamsIn(file)) {
      const isBroken = status === 'INCOMPLETE';
      if (!isBroken && (counted === undefined || counted <= records)) continue;
      findings.push({
        code: 'incomplete-thread',
        severity: isBroken ? 'error' : 'warning',
        count: Math.max(1, (counted ?? 0) - records),
        message: isBroken
          ? `${baseName(file.name)} says that its stream ${name} is INCOMPLETE (${records} records). Export it again.`
          : `${baseName(file.name)} says that its stream ${name} has ${counted} records, and it holds ${records}.`,
        setting: 'source.files',
      });
    }
  }
  return findings;
}

async function streamsIn(file: SourceFile): Promise<Map<string, Stream>> {
  const streams = new Map<string, Stream>();
  const of = (name: unknown): Stream => {
    const key = String(name);
    const known = streams.get(key) ?? { records: 0, counted: undefined, status: undefined };
    streams.set(key, known);
    return known;
  };
  for await (const records of file.records(undefined, new AbortController().signal))
    for (const { object } of records) {
      if (object === undefined) continue;
      const { type } = object;
      if (type === 'RECORD') of(valueAt(object, ['record', 'stream'])).records++;
      const status = valueAt(object, ['trace', 'stream_status', 'status']);
      if (type === 'TRACE' && typeof status === 'string')
        of(valueAt(object, ['trace', 'stream_status', 'stream_descriptor', 'name'])).status = status;
      const count = valueAt(object, ['state', 'sourceStats', 'recordCount']);
      if (type === 'STATE' && typeof count === 'number') {
        const stream = of(valueAt(object, ['state', 'stream', 'stream_descriptor', 'name']));
        stream.counted = (stream.counted ?? 0) + count;
      }
    }
  streams.delete('undefined');
  return streams;
}
