/** `helpdesk-import usage [customer]`: usage metrics, of one customer or as the service gives them without one. */
import { askAppApi } from '../../app/customer-read.ts';
import { usageLines } from '../../app/customer-view.ts';
import { createStyle } from '../../report/style.ts';
import type { CliContext } from '../context.ts';
import type { Flags } from '../program.ts';
import { appPorts, loadAppSettings } from './app-api-session.ts';
import { oneArgument } from './customer.ts';

export async function usageCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const customerId = args.length === 0 ? undefined : oneArgument(args, 'usage');
  const { settings } = await loadAppSettings([], flags, [], context);
  using ports = appPorts(context);
  const answer = await askAppApi(settings, ports, (api) =>
    api.readUsage(customerId === undefined ? {} : { customerId }, ports.signal),
  );
  const { stdout, env } = context;
  const style = createStyle({ stream: stdout, env, color: settings.output.color });
  const lines = settings.output.json ? [JSON.stringify(answer, null, 2)] : usageLines(answer, style);
  stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
