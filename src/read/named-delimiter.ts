/** The delimiter of a CSV as a person names it. */
import { AppError } from '../domain/errors.ts';

const NAMES: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
};

/** The character that an option names: itself, or `tab`, `comma`, `semicolon`, `pipe`. */
export function namedDelimiter(option: string): string {
  const delimiter = NAMES[option.toLowerCase()] ?? option;
  if (delimiter.length === 1 && delimiter.charCodeAt(0) < 128 && !'"\r\n'.includes(delimiter))
    return delimiter;
  throw new AppError('usage', `The delimiter ${JSON.stringify(option)} is not one character.`, {
    hint: 'Use , or ; or | or tab, or another character of ASCII that is not a quote.',
  });
}
