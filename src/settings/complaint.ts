/** One error of the settings with its place. All are shown at once. */

import { AppError } from '../domain/errors.ts';
import { codeFrame, type MarkedLine } from '../domain/frame.ts';

export interface Complaint {
  /** `helpdesk-import.yaml:12:5`; absent for a flag or a variable, which the sentence names. */
  readonly place?: string;
  /** A whole sentence. */
  readonly message: string;
  /** The line of the file, if any. */
  readonly marked?: MarkedLine;
}

/** The error for all complaints together: exit 2, nothing sent. */
export function configurationError(complaints: readonly Complaint[]): AppError {
  const message =
    complaints.length === 1
      ? 'The settings have an error.'
      : `The settings have ${complaints.length} errors.`;
  return new AppError('configuration', message, {
    lines: inOrder(complaints).map(complaintText),
    hint: 'Nothing was sent. Correct what is listed and run the same command again.',
  });
}

/** Errors of the file from top to bottom, then flags and variables. */
function inOrder(complaints: readonly Complaint[]): Complaint[] {
  const at = ({ place, marked }: Complaint) =>
    place === undefined
      ? Number.POSITIVE_INFINITY
      : marked === undefined
        ? 0
        : marked.line * 1e6 + marked.column;
  return complaints.toSorted((a, b) => (at(a) === at(b) ? 0 : at(a) - at(b)));
}

/** `place: message`, and the marked line below it. */
function complaintText(complaint: Complaint): string {
  const place = complaint.place === undefined ? '' : `${complaint.place}: `;
  const frame = complaint.marked === undefined ? '' : `\n${codeFrame(complaint.marked)}`;
  return `${place}${complaint.message}${frame}`;
}
