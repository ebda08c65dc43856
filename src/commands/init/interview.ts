/** The proposal made anew with each answer: what is asked next depends on what was said. */
import type { Flags } from '../../cli/context.ts';
import type { Inspection } from '../../discover/inspection.ts';
import { type ProposedSettings, proposeSettings } from '../../discover/propose-settings.ts';
import type { AnswerValue, Question } from '../../discover/questions.ts';
import { AppError } from '../../domain/errors.ts';
import type { StagedExport } from '../../source/open-export.ts';
import { textFlag } from '../open-files.ts';
import { type Ask, BACK } from './ask-terminal.ts';
import { chooseMapping, type FoundMapping } from './choose-mapping.ts';
import { type SurveyedNeeds, surveyNeeds } from './survey-needs.ts';

/** Where the interview is. */
export interface Interviewed {
  readonly found: FoundMapping;
  /** Undefined while the mapping itself is open. */
  readonly surveyed: SurveyedNeeds | undefined;
  /** The next one; undefined where nothing is open. */
  readonly question: Question | undefined;
}

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
  readonly #answers = new Map<string, AnswerValue>();
  /** Keys of the questions in the order of asking, and those that were left open. */
  readonly #asked: string[] = [];
  readonly #later = new Set<string>();
  #surveyed: { readonly of: string; readonly result: SurveyedNeeds } | undefined;

  constructor(options: InterviewOptions) {
    this.#options = options;
  }

  async next(): Promise<Interviewed> {
    const found = this.#found();
    const open = (questions: readonly Question[] = []) => questions.find(({ key }) => !this.#later.has(key));
    const question = open(found.proposal?.questions);
    if (question !== undefined) return { found, surveyed: undefined, question };
    const { surveyed, proposed } = await this.settled();
    return { found, surveyed, question: open(proposed.questions) };
  }

  /** Asks until nothing is open, shows what `look` does, and asks once whether it is right. */
  async askAll(ask: Ask, look: (surveyed: SurveyedNeeds) => void): Promise<void> {
    for (;;) {
      const { question, surveyed } = await this.next();
      if (question !== undefined) {
        this.#take(question, await ask(question, this.#asked.length > 0));
        continue;
      }
      if (surveyed === undefined || surveyed.conversations.length === 0) return;
      look(surveyed);
      const isRight = await ask(IS_RIGHT, this.#asked.length > 0);
      if (isRight === BACK) this.#take(IS_RIGHT, BACK);
      else if (isRight !== false || (await ask(WHAT_NOW, false)) !== 'again') return;
      else while (this.#asked.length > 0) this.#take(IS_RIGHT, BACK);
    }
  }

  #take({ key }: Question, answer: AnswerValue | undefined | typeof BACK): void {
    if (answer === BACK) {
      const before = this.#asked.pop() ?? '';
      this.#answers.delete(before);
      this.#later.delete(before);
      return;
    }
    this.#asked.push(key);
    if (answer === undefined) this.#later.add(key);
    else this.#answers.set(key, answer);
  }

  /** The settings by the answers until now. */
  async settled(): Promise<{ found: FoundMapping; surveyed: SurveyedNeeds; proposed: ProposedSettings }> {
    const found = this.#found();
    const surveyed = await this.#survey(found);
    const { inspection, flags, files } = this.#options;
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
    throw new AppError(
      'source',
      'None of these files looks like tickets: no table has a column with an ID.',
      { hint: 'See what is in them with helpdesk-import inspect, and name the files that hold tickets.' },
    );
  }

  async #survey(found: FoundMapping): Promise<SurveyedNeeds> {
    const of = JSON.stringify(found.proposal?.mapping ?? '');
    if (this.#surveyed?.of !== of)
      this.#surveyed = {
        of,
        result: await surveyNeeds(this.#options.opened, found.detection, this.#options),
      };
    return this.#surveyed.result;
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
