import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { createOpenAI } from '@modelport/provider-openai'
import { defineTool } from '@modelport/runtime'
import { openaiResponses } from '@modelport/test-formats'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  createAgents,
  createDialogCaller,
  Dialog,
  definePrompt,
  PromptRegistry,
  toolCallsOf,
} from '../src/index.js'
import { asks, callerOf, recordingTool, sentTo } from './call-tools.js'

/** The acceptance cases of LLLM's own tests, each by its name there. */
describe('the cases of LLLM', () => {
  const task = definePrompt({ path: 'task', text: 'Do it.' })
  const echo = () => recordingTool('echo', ({ value }) => `echo:${String(value)}`)

  test('agent call without tools: the reply is the value and the tail of the dialog', async () => {
    const { caller } = callerOf(['All done!'])
    const { value, trace, dialog } = await caller.call(Dialog.seed('s').send(task))
    expect([value, toolCallsOf(trace)]).toEqual(['All done!', []])
    expect(
      trace.entries.filter((entry) => entry.type === 'state' && entry.to === 'interrupt'),
    ).toEqual([])
    expect(dialog.tail).toMatchObject({ role: 'assistant', content: 'All done!' })
  })

  test('agent call with the tool echo: one interrupt, its result, then the final reply', async () => {
    const { tool, calls } = echo()
    const { caller } = callerOf([asks('echo', { value: 'foo' }), 'Tool results processed.'])
    const { value, trace } = await caller.call(
      Dialog.seed().send(task.extend({ path: 'p', tools: [tool] })),
    )
    expect([value, calls]).toEqual(['Tool results processed.', [{ value: 'foo' }]])
    expect(toolCallsOf(trace).map(({ result }) => result)).toEqual(['echo:foo'])
    expect(
      trace.entries.filter((entry) => entry.type === 'state' && entry.to === 'interrupt'),
    ).toHaveLength(1)
  })

  test('api_type "response": the tool output is in a message of the role user', async () => {
    const { tool } = echo()
    const { caller } = callerOf([asks('echo', { value: 'foo' }), 'Done.'], { apiType: 'response' })
    const { dialog } = await caller.call(
      Dialog.seed().send(task.extend({ path: 'p', tools: [tool] })),
    )
    expect(dialog.messages.at(-2)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('echo:foo'),
    })
  })

  test.each([
    ['chat', openaiChat],
    ['responses', openaiResponses],
  ] as const)(
    'mock OpenAI weather over %s: the tool gets Tokyo and celsius, and its result goes back',
    async (api, format) => {
      const usage = { inputTokens: 5, outputTokens: 2 }
      const replies = [
        {
          toolCalls: [
            { id: 'call_1', name: 'get_weather', arguments: { city: 'Tokyo', unit: 'celsius' } },
          ],
          finish: 'tool-calls',
          usage,
        },
        { text: ['Weather retrieved.'], finish: 'stop', usage },
      ] as const
      const bodies: unknown[] = []
      let turn = 0
      const server = await startWireServer({
        formats: [format],
        reply: ({ body }) => {
          bodies.push(body)
          return replies[turn++] ?? replies[1]
        },
      })
      onTestFinished(() => server.close())
      const calls: (readonly [string, string])[] = []
      const getWeather = defineTool({
        name: 'get_weather',
        description: 'The weather in a city',
        parameters: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) }),
        execute: ({ city, unit }) => {
          calls.push([city, unit])
          return `${city}:${unit}`
        },
      })
      const provider = createOpenAI({
        model: 'gpt-4.1',
        apiKey: 'dialog-key-0123456789',
        baseUrl: `${server.url}/v1`,
        api,
      })
      const caller = createDialogCaller({ name: 'weather', provider })
      const { value, trace } = await caller.call(
        Dialog.seed().send(task.extend({ path: 'p', tools: [getWeather] })),
      )
      expect(value).toBe('Weather retrieved.')
      expect(calls).toEqual([['Tokyo', 'celsius']])
      expect(toolCallsOf(trace).map(({ result }) => result)).toEqual(['Tokyo:celsius'])
      expect(JSON.stringify(bodies[1])).toContain('Tokyo:celsius')
    },
  )

  test('Prompt("Hello {name}")(name="World"): the text is filled and tools are found by name', () => {
    const { tool } = echo()
    const prompt = definePrompt({ path: 'hello', text: 'Hello {name}', tools: [tool] })
    expect(prompt.render({ name: 'World' })).toBe('Hello World')
    expect(prompt.tool('echo')).toBe(tool)
    expect(prompt.tool('other')).toBeUndefined()
  })

  test('agent config limits: they are read and do not leak into the options', async () => {
    const limits = { maxParseRetries: 10, maxToolRounds: 20, maxRecalls: 5 }
    const { caller } = callerOf(['x'])
    const { a } = await createAgents(
      { a: { model: 'm', limits, options: { maxTokens: 7 } } },
      { prompts: new PromptRegistry(), provider: () => caller.settings.provider },
    )
    expect(a.settings).toMatchObject({ limits, options: { maxTokens: 7 } })
    expect(Object.keys(a.settings.options ?? {})).toEqual(['maxTokens'])
  })

  test('one agent call executes the same tool call once; the second call gets the text about it', async () => {
    const { tool, calls } = echo()
    const { caller, provider } = callerOf([
      asks('echo', { value: 'a' }),
      asks('echo', { value: 'a' }),
      'Done.',
    ])
    await caller.call(Dialog.seed().send(task.extend({ path: 'p', tools: [tool] })))
    expect(calls).toHaveLength(1)
    expect(sentTo(provider).at(-1)).toBe(
      'tool: The function echo with identical arguments {"value":"a"} has been called earlier, please check the previous results and do not call it again.',
    )
  })
})
