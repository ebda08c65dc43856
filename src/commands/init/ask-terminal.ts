/** Questions of `init` on a terminal. */
import type { Readable } from 'node:stream';
import { isCancel, select, text } from '@clack/prompts';
import type { OutputStream } from '../../cli/context.ts';
import type { Answer, Decision } from '../../discover/propose/proposal.ts';
import { AppError } from '../../domain/errors.ts';
import { parsePeriod, parseTimeZone } from '../../settings/parsers.ts';

/** Answers one question; an answer without a value leaves it open. Throws AppError `interrupted` when the person gives up. */
export type Ask = (decision: Decision) => Promise<Answer['value']>;

const LATER = 'later';

export function askOnTerminal(input: Readable, output: OutputStream, signal: AbortSignal): Ask {
  const streams = { input, output, signal };
  return async (decision) => {
    const { question, choices, suggestion, mustBeAnswered } = decision;
    if (choices !== undefined) {
      const options = choices.map(({ label }, index) => ({ value: String(index), label }));
      const chosen = stopped<string>(
        await select({
          ...streams,
          message: question,
          options: [
            ...options,
            ...(mustBeAnswered === true
              ? []
              : [{ value: LATER, label: 'leave it open', hint: 'marked TODO in the file' }]),
          ],
        }),
      );
      return chosen === LATER ? undefined : choices[Number(chosen)]?.value;
    }
    const answer = stopped<string>(
      await text({
        ...streams,
        message: `${question} (empty: leave it open)`,
        placeholder: suggestion ?? '',
        validate: (value) => complaint(decision, (value ?? '').trim()),
      }),
    ).trim();
    return answer === '' ? undefined : answer;
  };
}

/** What is wrong with an answer; undefined when nothing is. An empty one leaves the question open. */
export function complaint({ kind }: Pick<Decision, 'kind'>, answer: string): string | undefined {
  if (answer === '') return undefined;
  if (kind === 'zone') return problemOf(parseTimeZone(answer));
  if (kind === 'time') return problemOf(parsePeriod(answer, undefined));
  if (kind === 'domain' && !/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i.test(answer))
    return 'It must be a domain such as customers.example.com.';
  return undefined;
}

function problemOf(parsed: { readonly problem: string } | { readonly value: unknown }): string | undefined {
  return 'problem' in parsed
    ? `It ${/[.?]$/.test(parsed.problem) ? parsed.problem : `${parsed.problem}.`}`
    : undefined;
}

/** The answer; Ctrl-C gives none. */
function stopped<T extends string>(answer: T | symbol): T {
  if (typeof answer === 'symbol' || isCancel(answer))
    throw new AppError('interrupted', 'Cancelled. Nothing was written.');
  return answer;
}
