/** A file that stands in every folder of rejects: no other folder is ever replaced. */
export const MARKER = '.helpdesk-import-rejects';
