import { type BrokenRequest, post, row } from './broken-requests.ts'
import type { Fields, SentRequest } from './sent-request.ts'

const key = { authorization: 'Bearer ABSK-0123456789' }
const says = (text: string, role = 'user'): Fields => ({ role, content: [{ text }] })
const user = says('Hi')
const spec = (more: Fields = {}): Fields => ({
  toolSpec: { name: 'f', description: 'd', inputSchema: { json: { type: 'object' } }, ...more },
})
const called = { toolConfig: { tools: [spec()] } }
const call = (toolUseId = 't1', input: unknown = {}): Fields => ({
  role: 'assistant',
  content: [{ toolUse: { toolUseId, name: 'f', input } }],
})
const result = (...ids: readonly string[]): Fields => ({
  role: 'user',
  content: ids.map((toolUseId) => ({ toolResult: { toolUseId, content: [{ text: 'x' }] } })),
})
const file = (name: string, format = 'pdf', bytes = 'JVBERi0='): Fields => ({
  document: { name, format, source: { bytes } },
})
const point = (ttl?: string): Fields => ({ cachePoint: { type: 'default', ...(ttl && { ttl }) } })

const converse = (
  more: Fields,
  headers: Record<string, string> = key,
  stream = false,
): SentRequest =>
  post(
    `https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-6/converse${stream ? '-stream' : ''}`,
    { messages: [user], ...more },
    headers,
  )
const conversation = (...messages: readonly Fields[]): SentRequest =>
  converse({ messages, ...called })
const content = (...blocks: readonly Fields[]): SentRequest =>
  converse({ messages: [{ role: 'user', content: blocks }] })

/** Requests that Bedrock takes. */
export const rightConverse: readonly SentRequest[] = [
  converse({
    system: [{ text: 'Be brief.' }, point('1h')],
    inferenceConfig: { maxTokens: 9, temperature: 1 },
  }),
  converse(
    {
      guardrailConfig: {
        guardrailIdentifier: 'g',
        guardrailVersion: '1',
        streamProcessingMode: 'sync',
      },
    },
    key,
    true,
  ),
  conversation(user, call(), result('t1'), says('x', 'assistant'), user),
  content({ text: 'x' }, file('a (1)'), {
    image: { format: 'png', source: { s3Location: { uri: 's3://b/k' } } },
  }),
]

/** Requests that break one rule each. */
export const brokenConverse: readonly BrokenRequest[] = [
  row('unknown-field', 'modelId', converse({ modelId: 'm' })),
  row('unknown-field', 'inferenceConfig.topK', converse({ inferenceConfig: { topK: 1 } })),
  row(
    'unknown-field',
    'guardrailConfig.streamProcessingMode',
    converse({
      guardrailConfig: {
        guardrailIdentifier: 'g',
        guardrailVersion: '1',
        streamProcessingMode: 'sync',
      },
    }),
  ),
  row('shape', 'messages[0].content[0]', content({ text: 'x', ...point() })),
  row('shape', 'messages[0].content', converse({ messages: [{ role: 'user', content: 'x' }] })),
  row('converse-roles', 'messages', converse({ messages: [] })),
  row('converse-roles', 'messages[0].role', converse({ messages: [says('x', 'system')] })),
  row('converse-roles', 'messages[0].role', converse({ messages: [says('x', 'assistant')] })),
  row('converse-roles', 'messages[1].role', converse({ messages: [user, user] })),
  row('converse-roles', 'messages[0].content', content()),
  row('converse-blank-text', 'messages[0].content[0].text', content({ text: ' \n' })),
  row('converse-blank-text', 'system[0].text', converse({ system: [{ text: '' }] })),
  row(
    'converse-blank-text',
    'messages[2].content[0].toolResult.content[0].text',
    conversation(user, call(), {
      role: 'user',
      content: [{ toolResult: { toolUseId: 't1', content: [{ text: '' }] } }],
    }),
  ),
  row(
    'converse-blank-text',
    'messages[2].content[0].toolResult.content',
    conversation(user, call(), {
      role: 'user',
      content: [{ toolResult: { toolUseId: 't1', content: [], status: 'error' } }],
    }),
  ),
  row(
    'converse-blocks-of-roles',
    'messages[0].content[0]',
    content({ reasoningContent: { reasoningText: { text: 'x', signature: 's' } } }),
  ),
  row(
    'converse-blocks-of-roles',
    'messages[1].content[1]',
    converse({
      messages: [
        user,
        {
          role: 'assistant',
          content: [{ text: 'x' }, { image: { format: 'png', source: { bytes: 'AAAA' } } }],
        },
      ],
    }),
  ),
  row('converse-results-follow-calls', 'messages[2].content', conversation(user, call(), user)),
  row('converse-results-follow-calls', 'messages[0].content', conversation(result('t1'))),
  row(
    'converse-results-follow-calls',
    'messages[2].content',
    conversation(user, call(), result('t1', 't1')),
  ),
  row('converse-results-follow-calls', 'messages[1].content', conversation(user, call())),
  row(
    'converse-call-ids',
    'messages[1].content[0].toolUse.toolUseId',
    conversation(user, call('functions.f:0'), result('functions.f:0')),
  ),
  row(
    'converse-call-input',
    'messages[1].content[0].toolUse.input',
    conversation(user, call('t1', '{}'), result('t1')),
  ),
  row(
    'converse-calls-have-tools',
    'toolConfig',
    converse({ messages: [user, call(), result('t1')] }),
  ),
  row(
    'converse-tools',
    'toolConfig.tools[0].toolSpec.name',
    converse({ toolConfig: { tools: [spec({ name: 'a b' })] } }),
  ),
  row(
    'converse-tools',
    'toolConfig.tools[1].toolSpec.name',
    converse({ toolConfig: { tools: [spec(), spec()] } }),
  ),
  row(
    'converse-tools',
    'toolConfig.tools[0].toolSpec.description',
    converse({ toolConfig: { tools: [spec({ description: '' })] } }),
  ),
  row(
    'converse-tools',
    'toolConfig.tools[0].toolSpec.inputSchema.json.type',
    converse({ toolConfig: { tools: [spec({ inputSchema: { json: {} } })] } }),
  ),
  row('converse-tool-choice', 'toolConfig.tools', converse({ toolConfig: { tools: [] } })),
  row(
    'converse-tool-choice',
    'toolConfig.toolChoice.tool.name',
    converse({ toolConfig: { tools: [spec()], toolChoice: { tool: { name: 'g' } } } }),
  ),
  row(
    'converse-documents',
    'messages[0].content[1].document.name',
    content({ text: 'x' }, file('a.pdf')),
  ),
  row(
    'converse-documents',
    'messages[0].content[2].document.name',
    content({ text: 'x' }, file('a'), file('a')),
  ),
  row('converse-documents-have-text', 'messages[0].content', content(file('a'))),
  row(
    'converse-media',
    'messages[0].content[1].document.format',
    content({ text: 'x' }, file('a', 'rtf')),
  ),
  row(
    'converse-media',
    'messages[0].content[0].image.source.bytes',
    content({ image: { format: 'png', source: { bytes: 'data:image/png;base64,AAAA' } } }),
  ),
  row(
    'converse-sampling',
    'inferenceConfig.maxTokens',
    converse({ inferenceConfig: { maxTokens: 0 } }),
  ),
  row(
    'converse-sampling',
    'inferenceConfig.temperature',
    converse({ inferenceConfig: { temperature: 1.5 } }),
  ),
  row('converse-sampling', 'inferenceConfig.topP', converse({ inferenceConfig: { topP: 2 } })),
  row(
    'converse-sampling',
    'inferenceConfig.stopSequences',
    converse({ inferenceConfig: { stopSequences: [''] } }),
  ),
  row(
    'converse-claude-effort',
    'additionalModelRequestFields.output_config.effort',
    converse({ additionalModelRequestFields: { output_config: { effort: 'minimal' } } }),
  ),
  row(
    'converse-output-schema',
    'outputConfig.textFormat.structure.jsonSchema.schema',
    converse({
      outputConfig: {
        textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: 'object' } } },
      },
    }),
  ),
  row(
    'converse-cache-points',
    'system[4]',
    converse({ system: [{ text: 'x' }, point(), point(), point(), point(), point()].slice(1) }),
  ),
  row('converse-cache-points', 'system[0].cachePoint', converse({ system: [point('2h')] })),
  row(
    'converse-cache-points',
    'messages[0].content[1]',
    converse({
      system: [{ text: 'x' }, point()],
      messages: [{ role: 'user', content: [{ text: 'x' }, point('1h')] }],
    }),
  ),
  row('converse-headers', '', converse({}, {})),
]
