import {
  AgentHost,
  createAgent,
  createLocalClient,
  createTask,
  executeTask,
  toAgentTarget,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, it } from 'vitest'

const card = { name: 'bank', description: 'Pays bills' }
const make = (more: object) => () =>
  createAgent({ card, provider: createMock({ defaultResponse: 'x' }), ...more })
const agent = make({})()

describe('a setting that nothing reads', () => {
  it.each([
    [{ polcy: {} }, 'createAgent: unknown setting "polcy"; did you mean "policy"?'],
    [{ expiresInMs: 1 }, 'createAgent: unknown setting "expiresInMs"; set decisions.expiresInMs'],
    [
      { decisions: { mayDecde: () => false } },
      'createAgent: decisions: unknown setting "mayDecde"; did you mean',
    ],
    [
      { decisions: { zzz: 1 } },
      'createAgent: decisions: unknown setting "zzz"; known: expiresInMs, mayDecide',
    ],
    [
      { limits: { maxStep: 1 } },
      'createAgent: limits: unknown setting "maxStep"; did you mean "maxSteps"?',
    ],
    [
      { budget: { maxtoolcalls: 1 } },
      'createAgent: budget: unknown setting "maxtoolcalls"; did you mean',
    ],
    [{ decisions: 'never' }, 'createAgent: decisions: the settings must be an object, not "never"'],
    [{ budget: [5] }, 'createAgent: budget: the settings must be an object, not [5]'],
  ])('a setting that nothing reads is refused where the agent is made: %j', (more, message) => {
    expect(make(more)).toThrow(TypeError)
    expect(make(more)).toThrow(message)
  })

  it('a setting that nothing reads is refused by hosts, tasks and targets, each by its name', async () => {
    expect(() => new AgentHost([agent], { stor: 1 } as object)).toThrow(
      'AgentHost: unknown setting "stor"',
    )
    const ran = executeTask(agent, createTask('x'), { princpal: 'bob' } as object)
    await expect(ran).rejects.toThrow(
      'executeTask: unknown setting "princpal"; did you mean "principal"?',
    )
    const client = createLocalClient(agent)
    const named = { name: 'x', description: 'y', idempotant: true }
    expect(() => toAgentTarget(client, named)).toThrow(
      'toAgentTarget: unknown setting "idempotant"',
    )
    expect(() => toAgentTarget(client, { idempotant: true } as object)).toThrow(TypeError)
  })
})

describe('a setting of the wrong type or out of range', () => {
  const decisions =
    'decisions.expiresInMs must be a whole number between 1 and 100000000000000, not '
  it.each([
    [{ decisions: { expiresInMs: '500' } }, `${decisions}"500"`],
    [{ decisions: { expiresInMs: NaN } }, `${decisions}NaN`],
    [{ decisions: { expiresInMs: 0 } }, `${decisions}0`],
    [{ decisions: { expiresInMs: Infinity } }, `${decisions}Infinity`],
    [{ decisions: { mayDecide: 'bob' } }, 'decisions.mayDecide must be a function'],
    [
      { limits: { maxSteps: '1' } },
      'limits.maxSteps must be a whole number of at least 1, not "1"',
    ],
    [
      { budget: { maxToolCalls: '1' } },
      'budget.maxToolCalls must be a number of at least 0, not "1"',
    ],
    [{ budget: { maxCost: 1 } }, 'limits.budget.maxCost needs a profile'],
    [{ maxConcurrency: 0 }, 'maxConcurrency must be a whole number of at least 1, not 0'],
    [{ maxQueue: -1 }, 'maxQueue must be a whole number of at least 0, not -1'],
    [{ timeoutMs: NaN }, 'timeoutMs must be a whole number of at least 1, not NaN'],
    [{ provider: 'gpt' }, 'provider must be a Provider'],
  ])(
    'a setting of the wrong type or out of range is refused where the agent is made: case %#',
    (more, message) => {
      expect(make(more)).toThrow(message)
    },
  )

  it('a setting that is undefined is one that was not set', () => {
    const more = {
      decisions: { expiresInMs: undefined, mayDecide: undefined },
      limits: undefined,
      timeoutMs: undefined,
    }
    expect(make(more)).not.toThrow()
  })
})
