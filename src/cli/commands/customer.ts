/** `helpdesk-import customer <id>`: subscription status, plan, features and usage of a customer, or all that was answered. */

import { askAppApi } from '../../app/customer-read.ts';
import { customerLines } from '../../app/customer-view.ts';
import { customerView } from '../../app-api/customer.ts';
import { AppError } from '../../domain/errors.ts';
import { createStyle } from '../../report/style.ts';
import type { CliContext } from '../context.ts';
import type { Flags } from '../program.ts';
import { appPorts, loadAppSettings } from './app-api-session.ts';

export async function customerCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const id = oneArgument(args, 'customer');
  const { settings } = await loadAppSettings([], flags, [], context);
  using ports = appPorts(context);
  const raw = await askAppApi(settings, ports, (api) => api.readCustomer(id, ports.signal));
  if (raw === undefined)
    throw new AppError('usage', `The app API knows no customer ${id}.`, {
      hint: 'Check the id: it is the one that usage events carry as customerId.',
    });
  const { stdout, env, clock } = context;
  if (settings.output.json) {
    stdout.write(`${JSON.stringify(raw, null, 2)}\n`);
    return 0;
  }
  const style = createStyle({ stream: stdout, env, color: settings.output.color });
  stdout.write(`${customerLines(customerView(raw, clock.now()), style).join('\n')}\n`);
  return 0;
}

/** Throws AppError `usage` for any other number of arguments. */
export function oneArgument(args: readonly string[], command: string): string {
  const [id, ...others] = args;
  if (id !== undefined && id.trim() !== '' && others.length === 0) return id;
  throw new AppError('usage', `${command} needs one customer id.`, {
    hint: `Name it: helpdesk-import ${command} <id>`,
  });
}
