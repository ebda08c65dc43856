/** What an event of a ticket's history says in words. Pure. */

/** The specification says `status_change`, deployed services `status_changed`. */
export function isStatusChange(type: string): boolean {
  return type === 'status_change' || type === 'status_changed';
}

/** `agent_assigned` is `agent assigned`. */
export function eventTypeWords(type: string): string {
  return type.replaceAll('_', ' ');
}

/** An old or new value. A value of one field is shown as that field, others as JSON. */
export function eventValueText(value: Readonly<Record<string, unknown>>): string {
  const fields = Object.values(value);
  const [only] = fields;
  return fields.length === 1 && typeof only !== 'object' ? String(only) : JSON.stringify(value);
}
