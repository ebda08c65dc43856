/** The options of `usage`. */
import { appApiOptions } from './app-api-options.ts';
import type { OptionSpec } from './options.ts';

export const USAGE_OPTIONS: readonly OptionSpec[] = appApiOptions('helpdesk-import usage shop-1');
