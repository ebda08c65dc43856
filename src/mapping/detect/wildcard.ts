/** Whether `*` (any characters) and `?` (one) of the pattern fit the whole text. The time is at most one length times the other. */
export function fitsWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let mark = 0;
  /** Where to go on when what follows the last star does not fit. */
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const sign = pattern[mark];
    if (sign === '*') {
      star = mark++;
      resume = at;
    } else if (sign !== undefined && (sign === '?' || sign === text[at])) {
      mark++;
      at++;
    } else if (star >= 0) {
      mark = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[mark] === '*') mark++;
  return mark === pattern.length;
}
