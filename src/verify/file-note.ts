/** `files.missing: note`. */
import type { ContentType } from '../domain/payload.ts';
import { escapedHtml } from '../domain/printable.ts';

const SAYS = 'File not imported: ';

export function withFileNote(
  content: string,
  contentType: ContentType | undefined,
  names: readonly string[],
): string {
  const lines = names.map((name) => `${SAYS}${name}`);
  if (contentType === 'html')
    return `${content}${lines.map((line) => `<p>[${escapedHtml(line)}]</p>`).join('')}`;
  if (contentType === 'markdown')
    return `${content}\n\n${lines.map((line) => `\\[${line.replace(/[\\`*_[\]<>]/g, '\\$&')}\\]`).join('\n\n')}`;
  return `${content}\n\n${lines.map((line) => `[${line}]`).join('\n')}`;
}

const MARK = /(?:\n\n|<p>)?\\?\[File not imported: /;

/** The note depends on the settings of its run. */
export function withoutFileNote(content: string): string {
  if (!content.includes(SAYS)) return content;
  const { index } = MARK.exec(content) ?? {};
  const note = index === undefined ? '' : content.slice(index);
  return /\](?:<\/p>)?\s*$/.test(note) ? content.slice(0, index) : content;
}
