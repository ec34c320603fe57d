import { describe, expect, test } from 'vitest'
import { toWireEvents } from '../../compat/src/protolink-events.js'
import { type ToolCallAction } from '../src/index.js'
import type { AuthorizeContext } from '../src/policy/authorize.js'
import { calls, ended, roles, run } from './weather-run.js'

describe('authorization', () => {
  test('denied, approved and refused calls have their events', async () => {
    const seen: string[] = []
    const authorize = (asked: unknown, { actionId }: AuthorizeContext) => {
      const { args } = asked as ToolCallAction
      seen.push(actionId)
      if (args['city'] === 'Paris') return { effect: 'deny', reason: 'not Paris' } as const
      if (args['city'] === 'Rome')
        return {
          effect: 'require-approval',
          ask: async () => ({ approved: true, by: 'me' }),
        } as const
      if (args['city'] === 'Oslo')
        return { effect: 'require-approval', ask: () => ({ approved: false }) } as const
      throw new Error('cannot say')
    }
    const { result, events, of } = await run([calls('Paris', 'Rome', 'Oslo', 'Berlin'), 'ok'], {
      authorize,
    })
    ended(result, 'final')
    expect(of('tool-start').map(({ args }) => args)).toEqual([{ city: 'Rome' }])
    expect(of('policy-decision').map(({ effect }) => effect)).toEqual([
      'deny',
      'require-approval',
      'require-approval',
      'deny',
    ])
    expect(of('approval-decision')).toMatchObject([
      { approved: true, by: 'me' },
      { approved: false },
    ])
    expect(
      events
        .flatMap(toWireEvents)
        .filter(({ type }) => type === 'action_denied')
        .map(({ message }) => message),
    ).toEqual(['not Paris', 'approval was refused', 'cannot say'])
    expect(seen).toHaveLength(4)
    expect(
      result.transcript.slice(2, 6).map((message) => message.role === 'tool' && message.content),
    ).toEqual([
      'Not allowed: not Paris',
      '18 degrees in Rome',
      'Not allowed: approval was refused',
      'Not allowed: cannot say',
    ])
  })

  test('an approval nobody gives ends with the signal', async () => {
    const controller = new AbortController()
    const authorize = () =>
      ({
        effect: 'require-approval',
        ask: () => new Promise<never>(() => setTimeout(() => controller.abort(), 5)),
      }) as const
    const { result } = await run([calls('Paris', 'Rome')], { authorize, signal: controller.signal })
    ended(result, 'cancelled')
    expect(roles(result)).toEqual(['user', 'assistant', 'tool', 'tool'])
  })
})
