/** A gate's decision on a screen: the answer, and each rule with its reason. Lines without line ends. */
import type { GateDecision } from '../app-api/gate.ts';
import { printable } from '../domain/printable.ts';
import type { Style } from '../report/style.ts';
import { wrap } from '../report/text-block.ts';

export function gateLines({ allowed, reason, checks }: GateDecision, style: Style): string[] {
  const { tick, cross } = style.symbols;
  const paint = allowed ? style.green : style.red;
  const word = allowed ? 'Allowed' : 'Not allowed';
  if (checks.length < 2) return wrap(printable(`${word}. ${reason}`), style, { paint });
  return [
    ...wrap(`${word}.`, style, { paint }),
    ...checks.flatMap((check) =>
      wrap(printable(check.reason), style, {
        indent: 2,
        lead: `${check.allowed ? tick : cross} `,
        paintLead: check.allowed ? style.green : style.red,
      }),
    ),
  ];
}
