/** Usage events that the target has, page by page, where it offers to list them. */
import type { Fields } from '../app-api/answers.ts';
import type { AppApi, UsageEventQuery } from '../app-api/client.ts';

const PAGE_SIZE = 100;

/** At most `limit`, in the target's order. Throws ApiFailure `target-unreadable` where the target lists none. */
export async function listUsageEvents(
  api: Pick<AppApi, 'listUsageEvents'>,
  query: Pick<UsageEventQuery, 'customerId' | 'eventName'>,
  limit: number,
  signal: AbortSignal,
): Promise<Fields[]> {
  const events: Fields[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await api.listUsageEvents(
      {
        ...query,
        take: Math.min(PAGE_SIZE, limit - events.length),
        ...(cursor === undefined ? {} : { cursor }),
      },
      signal,
    );
    events.push(...page.events.slice(0, limit - events.length));
    cursor = page.cursor;
    // A service that does not know cursors answers with the same page for ever.
    if (cursor === undefined || seen.has(cursor) || page.events.length === 0) break;
    seen.add(cursor);
  } while (events.length < limit);
  return events;
}
