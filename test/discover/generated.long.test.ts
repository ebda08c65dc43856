import { describe } from 'vitest';
import { CASES } from './exports.ts';
import { areRight, takeEveryChange } from './generated.ts';
import { exportsOf, previewed } from './preview.ts';

describe('exports with known names, or with none', () => areRight(CASES, false));
const NAMED = CASES.filter(([, language]) => language !== 'none');
describe('exports with names and words of their own', () => areRight(NAMED, true));
const share = process.env['CHANGES'];
// `CHANGES=20` tries one of twenty, `CHANGES=1` all, which takes most of an hour; a sample is in generated.test.ts.
if (share !== undefined) takeEveryChange(NAMED, Number(share));

previewed(exportsOf([0, 1, 2, 3]));
