import { createId, isAgentError, type TaskState, taskStates, updateState } from '@modelport/agent'
import { describe, expect, it } from 'vitest'
import { emptyTask, stateHistory } from '../../src/models/task.js'
import { mayTransition } from '../../src/models/task-state.js'

/** The allowed transitions, written down a second time; everything else is refused. */
const allowed: Readonly<Record<TaskState, string>> = {
  submitted: 'working failed cancelled rejected',
  working: 'input-required auth-required completed failed cancelled rejected',
  'input-required': 'working failed cancelled rejected',
  'auth-required': 'working failed cancelled rejected',
  completed: '',
  failed: '',
  cancelled: '',
  rejected: '',
  unknown: 'submitted working input-required auth-required completed failed cancelled rejected',
}

describe('a task', () => {
  for (const from of taskStates)
    for (const to of taskStates)
      it(`${from === to ? 'stays' : allowed[from].split(' ').includes(to) ? 'may go' : 'refuses to go'} from ${from} to ${to}`, () => {
        const task = { ...emptyTask(), state: from }
        const isAllowed = from === to || allowed[from].split(' ').includes(to)
        expect(mayTransition(from, to)).toBe(isAllowed)
        if (!isAllowed) {
          expect(() => updateState(task, to)).toThrow(
            `Invalid task state transition: ${from} -> ${to}`,
          )
          return
        }
        const moved = updateState(task, to)
        expect(moved.state).toBe(to)
        expect(stateHistory(moved)).toHaveLength(from === to ? 0 : 1)
      })
})

describe('ids', () => {
  it('ids have a prefix, a time and 128 random bits from the injected sources', () => {
    const entropy = {
      now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
      random: (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(0xab),
    }
    expect(createId('task', entropy)).toBe(`task_20260102030405_${'ab'.repeat(16)}`)
    expect(createId('msg')).not.toBe(createId('msg'))
  })
})

describe('a refused transition', () => {
  it('a refused transition carries a typed refusal', () => {
    try {
      updateState({ ...emptyTask(), state: 'completed' }, 'working')
      expect.unreachable()
    } catch (error) {
      expect(isAgentError(error, 'unsupported-operation')).toBe(true)
    }
  })
})
