import { type Flags, textFlag } from '../../cli/context.ts';
import {
  type Choices,
  changeOf,
  columnOf,
  type Field,
  type Preferred,
  type Source,
  SPECS,
  specOf,
} from '../../discover/fields.ts';
import type { Inspection } from '../../discover/inspection.ts';
import { knownMapping, type TableOf } from '../../discover/known-layout.ts';
import { mappingOf } from '../../discover/mapping-of.ts';
import { isText } from '../../discover/names.ts';
import type { Column } from '../../discover/profile.ts';
import { type Fields, proposed } from '../../discover/proposed.ts';
import {
  editedChoices,
  ignoredBy,
  type ProposedSettings,
  proposeSettings,
  shownFields,
} from '../../discover/settings-of.ts';
import { changesIn, settingsText } from '../../discover/settings-text.ts';
import { merged, setAt, type Tree } from '../../discover/trees.ts';
import { type AgentOffer, agentOffers } from '../../domain/decisions.ts';
import { AppError } from '../../domain/errors.ts';
import { plainHeader } from '../../domain/source.ts';
import { stop } from '../../domain/text/stops.ts';
import type { Snapshot } from '../../domain/ticket-api.ts';
import type { Detection } from '../../mapping/detect/detect.ts';
import { settingIn } from '../../settings/resolve-settings.ts';
import { configurationError } from '../../settings/sentences.ts';
import { readYaml } from '../../settings/yaml-text.ts';
import type { StagedExport } from '../../source/open-export.ts';
import { detectionOf, knownLayout, type Surveyed, survey } from './survey.ts';

export interface EditorOptions {
  readonly inspection: Inspection;
  readonly opened: StagedExport;
  readonly flags: Flags;
  /** The encoding of files that are not UTF-8, by their bytes. */
  readonly guessed?: string | undefined;
  readonly files: readonly string[];
  /** Agents of the helpdesk, if it was asked. */
  readonly team?: readonly Snapshot[];
  readonly signal: AbortSignal;
}

export interface View {
  readonly fields: Fields | undefined;
  readonly detection: Detection;
  readonly shown: readonly Field[];
  /** Texts that a known layout does not read. */
  readonly unread: readonly Column[];
  readonly surveyed: Surveyed;
  readonly settings: ProposedSettings;
  readonly offers: readonly AgentOffer[];
}

export class Editor {
  readonly #options: EditorOptions;
  readonly #known: Detection | undefined;
  #choices: Choices = new Map();
  #settings: readonly NonNullable<ReturnType<typeof settingIn>>[] = [];
  readonly #before: (readonly [Choices, Editor['settings']])[] = [];
  readonly #typed: string[] = [];
  /** The mapping of settings that are edited, and what the table makes of them. */
  #own: { readonly mapping: Tree; readonly read: Tree } | undefined;
  #resumed: { readonly text: string; readonly proposed: ProposedSettings } | undefined;
  readonly looked = new Set<string>();
  skip = 0;

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#known = knownLayout(options.inspection, options.flags);
    const encoding = textFlag(options.flags, 'encoding');
    if (encoding !== undefined)
      this.#choices = new Map([['source.encoding', { kind: 'fixed', value: encoding }]]);
  }

  get settings() {
    return this.#settings;
  }

  get tables(): Inspection['tables'] {
    return this.#options.inspection.tables;
  }

  get typed(): readonly string[] {
    return this.#typed;
  }

  /** Goes on from the text of settings and the changes that made them. */
  async resume(text: string): Promise<void> {
    const { value, complaints } = readYaml(text, 'the settings file');
    if (complaints.length > 0) throw configurationError(complaints);
    const settings = (value ?? {}) as Tree;
    try {
      for (const change of changesIn(text)) this.change(change);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw stop('settings-of-other-files', { why: error.message });
    }
    this.#before.length = 0;
    this.looked.clear();
    const { choices, decided } = editedChoices(settings, this.#of(this.#choices));
    for (const key of decided) this.looked.add(key);
    this.#choices = choices;
    this.#own = { mapping: (settings['mapping'] ?? {}) as Tree, read: this.#mapping(choices) };
    this.#resumed = { text, proposed: (await this.view()).settings };
  }

  text({ settings }: View, schema: string, about: readonly string[]): string {
    return settingsText({ proposed: settings, schema, about, changes: this.#typed, before: this.#resumed });
  }

  change(text: string): void {
    const setting = settingIn(text);
    if (setting !== undefined && !isFieldKey(text)) {
      this.#before.push([this.#choices, this.#settings]);
      this.#settings = [...this.#settings, setting];
      this.#typed.push(text);
      return;
    }
    const [key, source] = changeOf(text, this.tables, this.#preferred());
    this.set(key, source, text);
  }

  set(key: string, source: Source, text: string): void {
    const { guessed, flags } = this.#options;
    const encoding = textFlag(flags, 'encoding') ?? guessed ?? 'utf-8';
    if (key === 'source.encoding' && source.kind === 'fixed' && source.value !== encoding)
      throw stop('other-encoding', { encoding, value: source.value });
    specOf(key.split(':')[0] ?? key);
    const before = this.#choices.get(key);
    const next = new Map(this.#choices);
    next.delete(key);
    const isMore = key === 'ignore' && before?.kind === 'fixed' && source.kind === 'fixed';
    next.set(key, isMore ? { kind: 'fixed', value: `${before.value}\n${source.value}` } : source);
    this.#mapping(next);
    this.#before.push([this.#choices, this.#settings]);
    this.#choices = next;
    this.#typed.push(text);
    this.looked.add(key.split(':')[0] ?? key);
  }

  undo(): boolean {
    const before = this.#before.pop();
    if (before === undefined) return false;
    [this.#choices, this.#settings] = before;
    this.#typed.pop();
    return true;
  }

  /** `most`: tickets that are mapped, where a look is enough. */
  async view(most?: number): Promise<View> {
    const { opened, files, flags, guessed } = this.#options;
    const mapping = this.#mapping(this.#choices);
    const detection =
      this.#known !== undefined && Object.keys(mapping).length === 1
        ? this.#known
        : detectionOf(mapping, opened);
    const fixed = (key: string) => {
      const source = this.#choices.get(key);
      return source?.kind === 'fixed' ? source.value : undefined;
    };
    const surveyed = await survey(opened, detection, {
      ...{ ...this.#options, skip: this.skip, most },
      domain: fixed('customersWithoutEmail.synthesize'),
      zone: fixed('source.timezone'),
      agents: Object.fromEntries(
        this.#settings.flatMap(({ path: [name, agent = ''], value }) =>
          name === 'agents' ? [[agent, String(value)]] : [],
        ),
      ),
    });
    const columns = this.tables.flatMap((table) => table.columns);
    const openDates = columns.find(({ dayOrder }) => dayOrder === 'open')?.examples[0] ?? '03/04/2025';
    const of = this.#of(this.#choices);
    const doubts = {
      customers: surveyed.customers,
      dates: surveyed.openDayOrder ? openDates : undefined,
      encoding: guessed === undefined ? undefined : { name: guessed, ...foreignWords(this.tables) },
    };
    const shown = shownFields(of, surveyed.needs, doubts).map(({ mark, ...field }): Field => {
      const isOpen = [...(field.words?.values() ?? [])].includes(undefined);
      return mark === undefined || (this.looked.has(field.key) && !isOpen) ? field : { ...field, mark };
    });
    const delimiter = textFlag(flags, 'delimiter');
    const given = delimiter === undefined ? {} : { delimiter };
    const offers = agentOffers(surveyed.needs.account.agents, this.#options.team ?? []);
    const settings = proposeSettings({ ...of, files, needs: surveyed.needs, shown, given, offers });
    for (const { path, value } of this.#settings)
      if (value !== undefined) setAt(settings.settings as Record<string, unknown>, path, value);
    const read = shown.map(({ source }) => columnOf(this.tables, source));
    const isUnread = (column: Column) =>
      isText(column) &&
      column.average >= 30 &&
      !read.includes(column) &&
      detection.unknown.includes(plainHeader(column.name));
    const unread = of.known === undefined ? [] : columns.filter(isUnread);
    return { fields: of.fields, detection, shown, unread, surveyed, settings, offers };
  }

  #of(choices: Choices): TableOf {
    const { tables } = this;
    return this.#known === undefined
      ? { fields: proposed(this.#options.inspection, choices), known: undefined, tables, choices }
      : { fields: undefined, known: this.#known, tables, choices };
  }

  /** As the preview reads it: what is open is read as it is guessed. */
  #mapping(choices: Choices): Tree {
    const source = choices.get('otherAuthors');
    const of = this.#of(choices);
    const ignore = ignoredBy(of);
    const others = {
      ...(source?.kind === 'fixed' ? { otherAuthors: source.value } : {}),
      ...(ignore.length > 0 && { ignore }),
    };
    const now = {
      ...(of.known !== undefined
        ? { extends: of.known.layout.name, ...knownMapping(of) }
        : mappingOf(of.fields)),
      ...others,
    };
    return this.#own === undefined ? now : (merged(this.#own.mapping, this.#own.read, now) as Tree);
  }

  /** Columns are looked up here first. */
  #preferred(): Preferred {
    if (this.#known !== undefined) {
      const [root] = this.#known.tables;
      return {
        ticket: Math.max(
          0,
          this.tables.findIndex(({ file }) => file === root?.files[0]),
        ),
      };
    }
    const { tickets, thread, people } = proposed(this.#options.inspection, this.#choices);
    return {
      ticket: tickets.id,
      message: (thread?.table ?? tickets).id,
      ...(people === undefined ? {} : { person: people.id }),
    };
  }
}

const isFieldKey = (text: string) => Object.hasOwn(SPECS, text.split(/[:=]/)[0]?.trim() ?? '');

/** Words that show whether the encoding is right; it is, if they have letters of Western languages alone. */
function foreignWords(tables: Inspection['tables']): { readonly shows: string; readonly isSure: boolean } {
  const texts = tables.flatMap(({ columns }) => columns.flatMap(({ name, examples }) => [name, ...examples]));
  const isWestern = (word: string) => /^[\0-~äöüßéèêëàâçîïôûùœáíóúñãõìòåøæ]+$/iu.test(word);
  const words = [...new Set(texts.flatMap((text) => text.match(/[\p{L}\p{M}]+/gu) ?? []))].filter((word) =>
    /[^\0-~]/.test(word),
  );
  return { shows: words.slice(0, 4).join(', '), isSure: words.length > 0 && words.every(isWestern) };
}
