/** Small exports in `cases`, and what becomes of each: its whole thread, and the values and problems it is about. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { MappingSettings } from '../../src/mapping/compile/compile-layout.ts';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { requireExpectation, rowsOf } from '../support/rows.ts';
import { layoutFrom, mapExport, namedLayout, payloads, textOf } from './support/map-export.ts';

/** What a file of cases gives to each of them, and what a case says for itself. */
interface Given {
  /** A built-in one; all of them, if there are no rules either. */
  readonly layout?: string;
  readonly rules?: object;
  /** `null` takes out what the file gives. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, unknown>>;
}

interface Case extends Given {
  readonly name: string;
  /** Ticket, role, name and address, audience, text of each message. */
  readonly messages?: readonly string[];
  /** Some of the values of each ticket. */
  readonly tickets?: readonly object[];
  /** By code: a part of its message, or all messages. */
  readonly says?: Readonly<Record<string, string | readonly string[]>>;
  readonly silent?: readonly string[];
  /** By the codes of losses, without columns and values. */
  readonly lost?: Readonly<Record<string, number>>;
  /** The export is not mapped at all. */
  readonly refused?: { readonly code: string; readonly message?: string; readonly hint?: string };
}

const folder = join(import.meta.dirname, 'cases');

function layoutOf({ layout }: Given, rules: object) {
  if (Object.keys(rules).length > 0) return layoutFrom(stringify({ name: 'test', title: 'Test', ...rules }));
  return layout === undefined ? builtinLayouts() : namedLayout(layout);
}

function told(id: string, value: Readonly<Record<string, unknown>>): string {
  const { email, name } = (value['contact'] ?? {}) as Readonly<Record<string, string>>;
  const address = name === undefined ? email : `${name} <${email}>`;
  const who = email === undefined ? (value['agentId'] ?? name) : address;
  const audience = value['isInternal'] === true ? 'internal' : 'public';
  const parts = [id, value['actorType'] ?? 'unknown', who, audience].filter((part) => part !== undefined);
  return `${parts.join(' ')}: ${value['content']}`;
}

describe.each(readdirSync(folder))('%s', (file) => {
  const { given, cases } = rowsOf<{ given: Given; cases: readonly Case[] }>(folder, file);

  it.each(cases)('$name', async (of) => {
    requireExpectation(of, 'layout rules settings files', 'messages tickets says silent lost refused');
    const settings = Object.entries({ ...given.settings, ...of.settings }).filter(
      ([, value]) => value !== null,
    );
    const files = Object.entries({ ...given.files, ...of.files });
    const work = mapExport(
      Object.fromEntries(files.map(([name, content]) => [name, textOf(name, content)])),
      layoutOf({ ...given, ...of }, { ...given.rules, ...of.rules }),
      Object.fromEntries(settings) as Partial<MappingSettings>,
    );
    if (of.refused !== undefined) {
      const { hint = '', ...error } = of.refused;
      return await expect(work).rejects.toMatchObject({ ...error, hint: expect.stringContaining(hint) });
    }
    const { tickets, mapper } = await work;
    const problems = [...tickets.flatMap((ticket) => ticket.problems), ...mapper.problems()];
    const lost = mapper
      .account()
      .entries.filter(({ kind }) => !/^(?:kept|columns|values|authors)$/.test(kind));
    if (of.messages !== undefined)
      expect(
        tickets.flatMap(({ externalId, messages }) => messages.map(({ value }) => told(externalId, value))),
      ).toEqual(of.messages);
    if (of.tickets !== undefined)
      expect(tickets.map((of) => ({ ...payloads(of), unmapped: of.unmapped }))).toMatchObject(of.tickets);
    for (const [code, said] of Object.entries(of.says ?? {})) {
      const all = problems.filter((one) => one.code === code).map(({ message }) => message);
      expect([...new Set(all)]).toEqual(typeof said === 'string' ? [expect.stringContaining(said)] : said);
    }
    expect(problems.filter(({ code }) => of.silent?.includes(code))).toEqual([]);
    if (of.lost !== undefined)
      expect(Object.fromEntries(lost.map(({ kind, count }) => [kind, count]))).toEqual(of.lost);
  });
});
