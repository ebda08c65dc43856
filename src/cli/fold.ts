/** Breaks the lines of a help text to the width of the terminal; the second column of a line keeps its place. */
export function fold(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : foldLine(line, width)))
    .join('\n');
}

const LEAST_ROOM = 24;

function foldLine(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const gap = /\S {2,}(?=\S)/.exec(line);
  const at = gap === null ? line.length : gap.index + gap[0].length;
  const [first, second] = [line.slice(0, at), line.slice(at)];
  const hasColumns = second !== '' && !second.includes('  ');
  if (!hasColumns) return filled(line.slice(indent.length), indent, indent, width);
  if (width - first.length >= LEAST_ROOM) return filled(second, first, ' '.repeat(first.length), width);
  const below = `${indent}    `;
  return [first.trimEnd(), ...filled(second, below, below, width)];
}

/** Words in lines; two spaces between words stay. */
function filled(text: string, lead: string, margin: string, width: number): string[] {
  const lines: string[] = [];
  let line = lead;
  let gap = '';
  for (const [, word = '', after = ''] of text.matchAll(/(\S+)(\s*)/g)) {
    if (gap !== '' && line.length + gap.length + word.length > width) {
      lines.push(line);
      line = margin + word;
    } else line += gap + word;
    gap = after;
  }
  return [...lines, line];
}
