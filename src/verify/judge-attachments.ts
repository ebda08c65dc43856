/** Whether the files of one ticket can be opened, from what was found out about their addresses. Pure. */
import { type Check, plural } from './check.ts';
import type { ProbeResult } from './probe-result.ts';

export function judgeAttachments(
  urls: readonly string[],
  probed: ReadonlyMap<string, ProbeResult>,
): Check | undefined {
  const name = 'attachment accessibility';
  const results = [...new Set(urls)].flatMap((url) => probed.get(url) ?? []);
  if (results.length === 0) return undefined;
  const asked = results.filter((result) => result.outcome !== 'not-checked');
  const failed = asked.filter((result) => result.outcome !== 'reachable');
  const left = results.length - asked.length;
  if (failed.length > 0) {
    const first = failed[0]?.detail ?? '';
    const others = failed.length > 1 ? ` And ${failed.length - 1} more of ${results.length}.` : '';
    return { name, ok: false, detail: `${first}${others}` };
  }
  const rest = left > 0 ? ` ${left} more ${left === 1 ? 'was' : 'were'} not asked for.` : '';
  return { name, ok: true, detail: `${plural(asked.length, 'attachment')} can be opened.${rest}` };
}
