/** Whether a text is CSV, JSONL or JSON: by what stands in it; its name only decides where both would do. */
import type { SourceFormat } from '../domain/source.ts';

/** `sample`: the beginning behind the byte order mark; `ended`: it is the whole file. Undefined for white space alone. */
export function sniffFormat(sample: Buffer, ended: boolean, name: string): SourceFormat | undefined {
  const text = sample.toString('utf8');
  const body = text.trimStart();
  if (body === '') return undefined;
  const lineNamed = /(^-|\.(jsonl|ndjson|jl|log))(\.\w+)?$/i.test(name);
  const jsonNamed = lineNamed || /\.(json|geojson)(\.\w+)?$/i.test(name);
  const lines = wholeLines(body, ended).slice(0, 40);
  const records = lines.filter(isWholeValue).length;
  if (records > 1 && records * 2 >= lines.length) return 'jsonl';
  if (!looksLikeJson(body)) {
    if (!jsonNamed || looksLikeTable(body)) return 'csv';
    return lineNamed ? 'jsonl' : 'json';
  }
  if (lines.length === 0) return jsonNamed && !lineNamed ? 'json' : 'jsonl';
  if (ended && lines.length === 1) return lineNamed ? 'jsonl' : 'json';
  if (!lineNamed) return records > 0 && !jsonNamed ? 'jsonl' : 'json';
  return startsPretty(lines[0] ?? '') || (records === 0 && isWholeValue(body)) ? 'json' : 'jsonl';
}

/** Without empty ones, and without the last one where the end of the sample may have cut it. */
function wholeLines(body: string, ended: boolean): string[] {
  const lines = body.split('\n');
  return (ended ? lines : lines.slice(0, -1)).map((line) => line.trim()).filter((line) => line !== '');
}

/** `{` or `[` and then what JSON has there: `[id],[subject]` is the header of a CSV. */
function looksLikeJson(body: string): boolean {
  return /^(\{\s*(["}]|$)|\[\s*([{["\]\d-]|true|false|null|$))/.test(body.slice(0, 1000));
}

/** Several lines and a delimiter in the first. */
function looksLikeTable(body: string): boolean {
  const [first = '', second] = body.split(/\r\n|\n|\r/, 2);
  return second !== undefined && /[,;\t|]/.test(first);
}

/** A bracket alone begins a document over several lines. */
function startsPretty(line: string): boolean {
  return line === '{' || line === '[';
}

function isWholeValue(line: string): boolean {
  if (!/^[{[]/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
