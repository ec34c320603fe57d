import { createMock } from '@modelport/provider-mock'
import { describe, expect, test, vi } from 'vitest'
import { type Flow, infer, orThrow, parallel, repeatUntil, route, sequence } from '../src/index.js'

const says = (text: string): Flow => vi.fn<Flow>((input) => Promise.resolve(`${text} ${input}`))
const fails: Flow = () => Promise.reject(new Error('no'))
/** Ends only when it is aborted. */
const waits: Flow = (_, { signal } = {}) =>
  new Promise((_resolve, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason as Error)),
  )

describe('flows', () => {
  test('a sequence gives each part the result of the one before, and says where its own goes', async () => {
    const provider = createMock({ responses: ['Three facts.', 'A text.'] })
    const ask: Flow = async (query, { signal } = {}) =>
      orThrow(await infer(provider, { query, signal })).text
    expect(await sequence({ research: ask, write: ask })('Rome')).toBe('A text.')
    expect(provider.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'Rome\n\n(Your result goes to: write.)',
      'Three facts.',
    ])
  })

  test('parallel parts work on the same text at once, and the result names each', async () => {
    expect(await parallel({ left: says('1'), right: says('2') })('x')).toBe(
      '## left\n\n1 x\n\n## right\n\n2 x',
    )
  })

  test('the first failure of parallel parts aborts the others and is the failure of the flow', async () => {
    await expect(parallel({ waits, fails })('x')).rejects.toThrow('no')
  })

  test('a route works with the part that is chosen, and refuses a name that is not there', async () => {
    const flow = route({ sales: says('s'), help: says('h') }, (input) =>
      input === 'buy' ? ' sales\n' : 'nobody',
    )
    expect(await flow('buy')).toBe('s buy')
    await expect(flow('hm')).rejects.toMatchObject({
      code: 'config',
      message: 'route: there is no part "nobody"; known: sales, help',
    })
  })

  test('a part repeats on its own result until it is done, and no longer than its rounds', async () => {
    const grow: Flow = (input) => Promise.resolve(`${input}!`)
    expect(await repeatUntil(grow, (text) => text.length > 3)('a')).toBe('a!!!')
    await expect(repeatUntil(grow, () => false, 2)('a')).rejects.toMatchObject({
      code: 'limit-exceeded',
    })
  })

  test('flows are parts of flows, and an abort starts no further part', async () => {
    const abort = new AbortController()
    const last = says('never')
    const stops: Flow = (input) => {
      abort.abort(new Error('enough'))
      return Promise.resolve(input)
    }
    const flow = sequence({ both: parallel({ a: says('1'), stops }), last })
    await expect(flow('x', { signal: abort.signal })).rejects.toThrow('enough')
    expect(last).not.toHaveBeenCalled()
  })

  test.each([{}, { a: 'text' }])('parts that are not flows are refused at once: %j', (parts) => {
    expect(() => sequence(parts as never)).toThrow(
      'sequence: give an object with at least one flow by name',
    )
  })
})
