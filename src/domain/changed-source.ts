import { AppError } from './errors.ts';

/** An export that is not what it was when it was opened: whoever notices it ends the run before anything wrong is sent. */
export function changedSource(names: readonly string[]): AppError {
  const [first = 'The export', ...others] = names;
  const more = others.length === 0 ? '' : ` and ${others.length === 1 ? others[0] : `${others.length} more`}`;
  return new AppError('source', `${first}${more} changed while the run was reading.`, {
    hint: 'Wait until nothing writes to the export any more, and run the same command again. What was sent until then is right, and is not sent again.',
  });
}
