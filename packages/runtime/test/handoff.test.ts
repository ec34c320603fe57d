import type { ChatMessage } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { defineTool, type InferRequest, infer } from '../src/index.js'
import { runWithCut } from './cut-journal.js'
import { action, ended, run } from './weather-run.js'

const refund = defineTool({ name: 'refund', description: 'Pays back', execute: () => 'paid' })
const lookUp = defineTool({
  name: 'look_up',
  description: 'Finds an order',
  execute: () => 'found',
})
const billing = { description: 'refunds', system: 'You do refunds.', tools: [refund] }
const request: InferRequest = {
  query: 'I paid twice.',
  system: 'You answer.',
  tools: [lookUp],
  handoffs: { billing },
}
const to = (name: string) => ({ toolCalls: [{ name: 'hand_off', arguments: { to: name } }] })
const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] })
const namesOf = (tools: readonly { readonly name: string }[] | undefined) =>
  tools?.map(({ name }) => name)

describe('handoffs', () => {
  test('the conversation passes to another agent and back, each with its own instructions and tools', async () => {
    const { provider, result, of } = await run(
      [to('billing'), call('refund'), to('main'), 'Bye.'],
      request,
    )
    expect(ended(result, 'final')).toMatchObject({ content: 'Bye.', agent: 'main' })
    expect(of('step-start').map(({ agent }) => agent)).toEqual([
      'main',
      'billing',
      'billing',
      'main',
    ])
    expect(provider.requests.map(({ options }) => options.system)).toEqual([
      'You answer.',
      'You do refunds.',
      'You do refunds.',
      'You answer.',
    ])
    expect(provider.requests.map(({ tools }) => namesOf(tools))).toEqual([
      ['look_up', 'hand_off'],
      ['refund', 'hand_off'],
      ['refund', 'hand_off'],
      ['look_up', 'hand_off'],
    ])
    expect(result.transcript.map(({ content }) => content)).toContain(
      'billing has the conversation now.',
    )
  })

  test('a tool may be one of the request and of another agent', async () => {
    const handoffs = { billing: { description: 'refunds', tools: [lookUp, refund] } }
    const { provider, result } = await run([to('billing'), call('look_up'), 'Found.'], {
      ...request,
      handoffs,
    })
    expect(ended(result, 'final').content).toBe('Found.')
    expect(namesOf(provider.requests[1]?.tools)).toEqual(['look_up', 'refund', 'hand_off'])
  })

  test('a model that writes actions as JSON hands over as well', async () => {
    const written = action({ type: 'tool_call', tool: 'hand_off', args: { to: 'billing' } })
    const { result, provider } = await run([written, action({ type: 'final', content: 'Done.' })], {
      ...request,
      mode: 'json',
    })
    expect(ended(result, 'final')).toMatchObject({ content: 'Done.', agent: 'billing' })
    expect(provider.requests[1]?.options.system).toContain('You do refunds.')
  })

  test('who has the conversation answers the next message of it, or whom the request names', async () => {
    const { result } = await run([to('billing'), 'Which order?'], request)
    const messages: readonly ChatMessage[] = [...result.transcript, { role: 'user', content: 'A1' }]
    const { query: _, ...rest } = request
    const next = createMock({ responses: ['Paid.', 'Hello.'] })
    expect((await infer(next, { ...rest, messages })).agent).toBe('billing')
    expect((await infer(next, { ...rest, messages, agent: 'main' })).agent).toBe('main')
    expect(next.requests.map(({ options }) => options.system)).toEqual([
      'You do refunds.',
      'You answer.',
    ])
  })

  test('each agent has its own model and policy', async () => {
    const small = createMock({ model: 'small', responses: [call('refund'), 'Refused.'] })
    const asked: string[] = []
    const policy = (who: string) => (given: { readonly type: string; readonly tool?: string }) => {
      asked.push(`${who}: ${given.tool}`)
      return given.tool === 'refund'
        ? { effect: 'deny' as const, reason: 'ask Ada' }
        : { effect: 'allow' as const }
    }
    const { result } = await run([to('billing')], {
      ...request,
      models: { small },
      authorize: policy('main'),
      handoffs: { billing: { ...billing, model: 'small', authorize: policy('billing') } },
    })
    expect(result).toMatchObject({ status: 'final', text: 'Refused.', agent: 'billing' })
    expect(asked).toEqual(['main: hand_off', 'billing: refund'])
    expect(small.requests[1]?.messages.at(-1)?.content).toContain('ask Ada')
  })

  test('a name that is not there is refused with those that are, and control stays', async () => {
    const { result, of } = await run([to('sales'), 'Then I answer.'], request)
    expect(of('tool-error')[0]?.message).toContain('billing')
    expect(result.agent).toBe('main')
  })

  test.each([
    [
      'a model that is not there',
      { billing: { ...billing, model: 'huge' } },
      'handoffs.billing: there is no model "huge"',
    ],
    [
      'an unknown field',
      { billing: { ...billing, sytem: '' } },
      'handoffs.billing: unknown setting "sytem"; did you mean "system"?',
    ],
    [
      'no description',
      { billing: { system: '' } },
      'handoffs must be an object of settings by name, each with a description',
    ],
    [
      'a tool that is a number',
      { billing: { ...billing, tools: [5] } },
      'and with tools as a list of tools and names',
    ],
    [
      'a tool that has the name of a tool of the request',
      { billing: { ...billing, tools: [{ ...lookUp }] } },
      `handoffs.billing: another tool is named "${lookUp.definition.name}" too; rename one of them`,
    ],
    [
      'two tools of one name',
      { billing: { ...billing, tools: [refund, { ...refund }] } },
      'handoffs.billing: another tool is named "refund" too',
    ],
    [
      'the name of the run itself',
      { main: billing },
      `handoffs: "main" is the name of the run's own settings`,
    ],
  ])('handoffs with %s are refused before anything is called', async (_, handoffs, message) => {
    const provider = createMock({ responses: ['Hi'] })
    const wrong = infer(provider, { ...request, handoffs: handoffs as never })
    await expect(wrong).rejects.toThrow(message)
    expect(provider.requests).toEqual([])
  })

  test('a first agent that is not there is refused', async () => {
    const wrong = infer(createMock({ responses: ['Hi'] }), { ...request, agent: 'sales' })
    await expect(wrong).rejects.toThrow('agent: "sales" is not in handoffs; known: main, billing')
  })

  test('a tool of the application cannot have the name of the one that hands over', async () => {
    const own = defineTool({ name: 'hand_off', description: 'x', execute: () => '' })
    const { result } = await run(['Hi'], { ...request, tools: [own] })
    expect(result).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('two tools are named "hand_off"') },
    })
  })

  test('a run that is cut anywhere continues with who was in control', async () => {
    const scenario = {
      reply: (messages: readonly ChatMessage[]) => {
        const made = messages.filter(({ role }) => role === 'assistant').length
        return [to('billing'), call('refund'), to('main'), 'Bye.'][made] ?? 'Too far.'
      },
      request: () => request,
    }
    const whole = await runWithCut(scenario, { at: Infinity, stores: true })
    for (let at = 1; at < 30; at++)
      for (const stores of [true, false]) {
        const cut = await runWithCut(scenario, { at, stores })
        expect(cut.result.transcript).toEqual(whole.result.transcript)
        expect(cut.result.agent).toBe('main')
      }
  })
})
