/** The options of `customer`. */
import { appApiOptions } from './app-api-options.ts';
import type { OptionSpec } from './options.ts';

export const CUSTOMER_OPTIONS: readonly OptionSpec[] = appApiOptions('helpdesk-import customer shop-1');
