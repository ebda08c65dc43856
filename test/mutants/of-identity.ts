/** Promise 5 and 6: the target is who it was, and one writer, whole files. */
import type { Mutant } from './mutant.ts';

const VERDICTS = 'test/target/identity/verdicts.test.ts';

export const OF_IDENTITY: readonly Mutant[] = [
  {
    name: 'target: a ticket of somebody else is taken for ours',
    file: 'src/target/identity/verdicts.ts',
    search: "return mayBe(reported.tags, tag, mayLackTag) ? 'ours' : 'foreign';",
    replace: "return 'ours';",
    breaks: 'another workspace behind the same address is refused',
    tests: [VERDICTS],
  },
  {
    name: 'target: an emptied workspace counts as one that cannot be read',
    file: 'src/target/identity/verdicts.ts',
    search: "return listAnswers ? 'emptied' : 'unreadable';",
    replace: "return 'unreadable';",
    breaks: 'an emptied workspace is refused',
    tests: [VERDICTS],
  },
  {
    name: 'target: a restored workspace is taken',
    file: 'src/target/identity/verdicts.ts',
    search: "return isRestored ? 'restored' : 'same';",
    replace: "return 'same';",
    breaks: 'a restored workspace is refused',
    tests: [VERDICTS],
  },
  {
    name: 'identity: two ids get one tag',
    file: 'src/domain/identity.ts',
    search: 'sha256(externalId).slice(0, HASH_LENGTH)',
    replace: 'sha256(externalId.toLowerCase()).slice(0, HASH_LENGTH)',
    breaks: 'two ids of a source never get one tag',
    tests: ['test/domain/identity.test.ts'],
  },
  {
    name: 'identity: any tag that begins like ours is ours',
    file: 'src/domain/identity.ts',
    search: 'return tagNames(tags).some((name) => name.toLowerCase() === wanted);',
    replace: 'return tagNames(tags).some((name) => name.toLowerCase().startsWith(wanted));',
    breaks: 'the ticket of another one is not taken for ours',
    tests: ['test/domain/identity.test.ts'],
  },
  {
    name: 'checkpoint: a process that was passed by goes on writing',
    file: 'src/checkpoint/meta.ts',
    search: '      if (read.get() === own) return;',
    replace: '      if (own !== null) return;',
    breaks: 'two processes never use one checkpoint at once',
    tests: ['test/checkpoint/one-writer.test.ts'],
  },
  {
    name: 'checkpoint: a file with two names is taken',
    file: 'src/checkpoint/file-kind.ts',
    search: 'if (statSync(path).nlink > 1) throw severalNames(path);',
    replace: 'if (statSync(path).nlink > 99) throw severalNames(path);',
    breaks: 'two processes never use one checkpoint at once',
    tests: ['test/checkpoint/one-writer.test.ts', 'test/checkpoint/open-checkpoint.test.ts'],
  },
  {
    name: 'checkpoint: a file whose log is missing is taken',
    file: 'src/checkpoint/soundness.ts',
    search: 'if (!hasLog && readHolder(db) !== undefined) throw logMissing(path);',
    replace: 'if (hasLog && version > 99) throw logMissing(path);',
    breaks: 'tickets that only the log knows are not created again',
    tests: ['test/checkpoint/one-writer.test.ts'],
  },
  {
    name: 'checkpoint: a table that was emptied in part is taken',
    file: 'src/checkpoint/soundness.ts',
    search: 'if ((tickets ?? 0) < listed) throw',
    replace: 'if ((tickets ?? 0) < -listed) throw',
    breaks: 'tickets whose rows are gone are not created again',
    tests: ['test/checkpoint/open-checkpoint.test.ts'],
  },
  {
    name: 'checkpoint: a file that was deleted while it is used goes unnoticed',
    file: 'src/checkpoint/meta.ts',
    search: 'if (fileOf(db.name) !== file)',
    replace: "if (file === '')",
    breaks: 'what is recorded is in the file, and an import whose record is gone does not end with 0',
    tests: ['test/checkpoint/open-checkpoint.test.ts'],
  },
];
