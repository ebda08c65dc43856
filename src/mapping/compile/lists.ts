/** Lists in one cell: JSON, Python's spelling of it, or texts with a separator between. */

/** The list in a text: a JSON or Python list, else split at `;`, `|` or line ends, whichever comes first; never at commas. */
export function parseList(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (/^[[{(]/.test(trimmed)) {
    const parsed = parseStructure(trimmed);
    if (Array.isArray(parsed)) return parsed;
    if (parsed !== undefined) return [parsed];
  }
  const separator = [';', '|', '\n'].find((candidate) => trimmed.includes(candidate)) ?? ';';
  return splitText(trimmed, separator);
}

/** Trimmed parts, without empty ones. */
export function splitText(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A text that is JSON or a Python literal (`{'a': None}`); undefined when it is neither. */
export function parseStructure(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parsePython(text);
  }
}

/** Deeper nesting than this is no data that anybody wrote. */
const DEEPEST = 64;

/** Lists, tuples, dicts, strings, numbers, True, False, None. Keys never reach a prototype. */
export function parsePython(text: string): unknown {
  let at = 0;
  const space = () => {
    while (at < text.length && /\s/.test(text[at] ?? '')) at++;
  };
  const FAIL = Symbol('not Python');

  const string = (): string | typeof FAIL => {
    const quote = text[at];
    let value = '';
    for (at++; at < text.length; at++) {
      const char = text[at] ?? '';
      if (char === quote) {
        at++;
        return value;
      }
      if (char !== '\\') value += char;
      else {
        at++;
        const escaped = text[at] ?? '';
        value += { n: '\n', t: '\t', r: '\r' }[escaped] ?? escaped;
      }
    }
    return FAIL;
  };

  const sequence = (close: string, depth: number): unknown => {
    const items: unknown[] = [];
    at++;
    for (;;) {
      space();
      if (text[at] === close) {
        at++;
        return items;
      }
      const item = value(depth + 1);
      if (item === FAIL) return FAIL;
      items.push(item);
      space();
      if (text[at] === ',') at++;
      else if (text[at] !== close) return FAIL;
    }
  };

  const dict = (depth: number): unknown => {
    const entries: [string, unknown][] = [];
    at++;
    for (;;) {
      space();
      if (text[at] === '}') {
        at++;
        return Object.fromEntries(entries);
      }
      const key = value(depth + 1);
      space();
      if (key === FAIL || text[at] !== ':') return FAIL;
      at++;
      const item = value(depth + 1);
      if (item === FAIL) return FAIL;
      entries.push([String(key), item]);
      space();
      if (text[at] === ',') at++;
      else if (text[at] !== '}') return FAIL;
    }
  };

  const value = (depth: number): unknown => {
    if (depth > DEEPEST) return FAIL;
    space();
    const char = text[at];
    if (char === '[') return sequence(']', depth);
    if (char === '(') return sequence(')', depth);
    if (char === '{') return dict(depth);
    if (char === "'" || char === '"') return string();
    const word = /^(?:True|False|None|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
      text.slice(at, at + 40),
    )?.[0];
    if (word === undefined) return FAIL;
    at += word.length;
    if (word === 'None') return null;
    if (word === 'True' || word === 'False') return word === 'True';
    const number = Number(word);
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? word : number;
  };

  const result = value(0);
  space();
  return result === FAIL || at !== text.length ? undefined : result;
}
