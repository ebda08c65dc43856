import { Writable } from 'node:stream';
import { createStyle, type Style } from '../../../src/view/terminal/style.ts';

/** A stream that remembers what was written to it. */
export interface Sink extends Writable {
  readonly isTTY?: boolean;
  columns?: number;
  text(): string;
}

export function createSink(isTTY: boolean, columns?: number): Sink {
  let written = '';
  const stream = new Writable({
    write(chunk, _, done) {
      written += String(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => written, isTTY, ...(columns === undefined ? {} : { columns }) });
}

/** A style for tests: no colours unless asked for. */
export function testStyle(width: number, options: { color?: boolean; ascii?: boolean } = {}): Style {
  return createStyle({
    stream: { isTTY: true, columns: width },
    env: {
      ...(options.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
      ...(options.ascii ? { LC_ALL: 'C' } : {}),
    },
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const TOKENS = /\u001b\[K|\r|\n|[^\r\n\u001b]+|\u001b\[[\d;]*m/g;

/** What a terminal shows after these bytes: carriage returns overwrite, `ESC [ K` erases to the end of the line. */
export function screenOf(bytes: string): string[] {
  const rows = [''];
  let column = 0;
  for (const token of bytes.matchAll(TOKENS)) {
    const [text] = token;
    const row = rows.at(-1) ?? '';
    if (text === '\n') {
      rows.push('');
      column = 0;
    } else if (text === '\r') column = 0;
    else if (text === '\u001b[K') rows[rows.length - 1] = row.slice(0, column);
    else if (!text.startsWith('\u001b')) {
      rows[rows.length - 1] = row.slice(0, column).padEnd(column) + text + row.slice(column + text.length);
      column += text.length;
    }
  }
  return rows;
}
