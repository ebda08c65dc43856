/** Commands, options and settings that went, each with a sentence on its replacement. */
const RETIRED: ReadonlyMap<string, string> = new Map([
  ...['links map', 'links plan', 'links apply', 'target.ticketUrl'].map(
    (name) =>
      [
        name,
        'Links in messages stay as exported; "helpdesk-import links" prints the old and the new ID of each ticket.',
      ] as const,
  ),
]);

/** `typed`: `links plan`, `init --propose` or `target.ticketUrl`. */
export function retired(typed: string): string | undefined {
  return RETIRED.get(typed);
}
