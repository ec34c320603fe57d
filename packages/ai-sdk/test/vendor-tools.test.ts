import { anthropic } from '@ai-sdk/anthropic'
import { google } from '@ai-sdk/google'
import { openai } from '@ai-sdk/openai'
import { toLanguageModel } from '@modelport/ai-sdk'
import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOpenAI } from '@modelport/provider-openai'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'

type Body = Record<string, unknown>
const apiKey = 'ai-sdk-key-0123456789'

/** A vendor that sends these bodies, and what it was sent. */
function connect(create: (fetch: Fetch) => Provider, ...replies: readonly object[]) {
  const bodies: Body[] = []
  const headers: Headers[] = []
  const provider = create((_, init) => {
    headers.push(new Headers(init?.headers))
    bodies.push(JSON.parse(init?.body as string) as Body)
    return Promise.resolve(Response.json(replies[bodies.length - 1]))
  })
  return { model: toLanguageModel(provider), bodies, headers }
}

const toOpenAI = (fetch: Fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, fetch })
const responses = (...output: readonly object[]) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.4',
  service_tier: 'flex',
  output,
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
})
const said = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

test('a tool of OpenAI is asked for, forced and reported under the name that the application gave it', async () => {
  const search = {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'Rome' },
  }
  const run = {
    type: 'code_interpreter_call',
    id: 'ci_1',
    status: 'completed',
    code: '1',
    container_id: 'cntr_1',
    outputs: null,
  }
  const { model, bodies } = connect(toOpenAI, responses(search, run, said('Warm.')))
  const { toolCalls, warnings, finalStep } = await generateText({
    model,
    prompt: 'Rome?',
    tools: {
      news: openai.tools.webSearch({ searchContextSize: 'low' }),
      run: openai.tools.codeInterpreter({}),
    },
    toolChoice: { type: 'tool', toolName: 'run' },
  })
  expect(warnings).toEqual([])
  expect(bodies[0]).toMatchObject({
    tools: [
      { type: 'web_search', search_context_size: 'low' },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ],
    tool_choice: { type: 'code_interpreter' },
  })
  expect(bodies[0]?.['include']).toContain('web_search_call.action.sources')
  expect(toolCalls).toMatchObject([
    { toolName: 'news', toolCallId: 'ws_1', providerExecuted: true },
    { toolName: 'run', toolCallId: 'ci_1', providerExecuted: true },
  ])
  expect(finalStep.providerMetadata).toMatchObject({
    openai: { responseId: 'resp_1', serviceTier: 'flex' },
  })
})

test('a shell that OpenAI asks for is run by the application, and its output goes back as its item', async () => {
  const call = {
    type: 'shell_call',
    id: 'sh_1',
    call_id: 'call_1',
    status: 'completed',
    action: { commands: ['ls'], timeout_ms: 500, max_output_length: null },
  }
  const { model, bodies } = connect(toOpenAI, responses(call), responses(said('One file.')))
  const ran: unknown[] = []
  const shell = openai.tools.shell({
    execute: (input) => {
      ran.push(input)
      const outcome = { type: 'exit' as const, exitCode: 0 }
      return Promise.resolve({ output: [{ stdout: 'a.txt', stderr: '', outcome }] })
    },
  })
  const { text, steps } = await generateText({
    model,
    prompt: 'Which files?',
    tools: { sh: shell },
    stopWhen: stepCountIs(3),
  })
  expect([text, steps.length]).toEqual(['One file.', 2])
  expect(ran).toMatchObject([{ action: { commands: ['ls'], timeoutMs: 500 } }])
  const { input } = bodies[1] as { readonly input: readonly Body[] }
  expect(input.slice(1)).toEqual([
    call,
    {
      type: 'shell_call_output',
      call_id: 'call_1',
      output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
  ])
})

test('a shell of Claude is run by the application under its own name, and the API knows it by its own', async () => {
  const reply = (...content: readonly object[]) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5',
    content,
    stop_reason: content.length > 1 ? 'tool_use' : 'end_turn',
    usage: {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 9,
      cache_read_input_tokens: 0,
    },
  })
  const use = { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'ls' } }
  const { model, bodies, headers } = connect(
    (fetch) => createAnthropic({ model: 'claude-opus-5', apiKey, fetch }),
    reply({ type: 'text', text: 'Let me look.' }, use),
    reply({ type: 'text', text: 'One file.' }),
  )
  const ran: unknown[] = []
  const sh = anthropic.tools.bash_20241022({
    execute: (input) => {
      ran.push(input)
      return Promise.resolve('a.txt')
    },
  })
  const result = await generateText({
    model,
    prompt: 'Which files?',
    tools: { sh },
    stopWhen: stepCountIs(3),
  })
  expect(result.text).toBe('One file.')
  expect(ran).toEqual([{ command: 'ls' }])
  expect(headers[0]?.get('anthropic-beta')).toContain('computer-use-2024-10-22')
  const { messages, tools } = bodies[1] as { messages: { content: object[] }[]; tools: object[] }
  expect(tools).toEqual([{ type: 'bash_20241022', name: 'bash' }])
  expect(messages[1]?.content[1]).toMatchObject({ type: 'tool_use', name: 'bash' })
  expect(result.finalStep.providerMetadata).toMatchObject({
    anthropic: { cacheCreationInputTokens: 9 },
  })
})

test('the search of Google and what the reply rests on are as its package has them', async () => {
  const groundingMetadata = {
    webSearchQueries: ['Rome'],
    groundingChunks: [{ web: { uri: 'https://rome.example', title: 'Rome' } }],
  }
  const { model, bodies } = connect(
    (fetch) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, fetch }),
    {
      responseId: 'r_1',
      modelVersion: 'gemini-3-flash',
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Warm.' }] },
          finishReason: 'STOP',
          groundingMetadata,
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  )
  const { finalStep, sources } = await generateText({
    model,
    prompt: 'Rome?',
    tools: { google_search: google.tools.googleSearch({}) },
  })
  expect(bodies[0]).toMatchObject({ tools: [{ googleSearch: {} }] })
  expect(sources).toMatchObject([{ url: 'https://rome.example' }])
  expect(finalStep.providerMetadata).toMatchObject({ google: { groundingMetadata } })
})

test('a model by name is there at once, and its provider is made at the first call, again after a failure', async () => {
  let made = 0
  const model = toLanguageModel(async () => {
    made++
    if (made === 1) throw new Error('no such package')
    const { createMock } = await import('@modelport/provider-mock')
    return createMock({ responses: ['Hi', 'Hello'] })
  })
  expect(made).toBe(0)
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow(
    'no such package',
  )
  expect((await generateText({ model, prompt: 'Hi' })).text).toBe('Hi')
  expect(await streamText({ model, prompt: 'Hi' }).text).toBe('Hello')
  expect([made, model.provider, model.modelId]).toEqual([2, 'mock', 'mock'])
})

test('a promise of a provider is refused where the model is made', () => {
  const promise = Promise.resolve() as never
  expect(() => toLanguageModel(promise)).toThrow('for a promise write () => newProvider(…)')
})

test('addresses that the vendor fetches are those of its own package, and no others', async () => {
  const { model } = connect(toOpenAI)
  expect(Object.keys(await model.supportedUrls)).toEqual(
    Object.keys(await openai.responses('gpt-5.4').supportedUrls),
  )
  const { model: claude } = connect((fetch) =>
    createAnthropic({ model: 'claude-opus-5', apiKey, fetch }),
  )
  expect(Object.keys(await claude.supportedUrls)).toEqual(
    Object.keys(await anthropic('claude-opus-5').supportedUrls),
  )
  const { model: gemini } = connect((fetch) =>
    createGoogle({ model: 'gemini-2.5-flash', apiKey, fetch }),
  )
  const files = 'https://generativelanguage.googleapis.com/v1beta/files/a'
  for (const address of [files, 'https://pictures.example/a.png'])
    expect(isTaken(await gemini.supportedUrls, address)).toBe(
      isTaken(await google('gemini-2.5-flash').supportedUrls, address),
    )
})

const isTaken = (urls: Record<string, RegExp[]>, address: string): boolean =>
  Object.values(urls).some((patterns) => patterns.some((pattern) => pattern.test(address)))

test('tools that are allowed are named as the vendor names them', async () => {
  const { model, bodies } = connect(toOpenAI, responses(said('Hi')))
  const mcp = openai.tools.mcp({ serverLabel: 'docs', serverUrl: 'https://docs.example/mcp' })
  await generateText({
    model,
    prompt: 'Hi',
    tools: {
      look: tool({ inputSchema: z.object({}), execute: () => 'seen' }),
      search: openai.tools.webSearch(),
      docs: mcp,
    },
    providerOptions: {
      openai: { allowedTools: { toolNames: ['look', 'search', 'docs'], mode: 'required' } },
    },
  })
  expect(bodies[0]?.['tool_choice']).toEqual({
    type: 'allowed_tools',
    mode: 'required',
    tools: [
      { type: 'function', name: 'look' },
      { type: 'web_search' },
      { type: 'mcp', server_label: 'docs' },
    ],
  })
})

test.each(['responses', 'chat'] as const)(
  'a field of the vendor on the system text is on its part: %s',
  async (api) => {
    const reply =
      api === 'responses'
        ? responses(said('Hi'))
        : { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }
    const { model, bodies } = connect(
      (fetch) => createOpenAI({ model: 'gpt-5.6', api, apiKey, fetch }),
      reply,
    )
    const promptCacheBreakpoint = { mode: 'explicit' }
    await generateText({
      model,
      instructions: {
        role: 'system',
        content: 'Be brief.',
        providerOptions: { openai: { promptCacheBreakpoint } },
      },
      prompt: 'Hi',
    })
    const [sent] = (bodies[0]?.['input'] ?? bodies[0]?.['messages']) as readonly Body[]
    expect(bodies[0]?.['instructions']).toBeUndefined()
    expect(sent?.['content']).toEqual([
      {
        type: api === 'responses' ? 'input_text' : 'text',
        text: 'Be brief.',
        prompt_cache_breakpoint: promptCacheBreakpoint,
      },
    ])
  },
)

test('examples of the input of a tool are sent to Anthropic, and in the warnings elsewhere', async () => {
  const look = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: () => 'seen',
    inputExamples: [{ input: { city: 'Rome' } }, { input: { city: 'Oslo' } }],
    providerOptions: { anthropic: { deferLoading: true } },
  })
  const reply = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: {} }
  const claude = connect(
    (fetch) => createAnthropic({ model: 'claude-sonnet-4-6', apiKey, fetch }),
    reply,
  )
  const { warnings } = await generateText({ model: claude.model, prompt: 'Hi', tools: { look } })
  expect(warnings).toEqual([])
  expect(claude.bodies[0]).toMatchObject({
    tools: [
      { name: 'look', defer_loading: true, input_examples: [{ city: 'Rome' }, { city: 'Oslo' }] },
    ],
  })
  expect(claude.headers[0]?.get('anthropic-beta')).toContain('advanced-tool-use-2025-11-20')

  const other = connect(toOpenAI, responses(said('Hi')))
  const lost = await generateText({ model: other.model, prompt: 'Hi', tools: { look } })
  expect(JSON.stringify(lost.warnings)).toContain('inputExamples of look')
})
