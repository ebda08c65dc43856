/** Conditions compiled: questions about a row, answered without side effects. */
import { textOf } from '../../domain/source-file.ts';
import type { Condition } from '../language/expression.ts';
import type { Evaluate, Scope } from './scope.ts';
import { comparable, isEmpty } from './text-forms.ts';

export type Holds = (scope: Scope) => boolean;

/** `compile` turns the expressions inside into functions, for the place where the condition stands. */
export function compileCondition(
  condition: Condition,
  compile: (expression: NonNullable<Condition['column']>) => Evaluate,
): Holds {
  const inner = (part: Condition) => compileCondition(part, compile);
  const parts: Holds[] = [];
  if (condition.all) {
    const all = condition.all.map(inner);
    parts.push((scope) => all.every((holds) => holds(scope)));
  }
  if (condition.any) {
    const any = condition.any.map(inner);
    parts.push((scope) => any.some((holds) => holds(scope)));
  }
  if (condition.not) {
    const not = inner(condition.not);
    parts.push((scope) => !not(scope));
  }
  if (condition.column !== undefined) {
    const read = compile(condition.column);
    for (const test of compileTests(condition, compile)) parts.push((scope) => test(read(scope), scope));
  }
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : (scope) => parts.every((holds) => holds(scope));
}

type Test = (value: unknown, scope: Scope) => boolean;

function compileTests(
  condition: Condition,
  compile: (expression: NonNullable<Condition['column']>) => Evaluate,
): Test[] {
  const tests: Test[] = [];
  const oneOf = (words: readonly unknown[]): ((value: unknown) => boolean) => {
    const set = new Set(words.map(comparable));
    return (value) =>
      Array.isArray(value)
        ? value.some((element) => set.has(comparable(element)))
        : set.has(comparable(value));
  };
  if (condition.is !== undefined) tests.push(oneOf([condition.is]));
  if (condition.in !== undefined) tests.push(oneOf(condition.in));
  if (condition.matches !== undefined) {
    const regex = new RegExp(condition.matches, 'iu');
    tests.push((value) => regex.test(textOf(value)));
  }
  if (condition.empty !== undefined) {
    const { empty } = condition;
    tests.push((value) => isEmpty(value) === empty);
  }
  if (condition.equals !== undefined) {
    const other = compile(condition.equals);
    // two absent values are not equal: nobody is not the requester
    tests.push((value, scope) => !isEmpty(value) && comparable(value) === comparable(other(scope)));
  }
  return tests;
}
