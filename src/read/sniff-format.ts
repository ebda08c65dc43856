/** Whether a text is CSV, JSONL or JSON: by what stands in it; its name only decides where both would do. */
import type { SourceFormat } from '../domain/source.ts';

/** `sample`: the beginning behind the byte order mark; `ended`: it is the whole file. Undefined for white space alone. */
export function sniffFormat(sample: Buffer, ended: boolean, name: string): SourceFormat | undefined {
  const text = sample.toString('utf8');
  const body = text.trimStart();
  if (body === '') return undefined;
  const lineNamed = /(^-|\.(jsonl|ndjson|jl|log))(\.\w+)?$/i.test(name);
  const jsonNamed = lineNamed || /\.(json|geojson)(\.\w+)?$/i.test(name);
  if (!looksLikeJson(body)) {
    if (!jsonNamed || looksLikeTable(body)) return 'csv';
    return lineNamed ? 'jsonl' : 'json';
  }
  const lines = body.split('\n');
  // The last line may be cut by the end of the sample.
  const whole = (ended ? lines : lines.slice(0, -1)).map((line) => line.trim()).filter((line) => line !== '');
  if (whole.length === 0) return jsonNamed && !lineNamed ? 'json' : 'jsonl';
  const looked = whole.slice(0, 40);
  const records = looked.filter(isWholeValue).length;
  if (ended && whole.length === 1) return lineNamed ? 'jsonl' : 'json';
  if (records * 2 >= looked.length) return 'jsonl';
  return lineNamed && (records > 0 || !isWholeValue(body)) && !startsPretty(whole[0] ?? '')
    ? 'jsonl'
    : 'json';
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
