import { describe } from 'vitest';
import { CASES } from './exports.ts';
import { areRight, takeEveryChange } from './generated.ts';
import { exportsOf, previewed } from './preview.ts';

describe('exports with known names, or with none', () => areRight(CASES, false));
const NAMED = CASES.filter(([, language]) => language !== 'none');
describe('exports with names and words of their own', () => areRight(NAMED, true));
// All of them take most of an hour: `CHANGES=1`.
takeEveryChange(NAMED, Number(process.env['CHANGES'] ?? 20));

// Round 1 is in preview.test.ts.
previewed(exportsOf([0, 2, 3]));
