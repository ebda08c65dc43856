/** Whether a text is CSV, JSONL or JSON: its content decides, and its name only where both would do. */
import type { SourceFormat } from '../domain/source.ts';

/** `sample`: the beginning of the file; `isWhole`: it is all of it. Undefined for white space alone. */
export function formatOf(sample: string, isWhole: boolean, name: string): SourceFormat | undefined {
  const body = sample.trimStart();
  if (body === '') return undefined;
  const lineNamed = /(^-|\.(jsonl|ndjson|jl|log))(\.\w+)?$/i.test(name);
  const jsonNamed = lineNamed || /\.(json|geojson)(\.\w+)?$/i.test(name);
  const lines = wholeLines(body, isWhole).slice(0, 40);
  const records = lines.filter(isWholeValue).length;
  if (records > 1 && records * 2 >= lines.length) return 'jsonl';
  if (!looksLikeJson(body)) {
    if (!jsonNamed || looksLikeTable(body)) return 'csv';
    return lineNamed ? 'jsonl' : 'json';
  }
  if (lines.length === 0) return jsonNamed && !lineNamed ? 'json' : 'jsonl';
  if (isWhole && lines.length === 1) return lineNamed ? 'jsonl' : 'json';
  if (!lineNamed) return records > 0 && !jsonNamed ? 'jsonl' : 'json';
  const startsPretty = lines[0] === '{' || lines[0] === '[';
  return startsPretty || (records === 0 && isWholeValue(body)) ? 'json' : 'jsonl';
}

/** Without empty ones, and without the last one where the end of the sample may have cut it. */
function wholeLines(body: string, isWhole: boolean): string[] {
  const lines = body.split('\n');
  return (isWhole ? lines : lines.slice(0, -1)).map((line) => line.trim()).filter((line) => line !== '');
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

function isWholeValue(line: string): boolean {
  if (!/^[{[]/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
