/** What a person who knows the export answers to the questions of `init`. */
import { openPaths, TODO } from '../../src/discover/propose/proposal.ts';
import { yesOrNo } from '../../src/discover/propose/propose-values.ts';
import type { Choices } from './choices.ts';
import type { Truth } from './truth.ts';
import type { TimeStyle } from './values.ts';
import { priorityMeant, statusMeant } from './values.ts';

type Path = readonly (string | number)[];

export const FALLBACK = 'agt_fallback';
export const agentId = (id: string) => `agt_${id}`;

export interface Answered {
  readonly settings: Record<string, unknown>;
  /** Questions about the export itself: anything but the time zone, the ids of agents and the domain for addresses. */
  readonly asked: readonly string[];
  /** Findings that wait to be confirmed. */
  readonly findings: readonly string[];
  /** What the truth has no answer to. */
  readonly unanswered: readonly string[];
}

export function answered(
  proposed: Readonly<Record<string, unknown>>,
  { truth, choices, time }: { readonly truth: Truth; readonly choices: Choices; readonly time: TimeStyle },
): Answered {
  const settings = structuredClone(proposed) as Record<string, unknown>;
  const asked: string[] = [];
  const findings: string[] = [];
  const unanswered: string[] = [];
  for (const path of openPaths(settings)) {
    const name = path.join('.');
    const answer = answerTo(path, choices, time);
    if (path[0] === 'confirm') {
      findings.push(String(path[1]));
      asked.push(name);
      set(settings, path, true);
      continue;
    }
    if (path[0] === 'mapping' || name === 'source.dayFirst') asked.push(name);
    if (answer === undefined) unanswered.push(name);
    set(settings, path, answer ?? TODO);
  }
  const agents: Record<string, string> = {};
  for (const agent of truth.agents)
    for (const key of [agent.id, agent.email, agent.name, agent.login]) agents[key] = agentId(agent.id);
  return { settings: { ...settings, agents }, asked, findings, unanswered };
}

function answerTo(path: Path, choices: Choices, time: TimeStyle): unknown {
  const name = path.join('.');
  const last = String(path.at(-1));
  if (name === 'source.timezone') return time.zone ?? 'UTC';
  if (name === 'source.dayFirst') return time.dayFirst ?? true;
  if (name === 'fallbackAgent') return FALLBACK;
  if (name === 'customersWithoutEmail.synthesize') return 'customers.example.com';
  if (name === 'mapping.ticket.tags.split') return choices.tags === 'spaces' ? ' ' : ';';
  if (name === 'mapping.otherAuthors') return 'agent';
  if (name.startsWith('mapping.maps.status')) return statusMeant(last, choices);
  if (name.startsWith('mapping.maps.priority')) return priorityMeant(last);
  if (path.includes('actorType') || path.includes('role'))
    return /^(?:c|customer|kunde|cliente|client|klant|klient|kund|müşteri|お客様|caller|end-user|user|in|1|them|left|external|zákazník|asiakas)$/i.test(
      last,
    )
      ? 'customer'
      : /^(?:a|agent|agente|mitarbeiter|operatore|medewerker|handläggare|temsilci|担当者|team|staff|admin|out|2|us|right|medarbejder|operátor|käsittelijä)$/i.test(
            last,
          )
        ? 'agent'
        : undefined;
  if (path.includes('isInternal') && yesOrNo(last) !== undefined)
    return yesOrNo(last) === (choices.internal !== 'public');
  if (path.includes('isInternal'))
    return /^(?:note|internal note|internal|team only|own staff)$/i.test(last)
      ? true
      : /^(?:reply|public|everyone|all)$/i.test(last)
        ? false
        : undefined;
  return undefined;
}

function set(settings: Record<string, unknown>, path: Path, value: unknown): void {
  let holder = settings as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
  const last = path.at(-1);
  if (last !== undefined) holder[last] = value;
}
