import { describe, expect, it } from 'vitest';
import {
  eventTypeWords,
  eventValueText,
  isStatusChange,
} from '../../../src/view/conversation/event-words.ts';

describe('an event in words', () => {
  it.each([
    [{ status: 'open' }, 'open'],
    [{ count: 3 }, '3'],
    [{ flag: false }, 'false'],
    [{ agentId: 'a', teamId: 'b' }, '{"agentId":"a","teamId":"b"}'],
    [{ agent: { id: 'a' } }, '{"agent":{"id":"a"}}'],
    [{ agent: null }, '{"agent":null}'],
    [{}, '{}'],
  ])('the value %j is told as %s', (value, text) => expect(eventValueText(value)).toBe(text));

  it('a status change is one by either name, and other types are told by their words', () => {
    expect(['status_change', 'status_changed', 'priority_changed'].map(isStatusChange)).toEqual([
      true,
      true,
      false,
    ]);
    expect(eventTypeWords('agent_assigned_again')).toBe('agent assigned again');
  });
});
