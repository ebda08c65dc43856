/** Questions of `init` on a terminal: one at a time, with a way back. */
import type { Readable } from 'node:stream';
import { isCancel, select, text } from '@clack/prompts';
import type { OutputStream } from '../../cli/context.ts';
import type { AnswerValue, Question } from '../../discover/questions.ts';
import { AppError } from '../../domain/errors.ts';
import { parsePeriod, parseTimeZone } from '../../settings/parsers.ts';

export const BACK = Symbol('back');

/** Answers one question; `undefined` leaves it open. Throws AppError `interrupted` when the person gives up. */
export type Ask = (question: Question, canGoBack: boolean) => Promise<AnswerValue | undefined | typeof BACK>;

const LATER = 'later';
const TO_BEFORE = 'back';

export function askOnTerminal(input: Readable, output: OutputStream, signal: AbortSignal): Ask {
  const streams = { input, output, signal };
  return async (question, canGoBack) => {
    const { question: message, choices, suggestion } = question;
    if (choices !== undefined) {
      const chosen = stopped<string>(
        await select({
          ...streams,
          message,
          options: [
            ...choices.map(({ label }, index) => ({ value: String(index), label })),
            { value: LATER, label: 'decide later', hint: 'marked TODO in the file' },
            ...(canGoBack ? [{ value: TO_BEFORE, label: 'back' }] : []),
          ],
        }),
      );
      if (chosen === TO_BEFORE) return BACK;
      return chosen === LATER ? undefined : choices[Number(chosen)]?.value;
    }
    const answer = stopped<string>(
      await text({
        ...streams,
        message: `${message} (Enter to decide later${canGoBack ? ', "back" to go back' : ''})`,
        placeholder: suggestion ?? '',
        validate: (value) => complaint(question, (value ?? '').trim()),
      }),
    ).trim();
    if (answer === TO_BEFORE && canGoBack) return BACK;
    return answer === '' ? undefined : answer;
  };
}

/** What is wrong with an answer; undefined when nothing is. An empty one leaves the question open. */
export function complaint({ kind }: Pick<Question, 'kind'>, answer: string): string | undefined {
  if (answer === '' || answer === TO_BEFORE) return undefined;
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
