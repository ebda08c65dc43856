/** How a CSV is written, from its beginning: delimiter and line ends, judged by how well the records agree. */
import { cellsOf } from './csv-cells.ts';
import { type CsvDialect, CsvScanner } from './csv-scanner.ts';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_RECORDS = 200;

export interface DetectedDialect extends CsvDialect {
  /** Bytes of a `sep=;` line at the beginning, by which Excel is told the delimiter. */
  readonly directive: number;
}

/** `sample`: the beginning of the file behind its byte order mark; `ended`: it is the whole file. */
export function detectDialect(
  sample: Buffer,
  ended: boolean,
  delimiter: string | undefined,
): DetectedDialect {
  const directive = /^sep=([^"\r\n])(?:\r\n|\n|\r)/i.exec(sample.subarray(0, 16).toString('latin1'));
  const body = sample.subarray(directive?.[0].length ?? 0);
  const lineEnd = lineEndOf(body);
  const chosen = delimiter ?? directive?.[1] ?? likeliest(body, ended, lineEnd);
  return { delimiter: chosen, lineEnd, directive: directive?.[0].length ?? 0 };
}

/** CR alone ends lines only in a file that has no LF outside of quotes. */
function lineEndOf(sample: Buffer): 'lf' | 'cr' {
  let quoted = false;
  let cr = false;
  for (const byte of sample) {
    if (byte === 34) quoted = !quoted;
    else if (quoted) continue;
    else if (byte === 10) return 'lf';
    else if (byte === 13) cr = true;
  }
  return cr ? 'cr' : 'lf';
}

function likeliest(sample: Buffer, ended: boolean, lineEnd: 'lf' | 'cr'): string {
  let best = { delimiter: ',', agreement: 0, cells: 1 };
  for (const delimiter of DELIMITERS) {
    const counts = cellCounts(sample, ended, { delimiter, lineEnd });
    const cells = counts[0] ?? 1;
    if (cells < 2) continue;
    const agreeing = counts.filter((count) => count === cells).length / counts.length;
    const agreement = Math.round(agreeing * 20);
    if (agreement > best.agreement || (agreement === best.agreement && cells > best.cells)) {
      best = { delimiter, agreement, cells };
    }
  }
  return best.delimiter;
}

/** Cells of the header and of the first records. */
function cellCounts(sample: Buffer, ended: boolean, dialect: CsvDialect): number[] {
  const scanner = new CsvScanner(dialect);
  scanner.reset(sample);
  const counts: number[] = [];
  for (let at = 0; at < sample.length && counts.length < SAMPLE_RECORDS; at = scanner.next) {
    if (scanner.scan(at, ended) !== 'record') {
      if (counts.length > 0) break;
      // A header that does not end in the sample is still the best there is.
      counts.push(sample.toString('utf8', at).split(dialect.delimiter).length);
      break;
    }
    if (scanner.contentEnd === at) continue;
    const text = sample.toString('utf8', at, scanner.contentEnd);
    counts.push(cellsOf(text, dialect.delimiter, scanner.quotes).length);
  }
  return counts;
}
