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
import { groundedBreaches, schemasIn } from './schemas.ts'

const api = 'https://platform.claude.com/docs/en/api/messages'
const thinkingPage = 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking'
const structured = 'https://platform.claude.com/docs/en/build-with-claude/structured-outputs'
const toolUse = 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls'

const dialects = ['messages'] as const
const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)
const blocksOf = (content: unknown): readonly Fields[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)

/** Messages, with those of one role in a row put together as the API does. */
interface Turn {
  readonly role: unknown
  readonly path: string
  readonly blocks: readonly (Fields & { readonly path: string })[]
}
function turnsOf(body: Fields): readonly Turn[] {
  const turns: Turn[] = []
  for (const [index, { role, content }] of listOf(body['messages']).entries()) {
    const path = `messages[${index}]`
    const own = blocksOf(content).map((block, at) => ({
      ...block,
      path: typeof content === 'string' ? `${path}.content` : `${path}.content[${at}]`,
    }))
    const last = turns.at(-1)
    if (last && last.role === role)
      turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...own] }
    else turns.push({ role, path, blocks: own })
  }
  return turns
}

const thinkingOf = (body: Fields): Fields => fieldsOf(body['thinking'])
const thinks = (body: Fields): boolean =>
  ['enabled', 'adaptive'].includes(String(thinkingOf(body)['type']))
const formatOf = (body: Fields): readonly [Fields, string] =>
  isFields(body['output_format'])
    ? [body['output_format'], 'output_format']
    : [fieldsOf(fieldsOf(body['output_config'])['format']), 'output_config.format']
const ownTools = (body: Fields): readonly (readonly [Fields, string])[] =>
  listOf(body['tools']).flatMap((tool, index): (readonly [Fields, string])[] =>
    tool['type'] === undefined || tool['type'] === 'custom' ? [[tool, `tools[${index}]`]] : [],
  )

function pairBreaches(turns: readonly Turn[]): readonly Breach[] {
  return turns.flatMap(({ role, path, blocks }, index) => {
    if (role !== 'user') return []
    const calls = (turns[index - 1]?.blocks ?? []).filter(({ type }) => type === 'tool_use')
    const ids = calls.map(({ id }) => id)
    const results = blocks.filter(({ type }) => type === 'tool_result')
    const answers = results.map((result) => result['tool_use_id'])
    const missing = ids.filter((id) => !answers.includes(id))
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result')
    return [
      ...breach(
        missing.length,
        path,
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`,
      ),
      ...results.flatMap((result, at) => [
        ...breach(
          !ids.includes(result['tool_use_id']),
          result.path,
          `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(result['tool_use_id'])}`,
        ),
        ...breach(
          answers.indexOf(result['tool_use_id']) < at,
          result.path,
          'each tool_use must have a single result',
        ),
      ]),
      ...breach(
        firstOther >= 0 &&
          calls.length > 0 &&
          blocks.slice(firstOther).some(({ type }) => type === 'tool_result'),
        path,
        'tool_result blocks must come first in the content',
      ),
    ]
  })
}

function unansweredAtEnd(turns: readonly Turn[]): readonly Breach[] {
  const last = turns.at(-1)
  const calls =
    last?.role === 'assistant' ? last.blocks.filter(({ type }) => type === 'tool_use') : []
  return calls.map(({ path, id }) => ({
    path,
    message: `\`tool_use\` without a \`tool_result\`: ${String(id)}`,
  }))
}

function textBreaches(body: Fields): readonly Breach[] {
  const turns = turnsOf(body)
  const blocks = [
    ...blocksOf(body['system']).map((block, index) => ({ ...block, path: `system[${index}]` })),
    ...turns.flatMap((turn) => turn.blocks),
  ] as readonly (Fields & { readonly path: string })[]
  const last = turns.at(-1)
  const end = last?.role === 'assistant' ? last.blocks.at(-1) : undefined
  return [
    ...(body['system'] === '' ? [] : blocks).flatMap(({ type, text, path }) =>
      breach(
        type === 'text' && !asText(text).trim(),
        path,
        'text content blocks must contain non-whitespace text',
      ),
    ),
    ...breach(
      end?.['type'] === 'text' && /\s$/.test(String(end['text'])),
      end?.path ?? '',
      'final assistant content cannot end with trailing whitespace',
    ),
  ]
}

/** Marks of a cache, in the order of the prompt. */
function marksOf(body: Fields): readonly (readonly [Fields, string])[] {
  const blocks: readonly (readonly [Fields, string])[] = [
    ...listOf(body['tools']).map((tool, index) => [tool, `tools[${index}]`] as const),
    ...blocksOf(body['system']).map((block, index) => [block, `system[${index}]`] as const),
    ...turnsOf(body).flatMap((turn) => turn.blocks.map((block) => [block, block.path] as const)),
  ]
  return blocks.flatMap(([block, path]): (readonly [Fields, string])[] =>
    isFields(block['cache_control'])
      ? [
          [
            { ...block['cache_control'], kind: block['type'], text: block['text'] },
            `${path}.cache_control`,
          ],
        ]
      : [],
  )
}

function cacheBreaches(body: Fields): readonly Breach[] {
  const marks = marksOf(body)
  const all = marks.length + (isFields(body['cache_control']) ? 1 : 0)
  const firstShort = marks.findIndex(([{ ttl }]) => ttl !== '1h')
  return [
    ...breach(
      all > 4,
      'messages',
      `A maximum of 4 blocks with cache_control may be provided. Found ${all}.`,
    ),
    ...marks.flatMap(([{ ttl, kind, text }, path], index) => [
      ...breach(
        ttl === '1h' && firstShort >= 0 && index > firstShort,
        path,
        "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
      ),
      ...breach(
        kind === 'text' && text === '',
        path,
        'cache_control cannot be set for empty text blocks',
      ),
      ...breach(
        ['thinking', 'redacted_thinking'].includes(String(kind)),
        path,
        'cache_control cannot be set for thinking blocks',
      ),
    ]),
  ]
}

export const messagesRules: readonly Rule[] = [
  {
    name: 'messages-first-is-user',
    dialects,
    says: 'there is a message, and the first is of the user',
    source: api,
    check: (request) => {
      const [first] = listOf(bodyOf(request)['messages'])
      const summary = blocksOf(first?.['content'])[0]?.['type'] === 'compaction'
      return breach(
        !first || (first['role'] !== 'user' && !summary),
        'messages',
        'first message must use the "user" role',
      )
    },
  },
  {
    name: 'messages-results-follow-calls',
    dialects,
    says: 'the results of all calls open the next message, each once, and none answers another call',
    source: toolUse,
    check: (request) => {
      const turns = turnsOf(bodyOf(request)).filter(({ role }) => role !== 'system')
      return [...pairBreaches(turns), ...unansweredAtEnd(turns)]
    },
  },
  {
    name: 'messages-call-ids',
    dialects,
    says: 'ids of calls are made of letters, digits, `_` and `-`',
    source: 'https://github.com/continuedev/continue/issues/10373',
    check: (request) =>
      turnsOf(bodyOf(request)).flatMap(({ blocks }) =>
        blocks.flatMap((block) => {
          const id =
            block['type'] === 'tool_use'
              ? block['id']
              : block['type'] === 'tool_result'
                ? block['tool_use_id']
                : 'none'
          return breach(
            !/^[a-zA-Z0-9_-]+$/.test(String(id)),
            block.path,
            "id: String should match pattern '^[a-zA-Z0-9_-]+$'",
          )
        }),
      ),
  },
  {
    name: 'messages-text-says-something',
    dialects,
    says: 'no text is empty or only white space, and a text that is to be continued does not end with white space',
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/461',
    check: (request) => textBreaches(bodyOf(request)),
  },
  {
    name: 'messages-content-is-there',
    dialects,
    says: 'no message but a last one of the model has empty content',
    source: api,
    check: (request) => {
      const messages = listOf(bodyOf(request)['messages'])
      return messages.flatMap(({ role, content }, index) =>
        breach(
          Array.isArray(content) &&
            !content.length &&
            !(role === 'assistant' && index === messages.length - 1),
          `messages[${index}].content`,
          'all messages must have non-empty content except for the optional final assistant message',
        ),
      )
    },
  },
  {
    name: 'messages-thinking-budget',
    dialects,
    says: 'the budget of thinking is at least 1024 and less than `max_tokens`',
    source: thinkingPage,
    check: (request) => {
      const body = bodyOf(request)
      const { type, budget_tokens: budget } = thinkingOf(body)
      if (type !== 'enabled') return []
      return [
        ...outside(budget, 1024, Infinity, 'thinking.budget_tokens'),
        ...breach(
          Number(budget) >= Number(body['max_tokens']),
          'max_tokens',
          '`max_tokens` must be greater than `thinking.budget_tokens`',
        ),
      ]
    },
  },
  {
    name: 'messages-thinking-sampling',
    dialects,
    says: 'with thinking there is no `top_k`, `temperature` is 1 and `top_p` at least 0.95',
    source: thinkingPage,
    check: (request) => {
      const body = bodyOf(request)
      if (!thinks(body)) return []
      const { temperature, top_p: topP, top_k: topK } = body
      return [
        ...breach(
          temperature !== undefined && temperature !== 1,
          'temperature',
          '`temperature` may only be set to 1 when thinking is enabled',
        ),
        ...breach(topK !== undefined, 'top_k', '`top_k` must be unset when thinking is enabled'),
        ...breach(
          topP !== undefined && Number(topP) < 0.95,
          'top_p',
          '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled',
        ),
      ]
    },
  },
  {
    name: 'messages-thinking-forced-tool',
    dialects,
    says: 'with thinking by a budget no tool may be forced',
    source: thinkingPage,
    check: (request) => {
      const body = bodyOf(request)
      const choice = fieldsOf(body['tool_choice'])['type']
      return breach(
        thinkingOf(body)['type'] === 'enabled' && (choice === 'any' || choice === 'tool'),
        'tool_choice',
        'Thinking may not be enabled when tool_choice forces tool use.',
      )
    },
  },
  {
    name: 'messages-thinking-comes-back',
    dialects,
    says: 'with thinking, the message whose calls are answered last begins with its thinking',
    source: thinkingPage,
    check: (request) => {
      const body = bodyOf(request)
      if (thinkingOf(body)['type'] !== 'enabled') return []
      const turns = turnsOf(body)
      const last = turns.at(-1)
      const calling = turns.at(-2)
      const [first] = calling?.blocks ?? []
      const answers =
        last?.role === 'user' && last.blocks.some(({ type }) => type === 'tool_result')
      return breach(
        answers && first && !['thinking', 'redacted_thinking'].includes(String(first['type'])),
        first?.path ?? '',
        `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.['type'])}\``,
      )
    },
  },
  {
    name: 'messages-thinking-prefill',
    dialects,
    says: 'with thinking the last message is not of the model',
    source: thinkingPage,
    check: (request) => {
      const body = bodyOf(request)
      const last = listOf(body['messages']).at(-1)
      return breach(
        thinks(body) && last?.['role'] === 'assistant',
        'messages',
        'the final message cannot be of the assistant when thinking is enabled',
      )
    },
  },
  {
    name: 'messages-thinking-is-signed',
    dialects,
    says: 'thinking comes back with its signature',
    source: thinkingPage,
    check: (request) =>
      turnsOf(bodyOf(request)).flatMap(({ blocks }) =>
        blocks.flatMap(({ type, signature, path }) =>
          breach(
            type === 'thinking' && !signature,
            `${path}.signature`,
            'Invalid `signature` in `thinking` block',
          ),
        ),
      ),
  },
  {
    name: 'messages-structured-output',
    dialects,
    says: 'a schema of the output has closed objects and only some keywords',
    source: structured,
    check: (request) => {
      const [format, path] = formatOf(bodyOf(request))
      return format['type'] === 'json_schema'
        ? groundedBreaches(format['schema'], `${path}.schema`)
        : []
    },
  },
  {
    name: 'messages-strict-tools',
    dialects,
    says: 'strict tools have closed objects and only some keywords; there are at most 20, with 24 optional parameters',
    source: structured,
    check: (request) => {
      const strict = ownTools(bodyOf(request)).filter(([tool]) => tool['strict'] === true)
      const optional = strict.flatMap(([tool, path]) =>
        [...schemasIn(tool['input_schema'], path)].flatMap(([schema]) => {
          const required = (schema['required'] ?? []) as readonly string[]
          return Object.keys(fieldsOf(schema['properties'])).filter(
            (name) => !required.includes(name),
          )
        }),
      )
      return [
        ...strict.flatMap(([tool, path]) =>
          groundedBreaches(tool['input_schema'], `${path}.input_schema`),
        ),
        ...breach(strict.length > 20, 'tools', `${strict.length} strict tools, more than 20`),
        ...breach(
          optional.length > 24,
          'tools',
          `${optional.length} optional parameters of strict tools, more than 24`,
        ),
      ]
    },
  },
  {
    name: 'messages-citations-and-schema',
    dialects,
    says: 'citations and a schema of the output exclude each other',
    source: structured,
    check: (request) => {
      const body = bodyOf(request)
      const cited = turnsOf(body).some(({ blocks }) =>
        blocks.some(({ citations }) => fieldsOf(citations)['enabled'] === true),
      )
      return breach(
        cited && formatOf(body)[0]['type'] === 'json_schema',
        formatOf(body)[1],
        'citations cannot be enabled with a schema of the output',
      )
    },
  },
  {
    name: 'messages-tools',
    dialects,
    says: 'names of tools have 1 to 128 letters, digits, `_` or `-` and differ; the input is an object, with no union at its root',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools',
    check: (request) => {
      const names = new Set<unknown>()
      return ownTools(bodyOf(request)).flatMap(([{ name, input_schema: schema }, path]) => {
        const twice = names.has(name)
        names.add(name)
        return [
          ...breach(
            !/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)),
            `${path}.name`,
            "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
          ),
          ...breach(twice, `${path}.name`, 'Tool names must be unique.'),
          ...breach(
            ['oneOf', 'anyOf', 'allOf'].some((keyword) => fieldsOf(schema)[keyword] !== undefined),
            `${path}.input_schema`,
            'input_schema does not support oneOf, allOf, or anyOf at the top level',
          ),
        ]
      })
    },
  },
  {
    name: 'messages-calls-have-tools',
    dialects,
    says: 'a conversation with calls comes with tools, also when the model may call none',
    source: 'https://github.com/justlovemaki/AIClient2API/pull/199',
    check: (request) => {
      const body = bodyOf(request)
      const blocks = listOf(body['messages']).flatMap((message) =>
        listOf(fieldsOf(message)['content']),
      )
      const hasCalls = blocks.some((block) =>
        ['tool_use', 'tool_result'].includes(String(fieldsOf(block)['type'])),
      )
      return breach(
        hasCalls && !listOf(body['tools']).length,
        'tools',
        'Requests which include `tool_use` or `tool_result` blocks must define tools.',
      )
    },
  },
  {
    name: 'messages-tool-choice',
    dialects,
    says: 'a choice comes with tools, and a chosen one is among them',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools',
    check: (request) => {
      const body = bodyOf(request)
      const tools = listOf(body['tools'])
      const choice = fieldsOf(body['tool_choice'])
      return [
        ...breach(
          choice['type'] !== undefined && !tools.length,
          'tool_choice',
          'tool_choice may only be specified while providing tools.',
        ),
        ...breach(
          choice['type'] === 'tool' && !tools.some(({ name }) => name === choice['name']),
          'tool_choice.name',
          `Tool '${String(choice['name'])}' not found in provided tools`,
        ),
      ]
    },
  },
  {
    name: 'messages-sampling',
    dialects,
    says: '`max_tokens` is at least 1, `temperature` and `top_p` are 0 to 1',
    source: api,
    check: (request) => {
      const body = bodyOf(request)
      return [
        ...outside(body['max_tokens'], 1, Infinity, 'max_tokens'),
        ...outside(body['temperature'], 0, 1, 'temperature'),
        ...outside(body['top_p'], 0, 1, 'top_p'),
      ]
    },
  },
  {
    name: 'messages-bedrock',
    dialects,
    vendors: ['bedrock'],
    says: 'Bedrock takes no schema of a reply, no strict tool, and no picture or file by its address',
    source:
      'https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-structured-outputs.html',
    check: (request) => {
      const body = bodyOf(request)
      const blocks = listOf(body['messages']).flatMap(({ content }) => listOf(content))
      const refused = 'Extra inputs are not permitted'
      return [
        ...breach(
          fieldsOf(body['output_config'])['format'] != null,
          'output_config.format',
          refused,
        ),
        ...breach(
          listOf(body['tools']).some(({ strict }) => strict === true),
          'tools.strict',
          refused,
        ),
        ...breach(
          blocks.some(({ source }) => fieldsOf(source)['type'] === 'url'),
          'source.type',
          'URL sources are not supported',
        ),
      ]
    },
  },
  {
    name: 'messages-vertex',
    dialects,
    apis: ['anthropic-vertex', 'anthropic-vertex-count-tokens'],
    says: 'on Vertex AI the version is in the body, the model in the path except for counts, and no picture or file by its address',
    source: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
    check: (request) => {
      const body = bodyOf(request)
      const blocks = listOf(body['messages']).flatMap(({ content }) => listOf(content))
      const counts = /[/]count-tokens:/.test(request.url)
      return [
        ...breach(
          body['anthropic_version'] !== 'vertex-2023-10-16',
          'anthropic_version',
          'Field required',
        ),
        ...breach(
          'model' in body !== counts,
          'model',
          counts ? 'Field required' : 'Extra inputs are not permitted',
        ),
        ...breach(
          !/^Bearer \S/.test(request.headers['authorization'] ?? ''),
          'authorization',
          'no access token',
        ),
        ...breach(
          blocks.some(({ source }) => fieldsOf(source)['type'] === 'url'),
          'source.type',
          'URL sources are not supported',
        ),
      ]
    },
  },
  {
    name: 'messages-one-sampling',
    dialects,
    says: 'models since Claude Opus 4.1 take `temperature` or `top_p`, not both',
    source: 'https://github.com/anthropics/claude-code/issues/6158',
    check: (request) => {
      const body = bodyOf(request)
      const newer = /claude-(?:opus-4-1|(?:opus|sonnet|haiku)-4-[5-9])/.test(modelOf(request))
      return breach(
        newer && body['temperature'] !== undefined && body['top_p'] !== undefined,
        'top_p',
        '`temperature` and `top_p` cannot both be specified for this model.',
      )
    },
  },
  {
    name: 'messages-stop',
    dialects,
    says: 'a text that stops the reply is not only white space',
    source: api,
    check: (request) =>
      ((bodyOf(request)['stop_sequences'] ?? []) as readonly unknown[]).flatMap((stop, index) =>
        breach(
          !String(stop).trim(),
          `stop_sequences[${index}]`,
          'each stop sequence must contain non-whitespace',
        ),
      ),
  },
  {
    name: 'messages-cache-marks',
    dialects,
    says: 'there are at most 4 marks of a cache, those for an hour first, and none on empty text or thinking',
    source: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
    check: (request) => cacheBreaches(bodyOf(request)),
  },
  {
    name: 'messages-headers',
    dialects,
    says: 'the headers name a version of the API',
    source: 'https://platform.claude.com/docs/en/api/versioning',
    check: ({ url, headers }) =>
      breach(
        !headers['anthropic-version'] && !/:(streamR|r)awPredict$/.test(url),
        '',
        'anthropic-version: header is required',
      ),
  },
]
