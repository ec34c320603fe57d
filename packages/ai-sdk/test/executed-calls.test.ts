// Calls that a vendor executed: what an application gets is what the vendor's own package gives it.
import { createAnthropic as anthropicPackage } from '@ai-sdk/anthropic'
import { createGoogle as googlePackage } from '@ai-sdk/google'
import { createOpenAI as openaiPackage } from '@ai-sdk/openai'
import { toLanguageModel } from '@modelport/ai-sdk'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOpenAI } from '@modelport/provider-openai'
import { generateText, jsonSchema, type LanguageModel, streamText, type ToolSet, tool } from 'ai'
import { expect, test } from 'vitest'

const apiKey = 'ai-sdk-key-0123456789'
type Part = Readonly<Record<string, unknown>>

const fields = [
  'type',
  'toolName',
  'input',
  'output',
  'error',
  'dynamic',
  'invalid',
  'providerExecuted',
] as const

/** The calls and results that an application gets of this reply, without ids: both make them up. */
async function partsOf(model: LanguageModel, tools: ToolSet): Promise<readonly Part[]> {
  const { content } = await generateText({ model, prompt: 'Go.', tools })
  return content
    .filter(({ type }) => type.startsWith('tool-'))
    .map((part) =>
      Object.fromEntries(
        fields
          .map((name) => [name, (part as Part)[name]])
          .filter(([, value]) => value !== undefined),
      ),
    )
}
const answering =
  (body: object): Fetch =>
  () =>
    Promise.resolve(Response.json(body))

const item = (type: string, more: object) => ({
  type,
  id: `id_${type}`,
  status: 'completed',
  ...more,
})
const openaiItems: Readonly<Record<string, object>> = {
  'a search': item('web_search_call', {
    action: {
      type: 'search',
      query: 'Rome',
      sources: [{ type: 'url', url: 'https://example.com/rome' }],
    },
  }),
  'an opened page': item('web_search_call', {
    action: { type: 'open_page', url: 'https://example.com/rome' },
  }),
  'a word on a page': item('web_search_call', {
    action: { type: 'find_in_page', url: 'https://example.com/rome', pattern: 'warm' },
  }),
  'a search that failed': item('web_search_call', {
    status: 'failed',
    action: { type: 'search', query: 'Rome' },
  }),
  files: item('file_search_call', {
    queries: ['tea'],
    results: [
      {
        file_id: 'file_1',
        filename: 'tea.md',
        score: 0.5,
        text: 'Warm.',
        attributes: { shelf_mark: 'a_b' },
      },
    ],
  }),
  'files without results': item('file_search_call', { queries: ['tea'], results: null }),
  code: item('code_interpreter_call', {
    code: 'print(1)',
    container_id: 'cntr_1',
    outputs: [{ type: 'logs', logs: '1' }],
  }),
  'a picture': item('image_generation_call', { result: 'aGk=' }),
  'a call of an MCP server': item('mcp_call', {
    name: 'weigh',
    server_label: 'scales',
    arguments: '{"what":"tea"}',
    output: '5 g',
    error: null,
  }),
  'a call of an MCP server that failed': item('mcp_call', {
    name: 'weigh',
    server_label: 'scales',
    arguments: '{}',
    output: null,
    error: 'broken',
  }),
  'a list of an MCP server': item('mcp_list_tools', { server_label: 'scales', tools: [] }),
}

const { openai, anthropic, google } = {
  openai: openaiPackage({ apiKey }),
  anthropic: anthropicPackage({ apiKey }),
  google: googlePackage({ apiKey }),
}
const named: ToolSet = {
  news: openai.tools.webSearch({}),
  shelf: openai.tools.fileSearch({ vectorStoreIds: ['vs_1'] }),
  run: openai.tools.codeInterpreter({}),
  paint: openai.tools.imageGeneration({}),
  scales: openai.tools.mcp({ serverLabel: 'scales', serverUrl: 'https://example.com' }),
}

test.each(Object.entries(openaiItems))('OpenAI reports %s as its package does', async (_, one) => {
  const said = {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Warm.', annotations: [] }],
  }
  const body = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-5.4',
    output: [one, said],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  }
  const fetch = answering(body)
  const theirs = openaiPackage({ apiKey, fetch })('gpt-5.4')
  const ours = toLanguageModel(createOpenAI({ model: 'gpt-5.4', apiKey, fetch }))
  expect(await partsOf(ours, named)).toEqual(await partsOf(theirs, named))
})

const use = (name: string, input: object, type = 'server_tool_use') => ({
  type,
  id: 'srvtoolu_1',
  name,
  input,
  ...(type === 'mcp_tool_use' && { server_name: 'scales' }),
})
const came = (type: string, content: unknown, more: object = {}) => ({
  type,
  tool_use_id: 'srvtoolu_1',
  content,
  ...more,
})
const claudeBlocks: Readonly<Record<string, readonly object[]>> = {
  'a search': [
    use('web_search', { query: 'Rome' }),
    came('web_search_tool_result', [
      {
        type: 'web_search_result',
        url: 'https://example.com/rome',
        title: 'Rome',
        encrypted_content: 'x',
        page_age: null,
      },
    ]),
  ],
  'a search that failed': [
    use('web_search', { query: 'Rome' }),
    came('web_search_tool_result', {
      type: 'web_search_tool_result_error',
      error_code: 'max_uses_exceeded',
    }),
  ],
  'a page': [
    use('web_fetch', { url: 'https://example.com/rome' }),
    came('web_fetch_tool_result', {
      type: 'web_fetch_result',
      url: 'https://example.com/rome',
      retrieved_at: '2026-11-30T00:00:00Z',
      content: {
        type: 'document',
        title: 'Rome',
        citations: { enabled: true },
        source: { type: 'text', media_type: 'text/plain', data: 'Warm.' },
      },
    }),
  ],
  'a command': [
    use('bash_code_execution', { command: 'ls' }),
    came('bash_code_execution_tool_result', {
      type: 'bash_code_execution_result',
      stdout: 'a.txt',
      stderr: '',
      return_code: 0,
      content: [],
    }),
  ],
  'a program': [
    use('code_execution', { code: 'print(1)' }),
    came('code_execution_tool_result', {
      type: 'code_execution_result',
      stdout: '1',
      stderr: '',
      return_code: 0,
    }),
  ],
  'a call of an MCP server': [
    use('weigh', { what: 'tea' }, 'mcp_tool_use'),
    came('mcp_tool_result', [{ type: 'text', text: '5 g' }], { is_error: false }),
  ],
}
const claudeTools: ToolSet = {
  news: anthropic.tools.webSearch_20250305({}),
  page: anthropic.tools.webFetch_20250910({}),
  run: anthropic.tools.codeExecution_20250825(),
}

test.each(Object.entries(claudeBlocks))(
  'Claude reports %s as its package does',
  async (_, blocks) => {
    const body = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5',
      content: [...blocks, { type: 'text', text: 'Warm.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const fetch = answering(body)
    const theirs = anthropicPackage({ apiKey, fetch })('claude-opus-5')
    const ours = toLanguageModel(createAnthropic({ model: 'claude-opus-5', apiKey, fetch }))
    expect(await partsOf(ours, claudeTools)).toEqual(await partsOf(theirs, claudeTools))
  },
)

test.each([
  [
    'code and its result',
    {
      content: {
        role: 'model',
        parts: [
          { executableCode: { language: 'PYTHON', code: 'print(1)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
          { text: 'One.' },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  [
    'a search, which is not a call',
    {
      content: { role: 'model', parts: [{ text: 'Warm.' }] },
      groundingMetadata: { webSearchQueries: ['Rome'], groundingChunks: [], groundingSupports: [] },
      finishReason: 'STOP',
    },
  ],
])('Google reports %s as its package does', async (_, candidate) => {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const fetch = answering({ candidates: [{ index: 0, ...candidate }], usageMetadata })
  const tools = { run: google.tools.codeExecution({}), search: google.tools.googleSearch({}) }
  const theirs = googlePackage({ apiKey, fetch })('gemini-3-pro')
  const ours = toLanguageModel(createGoogle({ model: 'gemini-3-pro', apiKey, fetch }))
  expect(await partsOf(ours, tools as ToolSet)).toEqual(await partsOf(theirs, tools as ToolSet))
})

test.each(['generate', 'stream'])(
  'OpenAI names the items of a reply as its package does: %s',
  async (how) => {
    const note = {
      type: 'url_citation',
      url: 'https://example.com',
      title: 'Rome',
      start_index: 0,
      end_index: 4,
    }
    const thought = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
    }
    const call = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'c_1',
      name: 'look',
      arguments: '{}',
      status: 'completed',
    }
    const part = { type: 'output_text', text: 'Warm.', annotations: [note], logprobs: [] }
    const message = {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [part],
    }
    const output = [thought, message, call]
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'gpt-5.4',
      output,
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    }
    const events = [
      {
        type: 'response.created',
        response: { ...response, status: 'in_progress', output: [], usage: null },
      },
      { type: 'response.output_item.added', output_index: 0, item: { ...thought, summary: [] } },
      {
        type: 'response.reasoning_summary_part.added',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      },
      {
        type: 'response.reasoning_summary_text.delta',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        delta: 'Hm.',
      },
      {
        type: 'response.reasoning_summary_part.done',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        part: thought.summary[0],
      },
      { type: 'response.output_item.done', output_index: 0, item: thought },
      { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        delta: 'Warm.',
        logprobs: [],
      },
      {
        type: 'response.output_text.annotation.added',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        annotation_index: 0,
        annotation: note,
      },
      { type: 'response.output_item.done', output_index: 1, item: message },
      { type: 'response.output_item.added', output_index: 2, item: { ...call, arguments: '' } },
      {
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        output_index: 2,
        delta: '{}',
      },
      { type: 'response.output_item.done', output_index: 2, item: call },
      { type: 'response.completed', response },
    ]
    const text = events
      .map((event, index) => `data: ${JSON.stringify({ sequence_number: index, ...event })}\n\n`)
      .join('')
    const fetch: Fetch = () =>
      Promise.resolve(
        how === 'stream'
          ? new Response(text, { headers: { 'content-type': 'text/event-stream' } })
          : Response.json(response),
      )
    const tools: ToolSet = { look: tool({ inputSchema: jsonSchema({ type: 'object' }) }) }
    const itemsOf = async (model: LanguageModel) => {
      const asked = { model, prompt: 'Rome?', tools }
      const content =
        how === 'stream' ? await streamText(asked).content : (await generateText(asked)).content
      return content
        .map((one) => {
          const { itemId, annotations } = {
            ...(one as { providerMetadata?: { openai?: Part } }).providerMetadata?.openai,
          }
          return [one.type, itemId, annotations]
        })
        .filter(([type]) => type !== 'source')
    }
    const theirs = openaiPackage({ apiKey, fetch })('gpt-5.4')
    const ours = toLanguageModel(createOpenAI({ model: 'gpt-5.4', apiKey, fetch }))
    const expected = await itemsOf(theirs)
    expect(expected.map(([, id]) => id)).toEqual(['rs_1', 'msg_1', 'fc_1'])
    expect(await itemsOf(ours)).toEqual(expected)
  },
)

test('an id of an item that goes back with its part makes no warning', async () => {
  const bodies: Part[] = []
  const message = {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Warm.', annotations: [] }],
  }
  const fetch: Fetch = (_, init) => {
    bodies.push(JSON.parse(init?.body as string) as Part)
    const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
    return Promise.resolve(
      Response.json({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        model: 'gpt-5.4',
        output: [message],
        usage,
      }),
    )
  }
  const model = toLanguageModel(createOpenAI({ model: 'gpt-5.4', apiKey, fetch }))
  const first = await generateText({ model, prompt: 'Rome?' })
  const second = await generateText({
    model,
    messages: [
      { role: 'user', content: 'Rome?' },
      ...first.responseMessages,
      { role: 'user', content: 'Sure?' },
    ],
  })
  expect(second.warnings).toEqual([])
  expect(JSON.stringify(bodies[1])).not.toContain('item_id')
})
