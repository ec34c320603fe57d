import type { Fields, SentRequest } from './sent-request.ts'

/** A request that breaks one rule. */
export interface BrokenRequest {
  readonly rule: string
  readonly request: SentRequest
  /** Where. */
  readonly path: string
}

export const post = (
  url: string,
  body: Fields,
  headers: Record<string, string> = {},
): SentRequest => ({
  method: 'POST',
  url,
  headers,
  body,
})
export const user = { role: 'user', content: 'Hi' }
const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }

const responses = (more: Fields): SentRequest =>
  post('https://api.openai.com/v1/responses', {
    model: 'gpt-4.1',
    input: [user],
    stream: false,
    ...more,
  })
const call = (id: string): Fields => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
})
const output = (id: string): Fields => ({ type: 'function_call_output', call_id: id, output: 'x' })
const tool = (more: Fields = {}): Fields => ({
  type: 'function',
  name: 'f',
  parameters: schema,
  strict: false,
  ...more,
})

const chat = (more: Fields, host = 'api.openai.com'): SentRequest =>
  post(`https://${host}/v1/chat/completions`, { model: 'gpt-4.1', messages: [user], ...more })
const chatCall = (id: string, name = 'f'): Fields => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})
const calling = (...calls: readonly Fields[]): Fields => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
})
const result = (id: string): Fields => ({ role: 'tool', tool_call_id: id, content: 'x' })
const chatTool = (more: Fields = {}): Fields => ({
  type: 'function',
  function: { name: 'f', parameters: schema, ...more },
})

/** The tool of every conversation with calls. */
const called = { tools: [{ name: 'f', input_schema: { type: 'object' } }] }
const messages = (
  more: Fields,
  headers: Record<string, string> = { 'anthropic-version': '2023-06-01' },
): SentRequest =>
  post(
    'https://api.anthropic.com/v1/messages',
    {
      model: 'claude-sonnet-4-5',
      max_tokens: 2048,
      messages: [user],
      ...('messages' in more && called),
      ...more,
    },
    headers,
  )
const atBedrock = (more: Fields): SentRequest => ({
  ...messages(more),
  url: 'https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages',
})
const onVertex = (
  more: Fields,
  headers: Record<string, string> = { authorization: 'Bearer t' },
): SentRequest =>
  post(
    'https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
    { anthropic_version: 'vertex-2023-10-16', max_tokens: 2048, messages: [user], ...more },
    headers,
  )
const use = (id: string): Fields => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'f', input: {} }],
})
const answer = (...ids: readonly string[]): Fields => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })),
})
const thinking = { type: 'enabled', budget_tokens: 1024 }
const input = (more: Fields = {}): Fields => ({ name: 'f', input_schema: schema, ...more })
const marked = (ttl?: string): Fields => ({
  type: 'text',
  text: 'x',
  cache_control: { type: 'ephemeral', ...(ttl && { ttl }) },
})

const gemini = (more: Fields, model = 'gemini-2.5-flash'): SentRequest =>
  post(`https://generativelanguage.googleapis.com/v1beta/models/${model}:generateContent`, {
    contents: [says],
    ...more,
  })
const says = { role: 'user', parts: [{ text: 'Hi' }] }
const calls = (...names: readonly string[]): Fields => ({
  role: 'model',
  parts: names.map((name) => ({ functionCall: { name, args: {} } })),
})
const returns = (...names: readonly string[]): Fields => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: {} } })),
})
const declares = (...declarations: readonly Fields[]): Fields => ({
  functionDeclarations: declarations,
})

const ollama = (more: Fields): SentRequest =>
  post('http://localhost:11434/api/chat', { model: 'm', messages: [user], ...more })

export const row = (rule: string, path: string, request: SentRequest): BrokenRequest => ({
  rule,
  path,
  request,
})

const shows = (data: string): SentRequest =>
  messages({
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
      },
    ],
  })
const embeds = (input: readonly string[]): SentRequest =>
  post('https://api.openai.com/v1/embeddings', { model: 'text-embedding-3-small', input })
const batch = (...ids: readonly string[]): SentRequest =>
  post(
    'https://api.anthropic.com/v1/messages/batches',
    {
      requests: ids.map((id) => ({
        custom_id: id,
        params: { model: 'm', max_tokens: 1, messages: [user] },
      })),
    },
    { 'anthropic-version': '2023-06-01' },
  )

/** Requests that every vendor takes. */
export const rightRequests: readonly SentRequest[] = [
  responses({ tools: [tool()], max_output_tokens: 16 }),
  responses({ input: [user, call('c1'), call('c2'), output('c2'), output('c1')], store: false }),
  chat({
    messages: [user, calling(chatCall('a'), chatCall('b')), result('b'), result('a')],
    tools: [chatTool({ strict: true })],
  }),
  messages({ thinking, temperature: 1, tools: [input({ strict: true })] }),
  messages({ messages: [user, use('t1'), answer('t1')], tools: [input()] }),
  messages({ system: [marked('1h'), marked()] }),
  onVertex({ temperature: 1, tools: [input({ strict: true })] }),
  gemini({
    contents: [says, calls('f', 'g'), returns('f', 'g')],
    tools: [declares({ name: 'f' }, { name: 'g' })],
  }),
  ollama({ options: { temperature: 0.1, num_ctx: 4096 } }),
]

/** For every rule a request that breaks it, and nothing else. */
export const brokenRequests: readonly BrokenRequest[] = [
  row(
    'unknown-field',
    'input[0].content[0].foo',
    responses({ input: [{ role: 'user', content: [{ type: 'input_text', text: 'x', foo: 1 }] }] }),
  ),
  row('unknown-field', 'top_k', chat({ top_k: 1 })),
  row('unknown-field', 'messages[0].foo', messages({ messages: [{ ...user, foo: 1 }] })),
  row(
    'unknown-field',
    'temperature',
    messages({ temperature: 0 }, { 'anthropic-version': '2026-10-21' }),
  ),
  row(
    'unknown-field',
    'generationConfig.max_tokens',
    gemini({ generationConfig: { max_tokens: 1 } }),
  ),
  row('unknown-field', 'max_tokens', ollama({ max_tokens: 1 })),
  row(
    'shape',
    'messages[1].tool_call_id',
    chat({ messages: [user, { role: 'tool', content: 'x' }] }),
  ),
  row(
    'shape',
    'messages[0].content[0].source.media_type',
    messages({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'AA==' } },
          ],
        },
      ],
    }),
  ),
  row('shape', 'contents[0].parts', gemini({ contents: [{ role: 'user', parts: [] }] })),
  row(
    'shape',
    'max_tokens',
    post(
      'https://api.anthropic.com/v1/messages',
      { model: 'm', messages: [user] },
      { 'anthropic-version': '2023-06-01' },
    ),
  ),

  row('responses-fewest-tokens', 'max_output_tokens', responses({ max_output_tokens: 10 })),
  row(
    'responses-results-follow-calls',
    'input[1].call_id',
    responses({ input: [user, call('c1')] }),
  ),
  row(
    'responses-results-follow-calls',
    'input[1].call_id',
    responses({ input: [user, output('c1')] }),
  ),
  row(
    'responses-results-follow-calls',
    'input[3].call_id',
    responses({ input: [user, call('c1'), output('c1'), output('c1')] }),
  ),
  row(
    'responses-reasoning-is-followed',
    'input[1]',
    responses({
      input: [user, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' }],
    }),
  ),
  row(
    'responses-reasoning-is-kept',
    'input[1].encrypted_content',
    responses({
      input: [
        user,
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { role: 'assistant', content: 'x' },
      ],
      store: false,
    }),
  ),
  row(
    'responses-item-ids',
    'input[1].id',
    responses({ input: [user, { ...call('c1'), id: 'call_1' }, output('c1')] }),
  ),
  row(
    'responses-call-ids',
    'input[1].call_id',
    responses({ input: [user, call('c'.repeat(65)), output('c'.repeat(65))] }),
  ),
  row(
    'responses-background-is-stored',
    'background',
    responses({ background: true, store: false }),
  ),
  row(
    'responses-one-history',
    'conversation',
    responses({ previous_response_id: 'resp_1', conversation: 'conv_1' }),
  ),
  row(
    'openai-strict-schema',
    'text.format.schema',
    responses({ text: { format: { type: 'json_schema', name: 'n', strict: true, schema: open } } }),
  ),
  row(
    'openai-strict-schema',
    'tools[0].function.parameters.properties.a.default',
    chat({
      tools: [
        chatTool({
          strict: true,
          parameters: { ...schema, properties: { a: { type: 'string', default: 'x' } } },
        }),
      ],
    }),
  ),
  row(
    'openai-strict-schema',
    'tools[0].parameters',
    responses({ tools: [tool({ strict: true, parameters: { ...schema, required: [] } })] }),
  ),
  row(
    'openai-schema-name',
    'text.format.name',
    responses({ text: { format: { type: 'json_schema', name: 'my schema', schema } } }),
  ),
  row('openai-tool-names', 'tools[0].name', responses({ tools: [tool({ name: 'a b' })] })),
  row(
    'openai-tool-parameters',
    'tools[0].function.parameters',
    chat({ tools: [chatTool({ parameters: { type: 'string' } })] }),
  ),
  row('openai-tools', 'tools', chat({ tools: [] })),
  row(
    'openai-tool-choice',
    'tool_choice',
    responses({ tools: [tool()], tool_choice: { type: 'function', name: 'g' } }),
  ),
  row('openai-json-word', 'response_format', chat({ response_format: { type: 'json_object' } })),
  row('openai-sampling', 'temperature', chat({ temperature: 2.1 })),
  row('openai-sampling', 'top_logprobs', chat({ top_logprobs: 3 })),
  row('openai-reasoning-models', 'temperature', responses({ model: 'o3', temperature: 0 })),
  row('openai-metadata', 'metadata.k', responses({ metadata: { k: 'x'.repeat(513) } })),
  row(
    'chat-results-follow-calls',
    'messages[1].tool_calls[0].id',
    chat({ messages: [user, calling(chatCall('a')), user] }),
  ),
  row(
    'chat-results-follow-calls',
    'messages[1].tool_call_id',
    chat({ messages: [user, result('a')] }),
  ),
  row(
    'chat-messages-say-something',
    'messages[1].content',
    chat({ messages: [user, { role: 'assistant', content: null }] }),
  ),
  row(
    'chat-call-ids',
    'messages[1].tool_calls[0].id',
    chat({ messages: [user, calling(chatCall('a'.repeat(65))), result('a'.repeat(65))] }),
  ),
  row('chat-one-limit', 'max_tokens', chat({ max_tokens: 1, max_completion_tokens: 1 })),
  row('chat-stop', 'stop', chat({ stop: ['a', 'b', 'c', 'd', 'e'] })),
  row('chat-stream-options', 'stream_options', chat({ stream_options: { include_usage: true } })),
  row(
    'mistral-call-ids',
    'messages[1].tool_calls[0].id',
    chat({ messages: [user, calling(chatCall('call_1')), result('call_1')] }, 'api.mistral.ai'),
  ),
  row(
    'mistral-order',
    'messages[3].role',
    chat(
      { messages: [user, calling(chatCall('abcdefghi')), result('abcdefghi'), user] },
      'api.mistral.ai',
    ),
  ),

  row(
    'groq-unsupported',
    'messages[0].name',
    chat({ messages: [{ ...user, name: 'Ann' }] }, 'api.groq.com'),
  ),
  row(
    'deepseek-schema',
    'response_format',
    chat(
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
      'api.deepseek.com',
    ),
  ),
  row(
    'deepseek-thinking-comes-back',
    'messages[1].reasoning_content',
    chat(
      { thinking: { type: 'enabled' }, messages: [user, calling(chatCall('a')), result('a')] },
      'api.deepseek.com',
    ),
  ),
  row(
    'perplexity-order',
    'messages[1].role',
    chat({ messages: [user, user] }, 'api.perplexity.ai'),
  ),
  row('grok-reasoning-models', 'stop', chat({ model: 'grok-4', stop: ['x'] }, 'api.x.ai')),

  row(
    'messages-first-is-user',
    'messages',
    messages({ messages: [{ role: 'assistant', content: 'Hi' }, user] }),
  ),
  row(
    'messages-results-follow-calls',
    'messages[2]',
    messages({ messages: [user, use('t1'), user] }),
  ),
  row(
    'messages-results-follow-calls',
    'messages[0].content[0]',
    messages({ messages: [answer('t1')] }),
  ),
  row(
    'messages-results-follow-calls',
    'messages[2].content[1]',
    messages({ messages: [user, use('t1'), answer('t1', 't1')] }),
  ),
  row(
    'messages-results-follow-calls',
    'messages[1].content[0]',
    messages({ messages: [user, use('t1')] }),
  ),
  row(
    'messages-call-ids',
    'messages[1].content[0]',
    messages({
      messages: [
        user,
        use('t.1'),
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't.1', content: 'x' }] },
      ],
    }),
  ),
  row(
    'messages-text-says-something',
    'messages[0].content',
    messages({ messages: [{ role: 'user', content: ' ' }] }),
  ),
  row(
    'messages-text-says-something',
    'messages[1].content',
    messages({ messages: [user, { role: 'assistant', content: 'It is ' }] }),
  ),
  row(
    'messages-content-is-there',
    'messages[0].content',
    messages({ messages: [{ role: 'user', content: [] }, user] }),
  ),
  row('messages-thinking-budget', 'max_tokens', messages({ thinking, max_tokens: 1024 })),
  row(
    'messages-thinking-budget',
    'thinking.budget_tokens',
    messages({ thinking: { type: 'enabled', budget_tokens: 512 } }),
  ),
  row('messages-thinking-sampling', 'temperature', messages({ thinking, temperature: 0 })),
  row(
    'messages-thinking-forced-tool',
    'tool_choice',
    messages({ thinking, tools: [input()], tool_choice: { type: 'any' } }),
  ),
  row(
    'messages-thinking-comes-back',
    'messages[1].content[0]',
    messages({ thinking, messages: [user, use('t1'), answer('t1')] }),
  ),
  row(
    'messages-thinking-prefill',
    'messages',
    messages({ thinking, messages: [user, { role: 'assistant', content: 'It' }] }),
  ),
  row(
    'messages-thinking-is-signed',
    'messages[1].content[0].signature',
    messages({
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: '' }] },
        user,
      ],
    }),
  ),
  row(
    'messages-structured-output',
    'output_config.format.schema',
    messages({ output_config: { format: { type: 'json_schema', schema: open } } }),
  ),
  row(
    'messages-structured-output',
    'output_config.format.schema.properties.a.minLength',
    messages({
      output_config: {
        format: {
          type: 'json_schema',
          schema: { ...schema, properties: { a: { type: 'string', minLength: 1 } } },
        },
      },
    }),
  ),
  row(
    'messages-structured-output',
    'output_config.format.schema.properties.a.pattern',
    messages({
      output_config: {
        format: {
          type: 'json_schema',
          schema: { ...schema, properties: { a: { type: 'string', pattern: '^(?!x)' } } },
        },
      },
    }),
  ),
  row(
    'messages-strict-tools',
    'tools[0].input_schema',
    messages({ tools: [input({ strict: true, input_schema: open })] }),
  ),
  row(
    'messages-citations-and-schema',
    'output_config.format',
    messages({
      output_config: { format: { type: 'json_schema', schema } },
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'x' },
              citations: { enabled: true },
            },
          ],
        },
      ],
    }),
  ),
  row('messages-tools', 'tools[1].name', messages({ tools: [input(), input()] })),
  row(
    'messages-calls-have-tools',
    'tools',
    messages({ messages: [user, use('a'), answer('a')], tools: [] }),
  ),
  row('messages-tool-choice', 'tool_choice', messages({ tool_choice: { type: 'auto' } })),
  row('messages-sampling', 'temperature', messages({ temperature: 1.5 })),
  row('messages-one-sampling', 'top_p', messages({ temperature: 0.5, top_p: 0.5 })),
  row(
    'messages-bedrock',
    'output_config.format',
    atBedrock({ output_config: { format: { type: 'json_schema', schema } } }),
  ),
  row('messages-bedrock', 'tools.strict', atBedrock({ tools: [input({ strict: true })] })),
  row(
    'messages-bedrock',
    'source.type',
    atBedrock({
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'url', url: 'https://a.test' } }],
        },
      ],
    }),
  ),
  row('messages-vertex', 'anthropic_version', onVertex({ anthropic_version: '2023-06-01' })),
  row('messages-vertex', 'model', onVertex({ model: 'claude-sonnet-4-5' })),
  row('messages-vertex', 'authorization', onVertex({}, {})),
  row(
    'messages-vertex',
    'source.type',
    onVertex({
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'url', url: 'https://a.test' } }],
        },
      ],
    }),
  ),
  row('messages-stop', 'stop_sequences[0]', messages({ stop_sequences: ['\n'] })),
  row(
    'messages-cache-marks',
    'messages',
    messages({ system: Array.from({ length: 5 }, () => marked()) }),
  ),
  row(
    'messages-cache-marks',
    'system[1].cache_control',
    messages({ system: [marked(), marked('1h')] }),
  ),
  row('messages-headers', '', messages({}, {})),

  row(
    'messages-sampling',
    'requests[0].params.temperature',
    post(
      'https://api.anthropic.com/v1/messages/batches',
      {
        requests: [
          {
            custom_id: 'a',
            params: { model: 'm', max_tokens: 1, messages: [user], temperature: 1.5 },
          },
        ],
      },
      { 'anthropic-version': '2023-06-01' },
    ),
  ),
  row(
    'gemini-stop',
    'batch.input_config.requests.requests[0].request.generationConfig.stopSequences',
    post('https://generativelanguage.googleapis.com/v1beta/models/m:batchGenerateContent', {
      batch: {
        display_name: 'd',
        input_config: {
          requests: {
            requests: [
              { request: { contents: [says], generationConfig: { stopSequences: [''] } } },
            ],
          },
        },
      },
    }),
  ),
  row('unknown-field', 'text', post('http://127.0.0.1:8080/tokenize', { content: 'x', text: 'x' })),

  row('gemini-roles', 'contents[0].role', gemini({ contents: [{ parts: [{ text: 'x' }] }, says] })),
  row(
    'gemini-last-is-user',
    'contents',
    gemini({ contents: [says, { role: 'model', parts: [{ text: 'x' }] }] }, 'gemini-3.7-flash'),
  ),
  row(
    'gemini-results-alone',
    'contents[2]',
    gemini({
      contents: [
        says,
        calls('f'),
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }, { text: 'x' }] },
      ],
    }),
  ),
  row(
    'gemini-results-follow-calls',
    'contents[2]',
    gemini({ contents: [says, calls('f', 'g'), returns('f')] }),
  ),
  row(
    'gemini-results-follow-calls',
    'contents[2]',
    gemini({ contents: [says, calls('f'), returns('g')] }),
  ),
  row(
    'gemini-part-has-one-thing',
    'contents[0].parts[0]',
    gemini({
      contents: [
        {
          role: 'user',
          parts: [{ text: 'x', inlineData: { mimeType: 'image/png', data: 'AA==' } }],
        },
      ],
    }),
  ),
  row(
    'gemini-signatures',
    'contents[1].parts[0]',
    gemini({ contents: [says, calls('f'), returns('f')] }, 'gemini-3-flash-preview'),
  ),
  row(
    'gemini-cached-content',
    'tools',
    gemini({ cachedContent: 'cachedContents/1', tools: [declares({ name: 'f' })] }),
  ),
  row(
    'gemini-function-names',
    'tools[0].functionDeclarations[0].name',
    gemini({ tools: [declares({ name: '1f' })] }),
  ),
  row(
    'gemini-function-parameters',
    'tools[0].functionDeclarations[0].parameters.properties',
    gemini({ tools: [declares({ name: 'f', parameters: { type: 'OBJECT' } })] }),
  ),
  row(
    'gemini-tool-config',
    'toolConfig.functionCallingConfig',
    gemini({ toolConfig: { functionCallingConfig: { mode: 'ANY' } } }),
  ),
  row(
    'gemini-tools-together',
    'tools',
    gemini({ tools: [declares({ name: 'f' }), { googleSearch: {} }] }),
  ),
  row(
    'gemini-response-schema',
    'generationConfig.responseMimeType',
    gemini({ generationConfig: { responseJsonSchema: schema } }),
  ),
  row(
    'gemini-sampling',
    'generationConfig.logprobs',
    gemini({ generationConfig: { logprobs: 3 } }),
  ),
  row(
    'gemini-stop',
    'generationConfig.stopSequences',
    gemini({ generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } }),
  ),
  row(
    'gemini-thinking',
    'generationConfig.thinkingConfig',
    gemini({ generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'low' } } }),
  ),
  row(
    'gemini-system-is-text',
    'systemInstruction.parts[0]',
    gemini({
      systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] },
    }),
  ),

  row('ollama-option-types', 'options.num_ctx', ollama({ options: { num_ctx: 1.5 } })),
  row('ollama-messages', 'messages', ollama({ messages: [] })),
  row(
    'ollama-images',
    'messages[0].images[0]',
    ollama({ messages: [{ ...user, images: ['data:image/png;base64,AA=='] }] }),
  ),
  row(
    'ollama-results-follow-calls',
    'messages[1]',
    ollama({ messages: [user, { role: 'tool', tool_name: 'f', content: 'x' }] }),
  ),
  row('ollama-logprobs', 'top_logprobs', ollama({ logprobs: true, top_logprobs: 21 })),

  row(
    'openai-image-urls',
    'messages[0].content[0].image_url.url',
    chat({
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///a.png' } }] },
      ],
    }),
  ),
  row(
    'openai-image-urls',
    'input[0].content[0].image_url',
    responses({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,/9j/AAAA' },
          ],
        },
      ],
    }),
  ),
  row('messages-image-data', 'messages[0].content[0].source.media_type', shows('/9j/AAAA')),
  row('messages-image-data', 'messages[0].content[0].source.data', shows('AAA')),
  row('messages-image-data', 'messages[0].content[0].source.data', shows('A'.repeat(6_000_000))),
  row('openai-embedding-input', 'input', embeds(['a', ''])),
  row('openai-embedding-input', 'input', embeds(Array.from({ length: 2049 }, () => 'a'))),
  row('anthropic-batch-ids', 'requests[1].custom_id', batch('a', 'a')),
  row('anthropic-batch-ids', 'requests[0].custom_id', batch('a b')),
  row('ollama-format', 'format', ollama({ format: 'yaml' })),
  row('ollama-format', 'keep_alive', ollama({ keep_alive: '5' })),
  row(
    'llamacpp-one-grammar',
    'grammar',
    chat({ grammar: 'root ::= "a"', tools: [chatTool()] }, 'llama.example'),
  ),
  row(
    'chat-message-names',
    'messages[0].name',
    chat({ messages: [{ ...user, name: 'Ann Smith' }] }),
  ),
  row(
    'gemini-safety-settings',
    'safetySettings[1].category',
    gemini({
      safetySettings: ['BLOCK_NONE', 'BLOCK_ONLY_HIGH'].map((threshold) => ({
        category: 'HARM_CATEGORY_HARASSMENT',
        threshold,
      })),
    }),
  ),
  row(
    'gemini-schema-form',
    'tools[0].functionDeclarations[0].parameters.properties.n.enum',
    gemini({
      tools: [
        declares({
          name: 'f',
          parameters: { type: 'OBJECT', properties: { n: { type: 'INTEGER', enum: ['1'] } } },
        }),
      ],
    }),
  ),
  row(
    'gemini-schema-form',
    'generationConfig.responseSchema.items',
    gemini({
      generationConfig: { responseMimeType: 'application/json', responseSchema: { type: 'ARRAY' } },
    }),
  ),
  row(
    'responses-content-of-roles',
    'input[1].content[0].type',
    responses({
      input: [user, { role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }, user],
    }),
  ),
]
