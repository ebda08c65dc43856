/** The records of JSONL and of JSON documents, from their text to the stage. */
import { AppError } from '../domain/errors.ts';
import { defectSentence, parseRecord, type SplitValue, splitDocuments } from './json.ts';
import { collectionsOf, Sample } from './outline.ts';
import { pathName } from './stage.ts';
import type { FileToStage, Stager } from './stage-csv.ts';
import { jsonFile } from './staged-file.ts';

export function jsonStager(source: FileToStage): Stager {
  const { stage, file, maxLength } = source;
  const isLines = file.format === 'jsonl';
  const splitter = isLines ? new LineSplitter(maxLength) : new DocumentSplitter(source);
  const documents = new Sample();
  const lists = new Map<string, { readonly path: readonly string[]; readonly sample: Sample }>();
  let first: SplitValue | undefined;
  return {
    take: (part, isLast) => {
      const found = splitter.take(part, isLast);
      first ??= found[0];
      for (const value of found) {
        const { path, text, line, column, error, isIndented } = value;
        source.look(line, text);
        const name = pathName(path);
        const raw = error !== undefined ? '' : isIndented === true ? 1 : null;
        const defect = errorOf(value, isLines) ?? null;
        stage.add({ file: file.id, path: name, line, column, text, raw, error: defect });
        if (error !== undefined) continue;
        if (path !== undefined && !lists.has(name)) lists.set(name, { path, sample: new Sample() });
        (lists.get(name)?.sample ?? documents).add(text);
      }
      return found.length;
    },
    file: (bytes) => {
      const collections = collectionsOf(documents.texts(), lists);
      const isUnreadable = collections.length === 0 && first !== undefined;
      const why = isUnreadable && first !== undefined ? whyNoRecord(first, isLines) : undefined;
      return jsonFile(stage, { ...file, bytes }, collections, why);
    },
  };
}

function whyNoRecord(value: SplitValue, isLine: boolean): string {
  const defect = value.error ?? defectOf(value, isLine) ?? 'It has no fields.';
  return isLine && value.error === undefined ? `Line ${value.line}: ${defect}` : defect;
}

/** Lists of a line are records only where a table says so; the line itself is none then. */
function errorOf(value: SplitValue, isLines: boolean): string | undefined {
  if (value.error !== undefined) return value.error;
  const isDocument = value.path === undefined && !isLines;
  return isDocument ? undefined : defectOf(value, isLines);
}

function defectOf({ text, line, column }: SplitValue, isLine: boolean): string | undefined {
  const parsed = parseRecord(text);
  return 'object' in parsed ? undefined : defectSentence(parsed, text, { line, column, isLine });
}

/** A document is read as a whole. */
class DocumentSplitter {
  readonly #source: FileToStage;
  readonly #parts: string[] = [];
  #length = 0;

  constructor(source: FileToStage) {
    this.#source = source;
  }

  take(part: string, isLast: boolean): SplitValue[] {
    const { file, maxDocument, maxLength } = this.#source;
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > maxDocument)
      throw new AppError(
        'source',
        `${file.name} is a JSON document of more than ${maxDocument / 2 ** 20} MiB.`,
        {
          hint: `Make it JSONL, which may be of any size: jq -c '.tickets[]' ${file.name} > tickets.jsonl (or '.[]' for a list), and name that file.`,
        },
      );
    return isLast ? splitDocuments(this.#parts.join(''), maxLength) : [];
  }
}

const SHOWN = 256 * 1024;

/** The lines of JSONL, without blank ones. */
class LineSplitter {
  readonly #maxLength: number;
  #text = '';
  #line = 0;
  /** The rest of a line that is too long is passed over. */
  #isSkipping = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  take(part: string, isLast: boolean): SplitValue[] {
    const lines = (this.#text + part).split('\n');
    this.#text = isLast ? '' : (lines.pop() ?? '');
    const found = lines.flatMap((line) => this.#value(line));
    if (this.#text.length > this.#maxLength) {
      if (!this.#isSkipping) found.push(tooLong(this.#text, this.#line + 1));
      this.#isSkipping = true;
      this.#text = '';
    }
    return found;
  }

  #value(text: string): SplitValue[] {
    const line = ++this.#line;
    const isSkipped = this.#isSkipping;
    this.#isSkipping = false;
    if (isSkipped || text.trim() === '') return [];
    if (text.length > this.#maxLength) return [tooLong(text, line)];
    return [{ path: undefined, text: text.replace(/\r$/, ''), line, column: 0 }];
  }
}

function tooLong(text: string, line: number): SplitValue {
  const error = 'The line is too long to be read.';
  return { path: undefined, text: text.slice(0, SHOWN), line, column: 0, error };
}
