import { modelOf } from '../apis.ts'
import {
  asText,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  type SentRequest,
} from '../sent-request.ts'
import { type Breach, breach, outside, type Rule } from './rule.ts'

const reference = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_'
const dialects = ['converse'] as const

const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)
const isClaude = (request: SentRequest): boolean => /(^|[./])anthropic[.]/.test(modelOf(request))

/** A block with its place, and those in it if it is a tool result. */
type Placed = readonly [block: Fields, path: string]
const placed = (content: unknown, path: string): readonly Placed[] =>
  listOf(content).flatMap((block, index): readonly Placed[] => {
    const at = `${path}[${index}]`
    const { content: inner } = fieldsOf(block['toolResult'])
    return [[block, at], ...placed(inner, `${at}.toolResult.content`)]
  })
const blocksOf = (request: SentRequest): readonly Placed[] => {
  const { messages, system } = bodyOf(request)
  const inMessages = listOf(messages).flatMap(({ content }, index) =>
    placed(content, `messages[${index}].content`),
  )
  return [...placed(system, 'system'), ...inMessages]
}
const each =
  (check: (block: Fields, path: string) => readonly Breach[]) =>
  (request: SentRequest): readonly Breach[] =>
    blocksOf(request).flatMap(([block, path]) => check(block, path))

const idsOf = (message: Fields | undefined, kind: 'toolUse' | 'toolResult'): readonly string[] =>
  listOf(message?.['content']).flatMap((block) =>
    isFields(block[kind]) && block[kind]['type'] !== 'server_tool_use'
      ? [asText(block[kind]['toolUseId'])]
      : [],
  )
const toolsOf = (request: SentRequest): readonly (readonly [Fields, string])[] =>
  listOf(fieldsOf(bodyOf(request)['toolConfig'])['tools']).flatMap((tool, index) =>
    isFields(tool['toolSpec'])
      ? [[tool['toolSpec'], `toolConfig.tools[${index}].toolSpec`] as const]
      : [],
  )
/** Lists of a request in which a cache may be marked. */
const marksOf = (request: SentRequest): readonly Placed[] =>
  [
    ...placed(fieldsOf(bodyOf(request)['toolConfig'])['tools'], 'toolConfig.tools'),
    ...blocksOf(request),
  ].filter(([block]) => isFields(block['cachePoint']))

function roleBreaches(request: SentRequest): readonly Breach[] {
  const messages = listOf(bodyOf(request)['messages'])
  return [
    ...breach(!messages.length, 'messages', 'A conversation must start with a user message'),
    ...messages.flatMap(({ role, content }, index) => [
      ...breach(
        !['user', 'assistant'].includes(asText(role)),
        `messages[${index}].role`,
        'Member must satisfy enum value set: [user, assistant]',
      ),
      ...breach(
        index === 0 && role === 'assistant',
        'messages[0].role',
        'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
      ),
      ...breach(
        index > 0 && role === messages[index - 1]?.['role'],
        `messages[${index}].role`,
        'roles must alternate between "user" and "assistant"',
      ),
      ...breach(
        !listOf(content).length,
        `messages[${index}].content`,
        'The content field is empty',
      ),
    ]),
  ]
}

function pairBreaches(request: SentRequest): readonly Breach[] {
  const messages = listOf(bodyOf(request)['messages'])
  return messages.flatMap((message, index) => {
    const path = `messages[${index}].content`
    const calls = idsOf(messages[index - 1], 'toolUse')
    const results = idsOf(message, 'toolResult')
    const missing = calls.filter((id) => !results.includes(id))
    return [
      ...breach(
        missing.length,
        path,
        `Expected toolResult blocks for the following Ids: ${missing.join(', ')}`,
      ),
      ...breach(
        results.some((id) => !calls.includes(id)),
        path,
        'The number of toolResult blocks exceeds the number of toolUse blocks of previous turn',
      ),
      ...breach(
        new Set(results).size < results.length,
        path,
        'two toolResult blocks have the same toolUseId',
      ),
      ...breach(
        index === messages.length - 1 && idsOf(message, 'toolUse').length,
        path,
        'the last message has toolUse blocks without their results',
      ),
    ]
  })
}

function documentBreaches(request: SentRequest): readonly Breach[] {
  const documents = blocksOf(request).flatMap(([block, path]) =>
    isFields(block['document'])
      ? [[asText(block['document']['name']), `${path}.document.name`] as const]
      : [],
  )
  return documents.flatMap(([name, path], index) => [
    ...breach(
      !/^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/.test(name),
      path,
      'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets',
    ),
    ...breach(
      documents.findIndex(([other]) => other === name) < index,
      path,
      "Messages can't contain duplicate document names",
    ),
  ])
}

const specBreaches = (request: SentRequest): readonly Breach[] => {
  const tools = toolsOf(request)
  return tools.flatMap(([{ name, description, inputSchema }, path], index) => [
    ...breach(
      !/^[a-zA-Z0-9_-]{1,64}$/.test(asText(name)),
      `${path}.name`,
      'must satisfy [a-zA-Z0-9_-]+, at most 64',
    ),
    ...breach(
      tools.findIndex(([other]) => other['name'] === name) < index,
      `${path}.name`,
      `The toolConfig has two tools of the name ${asText(name)}`,
    ),
    ...breach(
      description === '',
      `${path}.description`,
      'Member must have length greater than or equal to 1',
    ),
    ...breach(
      fieldsOf(fieldsOf(inputSchema)['json'])['type'] !== 'object',
      `${path}.inputSchema.json.type`,
      'The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object',
    ),
  ])
}

function choiceBreaches(request: SentRequest): readonly Breach[] {
  const { tools, toolChoice } = fieldsOf(bodyOf(request)['toolConfig'])
  const chosen = fieldsOf(fieldsOf(toolChoice)['tool'])['name']
  return [
    ...breach(
      tools !== undefined && !listOf(tools).length,
      'toolConfig.tools',
      'Member must have length at least 1',
    ),
    ...breach(
      chosen !== undefined && !toolsOf(request).some(([{ name }]) => name === chosen),
      'toolConfig.toolChoice.tool.name',
      `no tool is named ${asText(chosen)}`,
    ),
  ]
}

const formats: Readonly<Record<string, readonly string[]>> = {
  image: ['png', 'jpeg', 'gif', 'webp'],
  document: ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'],
}

/** What Converse demands and its types do not say. */
export const converseRules: readonly Rule[] = [
  {
    name: 'converse-roles',
    dialects,
    says: 'there is a message, the first is of the user, roles alternate, and none is empty',
    source: `${reference}Message.html`,
    check: roleBreaches,
  },
  {
    name: 'converse-blank-text',
    dialects,
    says: 'no text block is empty or only white space, and a failed result has content',
    source: 'https://github.com/boto/botocore/issues/3525',
    check: each((block, path) => [
      ...breach(
        typeof block['text'] === 'string' && !block['text'].trim(),
        `${path}.text`,
        'The text field in the ContentBlock object is blank. Add text to the text field, and try again.',
      ),
      ...breach(
        fieldsOf(block['toolResult'])['status'] === 'error' &&
          !listOf(fieldsOf(block['toolResult'])['content']).length,
        `${path}.toolResult.content`,
        'toolResult content cannot be empty when status is error',
      ),
    ]),
  },
  {
    name: 'converse-blocks-of-roles',
    dialects,
    says: 'calls, reasoning and citations are of the model; results, pictures and documents of the user',
    source: `${reference}ContentBlock.html`,
    check: (request) =>
      listOf(bodyOf(request)['messages']).flatMap(({ role, content }, index) =>
        listOf(content).flatMap((block, at) => {
          const foreign =
            role === 'user'
              ? ['toolUse', 'reasoningContent', 'citationsContent']
              : ['toolResult', 'image', 'document', 'guardContent', 'searchResult']
          const kind = foreign.find((name) => name in block)
          return breach(
            kind,
            `messages[${index}].content[${at}]`,
            `${kind ?? ''} is not of the role ${asText(role)}`,
          )
        }),
      ),
  },
  {
    name: 'converse-results-follow-calls',
    dialects,
    says: 'the message after calls has one result for each of them, and no other',
    source: `${reference}ToolResultBlock.html`,
    check: pairBreaches,
  },
  {
    name: 'converse-call-ids',
    dialects,
    says: 'ids of calls have 1 to 64 letters, digits, `_`, `.`, `:` or `-`; those of Claude no `.` or `:`',
    source: `${reference}ToolUseBlock.html`,
    check: (request) =>
      each((block, path) => {
        const { toolUseId } = fieldsOf(block['toolUse'])
        const form = isClaude(request) ? /^[a-zA-Z0-9_-]{1,64}$/ : /^[a-zA-Z0-9_.:-]{1,64}$/
        return breach(
          block['toolUse'] !== undefined && !form.test(asText(toolUseId)),
          `${path}.toolUse.toolUseId`,
          `failed to satisfy constraint: must satisfy regular expression pattern: ${form.source}`,
        )
      })(request),
  },
  {
    name: 'converse-call-input',
    dialects,
    says: 'the input of a call is an object',
    source: `${reference}ToolUseBlock.html`,
    check: each((block, path) =>
      breach(
        isFields(block['toolUse']) && !isFields(block['toolUse']['input']),
        `${path}.toolUse.input`,
        'The format of the value at toolUse.input is invalid. Provide a json object for the field and try again.',
      ),
    ),
  },
  {
    name: 'converse-calls-have-tools',
    dialects,
    says: 'a conversation with calls or results comes with `toolConfig`',
    source: 'https://github.com/langgenius/dify/issues/17545',
    check: (request) =>
      breach(
        bodyOf(request)['toolConfig'] === undefined &&
          blocksOf(request).some(([block]) => 'toolUse' in block || 'toolResult' in block),
        'toolConfig',
        'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
      ),
  },
  {
    name: 'converse-tools',
    dialects,
    says: 'names of tools have 1 to 64 letters, digits, `_` or `-` and differ; the input is an object; a description is not empty',
    source: `${reference}ToolSpecification.html`,
    check: specBreaches,
  },
  {
    name: 'converse-tool-choice',
    dialects,
    says: '`tools` is not empty, and a chosen tool is among them',
    source: `${reference}ToolConfiguration.html`,
    check: choiceBreaches,
  },
  {
    name: 'converse-documents',
    dialects,
    says: 'names of documents have 1 to 200 letters, digits, single spaces, hyphens, parentheses or square brackets, and differ',
    source: `${reference}DocumentBlock.html`,
    check: documentBreaches,
  },
  {
    name: 'converse-documents-have-text',
    dialects,
    says: 'a message with a document has a text, too',
    source: 'https://github.com/archestra-ai/archestra/pull/4220',
    check: (request) =>
      listOf(bodyOf(request)['messages']).flatMap(({ content }, index) =>
        breach(
          listOf(content).some((block) => 'document' in block) &&
            !listOf(content).some((block) => 'text' in block),
          `messages[${index}].content`,
          'A text block must be included when using a document',
        ),
      ),
  },
  {
    name: 'converse-media',
    dialects,
    says: 'images are png, jpeg, gif or webp, documents of a known format, and bytes are base64',
    source: `${reference}ImageBlock.html`,
    check: each((block, path) =>
      Object.entries(formats).flatMap(([kind, known]) => {
        if (!isFields(block[kind])) return []
        const { format, source } = block[kind]
        const { bytes } = fieldsOf(source)
        return [
          ...breach(
            !known.includes(asText(format)),
            `${path}.${kind}.format`,
            `${asText(format)} is not a format`,
          ),
          ...breach(
            typeof bytes === 'string' &&
              (!bytes || bytes.length % 4 !== 0 || /[^A-Za-z0-9+/=]/.test(bytes)),
            `${path}.${kind}.source.bytes`,
            'is not base64',
          ),
        ]
      }),
    ),
  },
  {
    name: 'converse-sampling',
    dialects,
    says: '`maxTokens` is at least 1, `temperature` and `topP` are 0 to 1, and there are at most 2500 texts that stop the reply',
    source: `${reference}InferenceConfiguration.html`,
    check: (request) => {
      const { maxTokens, temperature, topP, stopSequences } = fieldsOf(
        bodyOf(request)['inferenceConfig'],
      )
      const stops = Array.isArray(stopSequences) ? stopSequences : []
      return [
        ...outside(maxTokens, 1, Infinity, 'inferenceConfig.maxTokens'),
        ...outside(temperature, 0, 1, 'inferenceConfig.temperature'),
        ...outside(topP, 0, 1, 'inferenceConfig.topP'),
        ...breach(
          stops.length > 2500 || stops.includes(''),
          'inferenceConfig.stopSequences',
          'Member is empty',
        ),
      ]
    },
  },
  {
    name: 'converse-claude-effort',
    dialects,
    says: 'an effort of Claude is `low`, `medium`, `high`, `xhigh` or `max`',
    source: 'https://platform.claude.com/docs/en/build-with-claude/effort',
    check: (request) => {
      const { effort } = fieldsOf(
        fieldsOf(bodyOf(request)['additionalModelRequestFields'])['output_config'],
      )
      return breach(
        effort !== undefined && !['low', 'medium', 'high', 'xhigh', 'max'].includes(asText(effort)),
        'additionalModelRequestFields.output_config.effort',
        "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
      )
    },
  },
  {
    name: 'converse-output-schema',
    dialects,
    says: 'a schema of the output is JSON in a text',
    source: `${reference}JsonSchemaDefinition.html`,
    check: (request) => {
      const { textFormat } = fieldsOf(bodyOf(request)['outputConfig'])
      const { jsonSchema } = fieldsOf(fieldsOf(textFormat)['structure'])
      return breach(
        textFormat !== undefined && !/^[{].*[}]$/s.test(asText(fieldsOf(jsonSchema)['schema'])),
        'outputConfig.textFormat.structure.jsonSchema.schema',
        'is not a JSON schema',
      )
    },
  },
  {
    name: 'converse-cache-points',
    dialects,
    says: 'there are at most 4 cache points, of type `default`, for `5m` or `1h`, and longer ones come first',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html',
    check: (request) => {
      const marks = marksOf(request)
      const lifetimes = marks.map(([block]) => fieldsOf(block['cachePoint'])['ttl'] ?? '5m')
      return marks.flatMap(([block, path], index) => [
        ...breach(index > 3, path, 'a request has at most 4 cache points'),
        ...breach(
          fieldsOf(block['cachePoint'])['type'] !== 'default' ||
            !['5m', '1h'].includes(asText(lifetimes[index])),
          `${path}.cachePoint`,
          'Member must satisfy enum value set',
        ),
        ...breach(
          lifetimes[index] === '1h' && lifetimes.slice(0, index).includes('5m'),
          path,
          'a cache point for 1h must not come after one for 5m',
        ),
      ])
    },
  },
  {
    name: 'converse-headers',
    dialects,
    says: 'a request has an API key or a signature',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html',
    check: ({ headers }) =>
      breach(
        !/^(Bearer \S|AWS4-HMAC-SHA256 Credential=)/.test(headers['authorization'] ?? ''),
        '',
        'Missing Authentication Token',
      ),
  },
]
