/** How a call to the app API that did not succeed is told. The rest of the words are those of the Core API's failures. */

import { AppError } from '../../domain/errors.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import { errorBody } from '../core-api/error-body.ts';
import { failureOf } from '../core-api/failures.ts';
import type { Ending } from '../core-api/retry.ts';

export interface AppFailureContext {
  readonly kind: 'put' | 'read';
  /** What was sent or asked for, e.g. `the customer shop-1`. */
  readonly what: string;
  readonly secrets: readonly string[];
}

/** A 401 or 403 is about the app's key, whatever was asked for: of the whole run. */
export function appFailureOf(ending: Ending, context: AppFailureContext): ApiFailure {
  const { reply } = ending;
  const status = reply.type === 'answer' ? reply.status : undefined;
  if (reply.type !== 'answer' || (status !== 401 && status !== 403)) return failureOf(ending, context);
  const { detail } = errorBody(reply, context.secrets);
  const said = detail === undefined ? String(status) : `${status}: ${detail}`;
  const message =
    status === 401
      ? `The app API refuses the key (${said}); check HELPDESK_APP_ID and HELPDESK_APP_KEY, and the names of their headers.`
      : `The key may not be used for ${context.what} (${said}); use one that may.`;
  return new ApiFailure('auth', 'none', message, {
    status,
    detail,
  });
}

/** What stops a run, as the exception that does it; undefined for a failure that is about one request only. */
export function stopOf(failure: ApiFailure): AppError | undefined {
  if (failure.code === 'auth')
    return new AppError('auth', failure.message, {
      hint: 'Set HELPDESK_APP_ID and HELPDESK_APP_KEY, then run the same command again.',
      cause: failure,
    });
  if (failure.code === 'unreachable')
    return new AppError('unreachable', failure.message, {
      hint: `Check HELPDESK_APP_URL and ${failure.status === undefined ? 'the network' : 'the paths under appApi in the settings file'}, then run the same command again: it goes on where it stopped.`,
      cause: failure,
    });
  return undefined;
}

/** For commands that ask one thing: whatever failed is what stops them. */
export function asAppError(failure: ApiFailure): AppError {
  return (
    stopOf(failure) ??
    new AppError('unreachable', failure.message, {
      hint: 'Check HELPDESK_APP_URL and the paths under appApi in the settings file.',
      cause: failure,
    })
  );
}
