/**
 * What is wrong with a text that is not JSON, and where. Only asked once parsing has failed: the parser's own message
 * quotes the data and often names no place. RFC 8259, without recursion.
 */
export interface SyntaxProblem {
  /** Index of the first character that cannot stand there; the length of the text where it ends too early. */
  readonly index: number;
  /** A clause: `a comma or } is missing`. */
  readonly what: string;
  /** A value is complete, and more stands behind it. */
  readonly isBehind?: true;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** What may stand next. `first…`: or the bracket that closes an empty structure. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'separator';

/** Undefined when the text is one JSON value. */
export function syntaxProblem(text: string): SyntaxProblem | undefined {
  const closers: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  let at = skip(SPACE, text, 0);
  const problem = (what: string, index = at): SyntaxProblem => ({
    index,
    what: index >= text.length ? 'it ends in the middle' : what,
  });
  for (; ; at = skip(SPACE, text, at)) {
    const character = text[at];
    const closer = closers.at(-1);
    if (expected === 'separator') {
      if (closer === undefined)
        return at >= text.length
          ? undefined
          : { ...problem('something stands behind its end'), isBehind: true };
      if (character !== closer && character !== ',') return problem(`a comma or ${closer} is missing`);
      at++;
      if (character === closer) closers.pop();
      else expected = closer === '}' ? 'key' : 'value';
      continue;
    }
    if ((expected === 'firstKey' || expected === 'firstValue') && character === closer) {
      at++;
      closers.pop();
      expected = 'separator';
      continue;
    }
    if (expected === 'key' || expected === 'firstKey') {
      if (character !== '"') return problem('a key in double quotes is expected');
      const end = stringEnd(text, at);
      if (end < 0) return problem(STRING_PROBLEM, -end - 1);
      at = skip(SPACE, text, end);
      if (text[at] !== ':') return problem('a colon is missing behind a key');
      at++;
      expected = 'value';
      continue;
    }
    if (character === '{' || character === '[') {
      at++;
      closers.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'firstKey' : 'firstValue';
      continue;
    }
    const end = character === '"' ? stringEnd(text, at) : skip(SCALAR, text, at);
    if (end < 0) return problem(STRING_PROBLEM, -end - 1);
    if (end === at) return problem('a value is expected');
    at = end;
    expected = 'separator';
  }
}

const STRING_PROBLEM = 'a string has a control character or an unknown escape in it';

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Index behind the closing quote; -(index + 1) of the character that cannot stand in a string. */
function stringEnd(text: string, open: number): number {
  for (let at = open + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92) {
      const end = skip(ESCAPE, text, at);
      if (end === at) return -at - 1;
      at = end - 1;
    } else if (!(code >= 32)) {
      // A control character, or NaN behind the end of the text.
      return -at - 1;
    }
  }
}
