/** The proposal made anew with each answer: what is asked next depends on what was said. */

import type { Readable } from 'node:stream';
import { isCancel, select, text } from '@clack/prompts';
import type { Flags, OutputStream } from '../../cli/context.ts';
import type { Inspection } from '../../discover/inspection.ts';
import { type ProposedSettings, proposeSettings } from '../../discover/propose-settings.ts';
import type { AnswerValue, Question } from '../../discover/questions.ts';
import { AppError } from '../../domain/errors.ts';
import { parsePeriod, parseTimeZone } from '../../settings/parsers.ts';
import type { StagedExport } from '../../source/open-export.ts';
import { textFlag } from '../inspect.ts';
import { chooseMapping, type FoundMapping, type SurveyedNeeds, surveyNeeds } from './survey.ts';

export interface InterviewOptions {
  readonly inspection: Inspection;
  readonly opened: StagedExport;
  readonly flags: Flags;
  /** As they are written in the settings. */
  readonly files: readonly string[];
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly now: Date;
}

export class Interview {
  readonly #options: InterviewOptions;
  /** In the order of asking; without an answer a question was left open. */
  readonly #asked: { readonly key: string; readonly answer: AnswerValue | undefined }[] = [];
  #surveyed: { readonly of: string; readonly result: SurveyedNeeds } | undefined;

  constructor(options: InterviewOptions) {
    this.#options = options;
  }

  /** The next question, if one is open; `surveyed` is undefined while the mapping itself is open. */
  async next(): Promise<{ found: FoundMapping; surveyed?: SurveyedNeeds; question: Question | undefined }> {
    const found = this.#found();
    const open = (questions: readonly Question[] = []) =>
      questions.find(({ key }) => !this.#asked.some((asked) => asked.key === key));
    const question = open(found.proposal?.questions);
    if (question !== undefined) return { found, question };
    const { surveyed, proposed } = await this.settled();
    return { found, surveyed, question: open(proposed.questions) };
  }

  /** Asks until nothing is open, shows what `look` does, and asks once whether it is right. */
  async askAll(ask: Ask, look: (surveyed: SurveyedNeeds) => void): Promise<void> {
    for (;;) {
      const { question, surveyed } = await this.next();
      if (question === undefined) {
        if (surveyed === undefined || surveyed.conversations.length === 0) return;
        look(surveyed);
      }
      const answer = await ask(question ?? IS_RIGHT, this.#asked.length > 0);
      if (answer === BACK) this.#asked.pop();
      else if (question !== undefined) this.#asked.push({ key: question.key, answer });
      else if (answer !== false || (await ask(WHAT_NOW, false)) !== 'again') return;
      else this.#asked.length = 0;
    }
  }

  get #answers(): Map<string, AnswerValue> {
    return new Map(this.#asked.flatMap(({ key, answer }) => (answer === undefined ? [] : [[key, answer]])));
  }

  /** The settings by the answers until now. */
  async settled(): Promise<{ found: FoundMapping; surveyed: SurveyedNeeds; proposed: ProposedSettings }> {
    const { inspection, opened, flags, files } = this.#options;
    const found = this.#found();
    const of = JSON.stringify(found.proposal?.mapping ?? '');
    if (this.#surveyed?.of !== of)
      this.#surveyed = { of, result: await surveyNeeds(opened, found.detection, this.#options) };
    const surveyed = this.#surveyed.result;
    const columns = inspection.tables.flatMap((table) => table.columns);
    const openDates = columns.find(({ dayOrder }) => dayOrder === 'open')?.examples[0] ?? '03/04/2025';
    const proposed = proposeSettings({
      files,
      layout: found.detection.layout,
      proposal: found.proposal,
      needs: surveyed.needs,
      unread: found.proposal === undefined ? surveyed.unread : [],
      openDates: surveyed.openDayOrder ? openDates : undefined,
      encoding: textFlag(flags, 'encoding'),
      delimiter: textFlag(flags, 'delimiter'),
      answers: this.#answers,
    });
    return { found, surveyed, proposed };
  }

  #found(): FoundMapping {
    const { inspection, opened, flags } = this.#options;
    const found = chooseMapping(inspection, opened, flags, this.#answers);
    if (found !== undefined) return found;
    throw new AppError('source', 'No file looks like tickets: no table has a column with an ID.', {
      hint: 'See what is in them with helpdesk-import inspect, and name the files that hold tickets.',
    });
  }
}

const IS_RIGHT: Question = {
  key: 'look',
  path: [],
  concept: 'conversations',
  question: 'This is how these tickets will look. Is that correct?',
  choices: [
    { value: true, label: 'yes' },
    { value: false, label: 'no' },
  ],
  kind: 'choice',
  rank: 99,
};
const WHAT_NOW: Question = {
  ...IS_RIGHT,
  key: 'wrong',
  question: 'What should happen?',
  choices: [
    { value: 'again', label: 'ask me again' },
    { value: 'write', label: 'write the settings, and I correct the mapping in the file' },
  ],
};

const BACK = Symbol('back');

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

/** The answer. Throws AppError `interrupted` after Ctrl-C. */
function stopped<T extends string>(answer: T | symbol): T {
  if (typeof answer === 'symbol' || isCancel(answer))
    throw new AppError('interrupted', 'Cancelled. Nothing was written.');
  return answer;
}
