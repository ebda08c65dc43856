/** Texts that match a regular expression nearly to its end, which is what makes one slow. */

/** Characters that expressions tell apart. */
export const PALETTE = [...` aA09-.@<>\n\t"'\\()[]{}/:,;|*_=+&?!~#%$^é好\u00a0\u0301\u0000ÀÉñT`, '😀'];

type Node = (pick: (count: number) => number) => string;

/** A function that makes such a text; `pick` gives a whole number below `count`. */
export function sampler(source: string, flags: string): Node {
  const unicode = flags.replace(/[^iuv]/g, '');
  let at = 0;
  const charset = (text: string): Node => {
    const regex = new RegExp(`^${text}$`, `${unicode}s`);
    const fits = PALETTE.filter((char) => regex.test(char));
    return (pick) => fits[pick(fits.length)] ?? '';
  };
  const escaped = (): Node => {
    const [text = ''] =
      /^\\(?:p\{[^}]*\}|P\{[^}]*\}|u\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|k<[^>]*>|c.|.)/is.exec(
        source.slice(at),
      ) ?? [];
    at += text.length;
    return /^\\(?:[bB1-9]|k<)/.test(text) ? () => '' : charset(text);
  };
  const charClass = (): Node => {
    const from = at;
    let depth = 0;
    for (; at < source.length; at++) {
      if (source[at] === '\\') at++;
      else if (source[at] === '[' && (depth === 0 || flags.includes('v'))) depth++;
      else if (source[at] === ']' && --depth === 0) break;
    }
    return charset(source.slice(from, ++at));
  };
  const group = (): Node => {
    const [opening = ''] = /^\((?:\?(?:<[^=!][^>]*>|<?[:=!]))?/.exec(source.slice(at)) ?? [];
    at += opening.length;
    const inner = alternatives();
    at++;
    return /[=!]$/.test(opening) ? () => '' : inner;
  };
  const atom = (): Node => {
    const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
    if (char === '\\') return escaped();
    if (char === '[') return charClass();
    if (char === '(') return group();
    at += char.length;
    if (char === '.') return charset('[^]');
    return char === '^' || char === '$' ? () => '' : () => char;
  };
  const quantified = (): Node => {
    const inner = atom();
    const [text = '', sign, least = '', more, most = ''] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at)) ?? [];
    at += text.length;
    if (text === '') return inner;
    const low = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const high =
      sign === '?' ? 1 : most !== '' ? Number(most) : sign === undefined && more === '' ? low : low + 3;
    return (pick) =>
      Array.from({ length: low + pick(Math.min(high - low, 3) + 1) }, () => inner(pick)).join('');
  };
  const alternatives = (): Node => {
    const branches: Node[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++;
        branches.push([]);
      } else branches.at(-1)?.push(quantified());
    }
    return (pick) => (branches[pick(branches.length)] ?? []).map((node) => node(pick)).join('');
  };
  return alternatives();
}
