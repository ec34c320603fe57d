import { type ChatMessage, textOf } from '@modelport/core'
import { createMock, type MockProvider } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  createMemoryJournal,
  defineTool,
  hasToolCall,
  type InferRequest,
  infer,
  stepCountIs,
} from '../src/index.js'
import { runWithCut } from './cut-journal.js'
import { action, calls, ended, run, weather, weatherAction } from './weather-run.js'

const clock = defineTool({ name: 'get_time', description: 'The time', execute: () => '12:00' })
const prices = (price: number) => ({ prices: { input: price, output: price } })

describe('prepareStep', () => {
  test('a step is asked of the model that it names, and its price and name are those of the call', async () => {
    const small = createMock({ model: 'tiny', responses: ['Warm.'], profile: prices(1) })
    const { provider, result, of } = await run([calls('Rome')], {
      models: { small },
      prepareStep: ({ step }) => (step === 2 ? { model: 'small' } : undefined),
      limits: { profile: prices(100), budget: { maxCost: 1 } },
    })
    expect(ended(result, 'final').content).toBe('Warm.')
    expect([provider.requests.length, small.requests.length]).toEqual([1, 1])
    expect(result.metrics.calls.map(({ model }) => model)).toEqual(['mock', 'tiny'])
    const [large = 0, cheap = 0] = result.metrics.calls.map(
      ({ usage, cost }) => (cost?.totalCost ?? 0) / usage.totalTokens,
    )
    expect(large / cheap).toBeCloseTo(100)
    expect(of('step-start').map(({ choice }) => choice)).toEqual([{}, { model: 'small' }])
    expect(of('model-call-start').map(({ model }) => model)).toEqual(['mock', 'tiny'])
  })

  test('a model of a step without a price is refused before anything is called when a budget limits the cost', async () => {
    const small = createMock({ model: 'small', responses: ['Hi'] })
    const request: InferRequest = {
      query: 'Hi',
      models: { small },
      limits: { profile: prices(1), budget: { maxCost: 1 } },
    }
    await expect(infer(createMock({ responses: ['Hi'] }), request)).rejects.toMatchObject({
      code: 'config',
    })
  })

  test('a model without tools is asked for actions as JSON, in its steps only', async () => {
    const plain = createMock({
      model: 'plain',
      responses: [weatherAction('Oslo')],
      profile: { supportsTools: false },
    })
    const { provider, result } = await run([calls('Rome'), 'Warm in both.'], {
      models: { plain },
      prepareStep: ({ step }) => ({ ...(step === 2 && { model: 'plain' }) }),
    })
    expect(result).toMatchObject({ status: 'final', text: 'Warm in both.' })
    const [asked] = plain.requests
    expect(asked?.tools).toEqual([])
    expect(asked?.messages.some(({ role }) => role === 'tool')).toBe(false)
    const last = provider.requests[1]?.messages.at(-1)
    expect(textOf(last?.content ?? '')).toContain('18 degrees in Oslo')
    expect(provider.requests[1]?.messages.find(({ role }) => role === 'tool')?.content).toBe(
      '18 degrees in Rome',
    )
  })

  test('a step shows and serves the tools that it names, and no others', async () => {
    const { provider, result } = await run([calls('Rome'), 'It is noon.'], {
      tools: [weather(), clock],
      prepareStep: ({ step }) => ({ tools: step === 1 ? ['get_time'] : [] }),
    })
    expect(provider.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['get_time'],
      [],
    ])
    expect(result.transcript.find(({ role }) => role === 'tool')?.content).toContain('get_time')
    expect(result.metrics.executedActions).toBe(0)
  })

  test('in JSON mode a call of a tool that the step does not name is refused with those it has', async () => {
    const { result } = await run(
      [weatherAction('Rome'), action({ type: 'final', content: 'No.' })],
      {
        mode: 'json',
        tools: [weather(), clock],
        prepareStep: () => ({ tools: ['get_time'] }),
      },
    )
    expect(result).toMatchObject({ status: 'final', text: 'No.', metrics: { executedActions: 0 } })
  })

  test('an agent is left out by its name', async () => {
    const clerk = { name: 'clerk', description: 'Files things', call: () => 'filed' }
    const { provider } = await run(['Hello.'], {
      agents: [clerk],
      prepareStep: () => ({ tools: ['get_weather'] }),
    })
    expect(provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['get_weather'])
  })

  test('a choice of a tool holds in the step that names it, and in no other', async () => {
    const { provider } = await run([calls('Rome'), calls('Oslo'), 'Warm.'], {
      prepareStep: ({ step }) =>
        step === 2 ? { options: { toolChoice: { name: 'get_weather' }, temperature: 0 } } : {},
      options: { temperature: 1 },
    })
    expect(
      provider.requests.map(({ options }) => [options.toolChoice, options.temperature]),
    ).toEqual([
      [undefined, 1],
      [{ name: 'get_weather' }, 0],
      [undefined, 1],
    ])
  })

  test('what a step is chosen by are its number, the conversation, the tokens and the context', async () => {
    const seen: unknown[] = []
    await run([calls('Rome'), 'Warm.'], {
      context: { user: 'Ada' },
      prepareStep: ({ step, transcript, usage, context, runId }) => {
        seen.push([
          step,
          transcript.map(({ role }) => role),
          usage.inputTokens > 0,
          context,
          runId.startsWith('run_'),
        ])
        return undefined
      },
    })
    expect(seen).toEqual([
      [1, ['user'], false, { user: 'Ada' }, true],
      [2, ['user', 'assistant', 'tool'], true, { user: 'Ada' }, true],
    ])
  })

  test('instructions may be a function of the context, and a step may replace them', async () => {
    const { provider } = await run([calls('Rome'), 'Warm.'], {
      context: { user: 'Ada' },
      system: ({ context }) => Promise.resolve(`You help ${(context as { user: string }).user}.`),
      prepareStep: ({ step }) => (step === 2 ? { system: 'Be short.' } : undefined),
    })
    expect(provider.requests.map(({ options }) => options.system)).toEqual([
      'You help Ada.',
      'Be short.',
    ])
  })

  test('instructions that are a function need no prepareStep, are asked once a step, and must be a text', async () => {
    const { provider } = await run([calls('Rome'), 'Warm.'], {
      system: ({ step }) => `Step ${step}.`,
    })
    expect(provider.requests.map(({ options }) => options.system)).toEqual(['Step 1.', 'Step 2.'])
    const wrong = await run(['Hi'], { system: () => 5 as never })
    expect(ended(wrong.result, 'failed').error).toMatchObject({
      code: 'config',
      message: 'system must be a text, or a function that gives one',
    })
    const journal = createMemoryJournal()
    await run([calls('Rome'), 'Warm.'], {
      prepareStep: () => ({ tools: ['get_weather'] }),
      durable: { journal, runId: 'r' },
    })
    const stored = journal.load('r')?.resume
    expect(stored).not.toHaveProperty('choice')
  })

  test('the budget of steps and the signal hold before a step is prepared', async () => {
    let asked = 0
    const prepareStep = (): undefined => {
      asked++
    }
    const { result } = await run([calls('Rome'), calls('Oslo')], {
      prepareStep,
      limits: { budget: { maxSteps: 1 } },
    })
    expect([result.status, asked]).toEqual(['budget', 1])
    const over = await run(['Hi'], { prepareStep, signal: AbortSignal.abort() })
    expect([over.result.status, asked]).toEqual(['cancelled', 1])
  })

  test('the context reaches tools and the policy as it is', async () => {
    const context = { user: 'Ada', open: () => 'a connection' }
    const seen: unknown[] = []
    const look = defineTool({
      name: 'get_weather',
      description: 'Weather',
      parameters: { type: 'object' },
      execute: (_args, { run: { context: given } }) => void seen.push(given),
    })
    await run([calls('Rome'), 'Warm.'], {
      context,
      tools: [look],
      authorize: (_action, { context: given }) => {
        seen.push(given)
        return { effect: 'allow' }
      },
    })
    expect(seen).toHaveLength(2)
    for (const given of seen) expect(given).toBe(context)
  })

  const wrong: readonly (readonly [string, unknown, string])[] = [
    [
      'a model that is not one of models',
      { model: 'huge' },
      'prepareStep: there is no model "huge" in models; known: none',
    ],
    [
      'a tool that nothing has',
      { tools: ['get_wether'] },
      'prepareStep: no tool or agent is named "get_wether"; did you mean "get_weather"?',
    ],
    [
      'an unknown field',
      { toolChoice: 'auto' },
      'prepareStep: unknown setting "toolChoice"; set options.toolChoice',
    ],
    [
      'an option that only a run has',
      { options: { signal: AbortSignal.abort() } },
      'prepareStep: options: unknown setting "signal"',
    ],
    [
      'a choice whose options are a number',
      { options: 5 },
      'prepareStep: options must be an object',
    ],
    [
      'a choice whose tools are a text',
      { tools: 'get_weather' },
      'prepareStep: tools must be a list of names',
    ],
    [
      'a choice whose tools are numbers',
      { tools: [1] },
      'prepareStep: tools must be a list of names',
    ],
    ['an option out of bounds', { options: { temperature: 9 } }, 'temperature'],
    ['no object', 'small', 'prepareStep: it must return an object, or nothing'],
  ]
  test.each(wrong)('%s ends the run as failed, and says so', async (_, choice, message) => {
    const { provider, result } = await run(['Hi'], { prepareStep: () => choice as never })
    expect(ended(result, 'failed').error).toMatchObject({ code: 'config' })
    expect(ended(result, 'failed').error.message).toContain(message)
    expect(provider.requests).toEqual([])
  })

  test('a function that throws ends the run as failed, and one that never ends stops with the run', async () => {
    const thrown = await run(['Hi'], {
      prepareStep: () => {
        throw new Error('no luck')
      },
    })
    expect(ended(thrown.result, 'failed').error.message).toContain('no luck')
    const never = await run(['Hi'], {
      prepareStep: () => new Promise(() => undefined),
      signal: AbortSignal.timeout(20),
    })
    expect(never.result.status).toBe('cancelled')
  })

  test('a run that is cut at any write continues each stored step as it was chosen', async () => {
    const asked = (messages: readonly ChatMessage[]): number =>
      messages.filter(({ role }) => role === 'assistant').length
    for (const stores of [true, false])
      for (let at = 1; ; at++) {
        let choices = 0
        const sent = new Map<number, Set<unknown>>()
        const answer =
          (model: string) =>
          ({ messages, options }: MockProvider['requests'][number]) => {
            const step = asked(messages)
            sent.set(step, (sent.get(step) ?? new Set()).add(`${model}: ${options.system}`))
            return step < 2
              ? {
                  toolCalls: [
                    { id: `c${step}`, name: 'get_weather', arguments: { city: `${step}` } },
                  ],
                }
              : 'Done.'
          }
        const small = createMock({ model: 'small', defaultResponse: answer('small') })
        const { isCut, result } = await runWithCut(
          {
            reply: () => '',
            provider: () => createMock({ defaultResponse: answer('main') }),
            request: () => ({
              query: 'Go.',
              tools: [weather()],
              models: { small },
              // Another answer each time it is asked: a step that was asked twice shows it.
              prepareStep: () => ({
                system: `choice ${++choices}`,
                ...(choices % 2 && { model: 'small' }),
              }),
            }),
          },
          { at, stores },
        )
        expect(result, `cut at ${at}`).toMatchObject({ status: 'final', text: 'Done.', steps: 3 })
        for (const [step, systems] of sent)
          expect([at, step, [...systems]]).toEqual([at, step, [expect.any(String)]])
        if (!isCut) break
      }
  })

  test('a step that waits for an approval continues with its own model, and one without it is refused', async () => {
    const journal = createMemoryJournal()
    const small = createMock({
      model: 'small',
      defaultResponse: ({ messages }) => (messages.length > 1 ? 'Warm.' : (calls('Rome') as never)),
    })
    const request: InferRequest = {
      tools: [weather()],
      models: { small },
      prepareStep: () => ({ model: 'small' }),
      authorize: () => ({ effect: 'require-approval' }),
    }
    const first = ended(
      await infer(createMock({ responses: ['Hi'] }), {
        ...request,
        query: 'How warm?',
        durable: { journal, runId: 'r' },
      }),
      'suspended',
    )
    const [item] = first.pending
    const decisions = [
      { type: 'approve', id: item?.id ?? '', digest: item?.type === 'approval' ? item.digest : '' },
    ] as const
    const { messages, resume } = journal.load('r') ?? {}
    const durable = { journal, resume, decisions }
    const refused = ended(
      await infer(createMock({ responses: ['Hi'] }), { ...request, models: {}, messages, durable }),
      'failed',
    )
    expect(refused.error.message).toContain('the step was stored with models.small')
    expect(
      await infer(createMock({ responses: ['Hi'] }), { ...request, messages, durable }),
    ).toMatchObject({
      status: 'final',
      text: 'Warm.',
    })
  })
})

describe('stopWhen', () => {
  test('a number of steps and a call of a tool end a run as a success', async () => {
    const turn = {
      text: 'Let me look.',
      toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }],
    }
    const { result, of } = await run([turn, 'never'], { stopWhen: stepCountIs(1) })
    expect(result).toMatchObject({
      status: 'final',
      content: 'Let me look.',
      stopped: true,
      steps: 1,
    })
    expect(result.transcript.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(of('final')).toHaveLength(1)
    const twice = await run(
      [calls('Rome'), { toolCalls: [{ name: 'get_time', arguments: {} }] }, 'never'],
      {
        tools: [weather(), clock],
        stopWhen: [stepCountIs(9), hasToolCall('get_time')],
      },
    )
    expect(twice.result).toMatchObject({ status: 'final', content: '', stopped: true, steps: 2 })
  })

  test('in JSON mode a call of a tool ends a run too', async () => {
    const { result } = await run([weatherAction('Rome'), 'never'], {
      mode: 'json',
      stopWhen: hasToolCall('get_weather'),
    })
    expect(result).toMatchObject({ status: 'final', stopped: true, steps: 1 })
  })

  test('a condition of the application decides by what it sees', async () => {
    const { result } = await run([calls('Rome'), calls('Oslo'), 'never'], {
      stopWhen: ({ transcript }) =>
        transcript.some(({ content }) => content === '18 degrees in Oslo'),
    })
    expect(result).toMatchObject({ stopped: true, steps: 2 })
  })

  test('a condition that does not hold leaves the reply to the model', async () => {
    const { result } = await run([calls('Rome'), 'Warm.'], { stopWhen: [] })
    expect(result).toMatchObject({ status: 'final', content: 'Warm.' })
    expect(result).not.toHaveProperty('stopped')
  })

  test('an output is refused next to a condition, and a condition that throws fails the run', async () => {
    const request = {
      query: 'Hi',
      outputSchema: { type: 'object' },
      stopWhen: stepCountIs(1),
    } as const
    await expect(infer(createMock({ responses: ['Hi'] }), request)).rejects.toMatchObject({
      code: 'config',
    })
    const { result } = await run([calls('Rome')], {
      stopWhen: () => {
        throw new Error('no luck')
      },
    })
    expect(ended(result, 'failed').error.message).toContain('no luck')
  })
})
