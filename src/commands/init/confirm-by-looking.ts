/** The end of `init` on a terminal: three conversations as they will be in the helpdesk, and whether they are right. */
import {
  type Answer,
  type Decision,
  type ProposedSettings,
  TODO,
  withAnswers,
} from '../../discover/propose/proposal.ts';
import { FINDINGS, type Finding } from '../../findings/finding.ts';
import { conversationLines, type ShownTicket } from '../../present/terminal/conversation-view.ts';
import type { Style } from '../../present/terminal/style.ts';
import { heading, wrap } from '../../present/terminal/text-block.ts';
import type { Ask } from './ask-terminal.ts';

const LOOK: Decision = {
  path: ['confirm', 'conversations'],
  question: 'This is how they will be in the helpdesk. Is it right?',
  comment:
    'The conversations that init showed did not look right. Change the mapping, look again (inspect, or run --explain with the id of a ticket), and write true.',
  choices: [
    { value: true, label: 'yes' },
    { value: false, label: 'no: show what is doubtful' },
  ],
  kind: 'choice',
};

export const ofFindings = ({ path }: Decision) => path[0] === 'confirm';

export interface Look {
  readonly conversations: readonly ShownTicket[];
  readonly findings: readonly Finding[];
  readonly ask: Ask;
  readonly say: (lines: readonly string[]) => void;
  readonly style: Style;
}

/** What is doubtful is asked after the conversations; a no stays in the settings as TODO. */
export async function confirmByLooking(
  proposed: ProposedSettings,
  { conversations, findings, ask, say, style }: Look,
): Promise<ProposedSettings> {
  say([...conversationLines(conversations, style), '']);
  const isRight = conversations.length === 0 || (await ask(LOOK));
  const grave = findings.toSorted((a, b) => Number(FINDINGS[b.code].grave) - Number(FINDINGS[a.code].grave));
  if (isRight !== true) say(doubtLines(grave, conversations, style));
  const answers: Answer[] = [];
  for (const decision of proposed.decisions.filter(ofFindings))
    answers.push({ decision, value: await ask(decision) });
  const settled = withAnswers(proposed, answers);
  if (isRight === true) return settled;
  const confirm = settled.settings['confirm'] as Record<string, unknown> | undefined;
  return {
    ...settled,
    settings: { ...settled.settings, confirm: { ...confirm, conversations: TODO } },
    decisions: [...settled.decisions, LOOK],
  };
}

function doubtLines(findings: readonly Finding[], [shown]: readonly ShownTicket[], style: Style): string[] {
  const lead = { indent: 2, lead: `${style.symbols.bullet} `, paintLead: style.yellow };
  const lines = findings.flatMap(({ message, setting, ticket }) => [
    ...wrap(style.typed(message), style, lead),
    ...wrap(`${setting}${ticket === undefined ? '' : `, for example ticket ${ticket}`}`, style, {
      indent: 4,
      lead: `${style.symbols.arrow} `,
      paint: style.dim,
    }),
  ]);
  if (lines.length > 0) return [...heading('What is doubtful', style), ...lines, ''];
  return [
    '',
    ...wrap(
      style.typed(
        `Nothing looks doubtful by itself. helpdesk-import run --explain ${shown?.externalId ?? '<id>'} shows for every field which column and rule it comes from.`,
      ),
      style,
      { lead: `${style.symbols.warning} `, paintLead: style.yellow },
    ),
    '',
  ];
}
