import { modelOf } from '../apis.ts'
import { asText, type Fields, fieldsOf, listOf, type SentRequest } from '../sent-request.ts'
import { type Breach, breach, outside, type Rule } from './rule.ts'
import { strictBreaches } from './schemas.ts'

const structured = 'https://platform.openai.com/docs/guides/structured-outputs'
const responsesApi =
  'https://developers.openai.com/api/reference/resources/responses/methods/create'
const chatApi = 'https://platform.openai.com/docs/api-reference/chat/create'

const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)

/** Tools of the caller's own, as both APIs write them. */
const functionsOf = (body: Fields): readonly (readonly [Fields, string])[] =>
  listOf(body['tools']).flatMap((tool, index): (readonly [Fields, string])[] => {
    if (tool['type'] !== 'function') return []
    return tool['function'] === undefined
      ? [[tool, `tools[${index}]`]]
      : [[fieldsOf(tool['function']), `tools[${index}].function`]]
  })

/** The schema that is asked for, as both APIs write it. */
function formatOf(body: Fields): readonly [Fields, string] {
  const text = fieldsOf(fieldsOf(body['text'])['format'])
  if (text['type'] !== undefined) return [text, 'text.format']
  const format = fieldsOf(body['response_format'])
  return format['type'] === 'json_schema'
    ? [{ type: 'json_schema', ...fieldsOf(format['json_schema']) }, 'response_format.json_schema']
    : [format, 'response_format']
}

const mentionsJson = (value: unknown): boolean => /json/i.test(JSON.stringify(value ?? ''))

/** Calls that the client runs, with the item that has their result. */
const outputs: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  computer_call: 'computer_call_output',
  local_shell_call: 'local_shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
  tool_search_call: 'tool_search_output',
}

/** Results come after their calls and answer each of them once. */
function pairBreaches(input: readonly Fields[], stored: boolean): readonly Breach[] {
  const found: Breach[] = []
  const open = new Map<string, string>()
  const answered = new Set<string>()
  for (const [index, item] of input.entries()) {
    const type = String(item['type'])
    const id = String(item['call_id'])
    const path = `input[${index}].call_id`
    if (Object.hasOwn(outputs, type)) {
      if (item['execution'] === 'server') continue
      found.push(...breach(open.has(id), path, `Duplicate item found with call_id ${id}`))
      open.set(id, path)
    } else if (Object.values(outputs).includes(type)) {
      const unasked =
        !stored && !open.has(id) && !answered.has(id) && item['execution'] !== 'server'
      found.push(
        ...breach(unasked, path, `No tool call found for function call output with call_id ${id}.`),
        ...breach(answered.has(id) && !open.has(id), path, `the call ${id} has a result already`),
      )
      if (open.delete(id)) answered.add(id)
    }
  }
  for (const [id, path] of open)
    found.push({ path, message: `No tool output found for function call ${id}.` })
  return found
}

function chatPairBreaches(messages: readonly Fields[]): readonly Breach[] {
  const found: Breach[] = []
  let open = new Map<unknown, string>()
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (message['role'] === 'tool') {
      const id = message['tool_call_id']
      found.push(
        ...breach(
          !open.delete(id),
          `${path}.tool_call_id`,
          "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
        ),
      )
      continue
    }
    for (const [id, at] of open)
      found.push({
        path: at,
        message: `an assistant message with 'tool_calls' must be followed by tool messages; missing: ${asText(id)}`,
      })
    open = new Map()
    for (const [at, call] of listOf(message['tool_calls']).entries()) {
      const where = `${path}.tool_calls[${at}].id`
      found.push(...breach(open.has(call['id']), where, 'the id is given twice'))
      open.set(call['id'], where)
    }
  }
  for (const [id, at] of open)
    found.push({
      path: at,
      message: `an assistant message with 'tool_calls' must be followed by tool messages; missing: ${asText(id)}`,
    })
  return found
}

/** Models that reason always, and take nothing that steers probabilities. */
const reasons = (request: SentRequest): boolean =>
  /^(?:o\d|gpt-5(?:-mini|-nano|-codex|-pro)?(?:-\d{4}-|$))/.test(modelOf(request))

const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fc',
  custom_tool_call: 'ctc_',
  web_search_call: 'ws_',
}

export const openaiRules: readonly Rule[] = [
  {
    name: 'responses-fewest-tokens',
    dialects: ['responses'],
    says: '`max_output_tokens` is a whole number of at least 16',
    source: 'https://github.com/earendil-works/pi/issues/6265',
    check: (request) => {
      const most = bodyOf(request)['max_output_tokens']
      return breach(
        typeof most === 'number' && !(Number.isInteger(most) && most >= 16),
        'max_output_tokens',
        `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${String(most)} instead.`,
      )
    },
  },
  {
    name: 'responses-results-follow-calls',
    dialects: ['responses'],
    says: 'each result has a call before it, each call one result',
    source: 'https://github.com/openai/openai-agents-python/issues/673',
    check: (request) => {
      const body = bodyOf(request)
      const stored = body['previous_response_id'] != null || body['conversation'] != null
      return pairBreaches(listOf(body['input']), stored)
    },
  },
  {
    name: 'responses-reasoning-is-followed',
    dialects: ['responses'],
    says: 'a reasoning item has what it led to right after it',
    source: 'https://github.com/openai/openai-agents-python/issues/1660',
    check: (request) => {
      const input = listOf(bodyOf(request)['input'])
      return input.flatMap((item, index) => {
        const next = input[index + 1]
        const follows =
          next &&
          (next['role'] === 'assistant' ||
            next['type'] === 'reasoning' ||
            /_call$|compaction/.test(String(next['type'])))
        return breach(
          item['type'] === 'reasoning' && !follows,
          `input[${index}]`,
          `Item '${String(item['id'])}' of type 'reasoning' was provided without its required following item.`,
        )
      })
    },
  },
  {
    name: 'responses-reasoning-is-kept',
    dialects: ['responses'],
    says: 'without `store`, a reasoning item has its `encrypted_content`',
    source: 'https://developers.openai.com/api/docs/guides/reasoning',
    check: (request) =>
      listOf(bodyOf(request)['input']).flatMap((item, index) =>
        breach(
          item['type'] === 'reasoning' &&
            bodyOf(request)['store'] === false &&
            !item['encrypted_content'],
          `input[${index}].encrypted_content`,
          `Item with id '${String(item['id'])}' not found. Items are not persisted when \`store\` is set to false.`,
        ),
      ),
  },
  {
    name: 'responses-item-ids',
    dialects: ['responses'],
    says: 'an id of an item begins with the letters of its kind, and has at most 64 characters',
    source: 'https://github.com/openai/openai-agents-python/issues/2151',
    check: (request) =>
      listOf(bodyOf(request)['input']).flatMap((item, index) => {
        const { id, type = 'message' } = item
        if (typeof id !== 'string') return []
        const prefix = idPrefixes[String(type)]
        return breach(
          (prefix !== undefined && !id.startsWith(prefix)) ||
            (id.length > 64 && type === 'message'),
          `input[${index}].id`,
          `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix ?? ''}'.`,
        )
      }),
  },
  {
    name: 'responses-call-ids',
    dialects: ['responses'],
    says: '`call_id` has 1 to 64 characters',
    source: 'https://github.com/openclaw/openclaw/pull/875',
    check: (request) =>
      listOf(bodyOf(request)['input']).flatMap((item, index) => {
        const id = item['call_id']
        return breach(
          typeof id === 'string' && (!id || id.length > 64),
          `input[${index}].call_id`,
          `string too long. Expected a string with maximum length 64, but got a string with length ${String(id).length} instead.`,
        )
      }),
  },
  {
    name: 'responses-background-is-stored',
    dialects: ['responses'],
    says: '`background` needs `store`',
    source: 'https://developers.openai.com/api/docs/guides/background',
    check: (request) => {
      const { background, store } = bodyOf(request)
      return breach(
        background === true && store === false,
        'background',
        'Background mode requires store to be true.',
      )
    },
  },
  {
    name: 'responses-one-history',
    dialects: ['responses'],
    says: '`previous_response_id` and `conversation` exclude each other',
    source: responsesApi,
    check: (request) => {
      const { previous_response_id: previous, conversation } = bodyOf(request)
      return breach(
        previous != null && conversation != null,
        'conversation',
        "Mutually exclusive with 'previous_response_id'.",
      )
    },
  },
  {
    name: 'openai-strict-schema',
    dialects: ['responses', 'chat'],
    says: '`strict` wants closed objects, every property required, and only some keywords',
    source: structured,
    check: (request) => {
      const body = bodyOf(request)
      const [format, path] = formatOf(body)
      return [
        ...(format['strict'] === true ? strictBreaches(format['schema'], `${path}.schema`) : []),
        ...functionsOf(body).flatMap(([tool, at]) =>
          tool['strict'] === true ? strictBreaches(tool['parameters'], `${at}.parameters`) : [],
        ),
      ]
    },
  },
  {
    name: 'openai-schema-name',
    dialects: ['responses', 'chat'],
    says: 'the name of a schema has 1 to 64 letters, digits, `_` or `-`, and there is a schema',
    source: chatApi,
    check: (request) => {
      const [format, path] = formatOf(bodyOf(request))
      if (format['type'] !== 'json_schema') return []
      return [
        ...breach(
          !/^[\w-]{1,64}$/.test(asText(format['name'])),
          `${path}.name`,
          "does not match '^[a-zA-Z0-9_-]+$', at most 64",
        ),
        ...breach(format['schema'] === undefined, `${path}.schema`, 'is missing'),
      ]
    },
  },
  {
    name: 'openai-tool-names',
    dialects: ['responses', 'chat'],
    says: 'the name of a tool has 1 to 64 letters, digits, `_` or `-`',
    source: chatApi,
    check: (request) =>
      functionsOf(bodyOf(request)).flatMap(([tool, path]) =>
        breach(
          !/^[\w-]{1,64}$/.test(String(tool['name'])),
          `${path}.name`,
          "does not match '^[a-zA-Z0-9_-]+$', at most 64",
        ),
      ),
  },
  {
    name: 'openai-tool-parameters',
    dialects: ['responses', 'chat'],
    says: 'parameters of a tool are a schema of the type `object`, its lists with `items`',
    source: 'https://github.com/openai/openai-python/issues/2004',
    check: (request) =>
      functionsOf(bodyOf(request)).flatMap(([{ parameters }, path]) =>
        breach(
          parameters != null && fieldsOf(parameters)['type'] !== 'object',
          `${path}.parameters`,
          `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(fieldsOf(parameters)['type'] ?? 'None')}'`,
        ),
      ),
  },
  {
    name: 'openai-tools',
    dialects: ['responses', 'chat'],
    says: 'there are 1 to 128 tools; a choice and `parallel_tool_calls` come with tools',
    source: chatApi,
    check: (request) => {
      const { tools, tool_choice: choice, parallel_tool_calls: parallel } = bodyOf(request)
      const count = listOf(tools).length
      const inChat = bodyOf(request)['messages'] !== undefined
      return [
        ...breach(
          (Array.isArray(tools) && !count && inChat) || count > 128,
          'tools',
          `there are ${count}`,
        ),
        ...breach(
          choice != null && !count && (inChat || (choice !== 'auto' && choice !== 'none')),
          'tool_choice',
          "'tool_choice' is only allowed when 'tools' are specified.",
        ),
        ...breach(
          parallel != null && !count && inChat,
          'parallel_tool_calls',
          "'parallel_tool_calls' is only allowed when 'tools' are specified.",
        ),
      ]
    },
  },
  {
    name: 'openai-tool-choice',
    dialects: ['responses', 'chat'],
    says: 'a chosen tool is one of the tools',
    source: chatApi,
    check: (request) => {
      const body = bodyOf(request)
      const choice = fieldsOf(body['tool_choice'])
      if (choice['type'] !== 'function') return []
      const name = fieldsOf(choice['function'])['name'] ?? choice['name']
      return breach(
        !functionsOf(body).some(([tool]) => tool['name'] === name),
        'tool_choice',
        `Tool choice '${String(name)}' not found in 'tools' parameter.`,
      )
    },
  },
  {
    name: 'openai-json-word',
    dialects: ['responses', 'chat'],
    vendors: ['openai', 'azure', 'groq', 'deepseek'],
    says: '`json_object` wants the word JSON in the messages',
    source: 'https://platform.openai.com/docs/guides/structured-outputs#json-mode',
    check: (request) => {
      const body = bodyOf(request)
      const [format, path] = formatOf(body)
      const said = mentionsJson(body['messages'] ?? [body['instructions'], body['input']])
      return breach(
        format['type'] === 'json_object' && !said,
        path,
        "the messages must contain the word 'json' in some form, to use 'json_object'.",
      )
    },
  },
  {
    name: 'openai-sampling',
    dialects: ['responses', 'chat'],
    says: '`temperature` is 0 to 2, `top_p` 0 to 1, penalties -2 to 2, `top_logprobs` 0 to 20 and in Chat only with `logprobs`',
    source: chatApi,
    check: (request) => {
      const body = bodyOf(request)
      return [
        ...outside(body['temperature'], 0, 2, 'temperature'),
        ...outside(body['top_p'], 0, 1, 'top_p'),
        ...outside(body['frequency_penalty'], -2, 2, 'frequency_penalty'),
        ...outside(body['presence_penalty'], -2, 2, 'presence_penalty'),
        ...outside(body['top_logprobs'], 0, 20, 'top_logprobs'),
        ...breach(
          typeof body['top_logprobs'] === 'number' &&
            body['messages'] !== undefined &&
            body['logprobs'] !== true,
          'top_logprobs',
          "'logprobs' must be true to use 'top_logprobs'.",
        ),
      ]
    },
  },
  {
    name: 'openai-reasoning-models',
    dialects: ['responses', 'chat'],
    vendors: ['openai', 'azure'],
    says: 'models that reason take no `temperature`, `top_p`, penalties or probabilities, and in Chat no `max_tokens` and no `stop`',
    source: 'https://developers.openai.com/api/docs/guides/latest-model',
    check: (request) => {
      if (!reasons(request)) return []
      const body = bodyOf(request)
      const names = [
        'temperature',
        'top_p',
        'frequency_penalty',
        'presence_penalty',
        'logprobs',
        'top_logprobs',
        'logit_bias',
        'max_tokens',
        'stop',
      ]
      return names.flatMap((name) =>
        breach(
          body[name] != null &&
            !(name === 'temperature' && body[name] === 1) &&
            !(name === 'top_p' && body[name] === 1),
          name,
          `Unsupported parameter: '${name}' is not supported with this model.`,
        ),
      )
    },
  },
  {
    name: 'openai-metadata',
    dialects: ['responses', 'chat'],
    says: '`metadata` has at most 16 texts of at most 512 characters, with names of at most 64',
    source: chatApi,
    check: (request) => {
      const entries = Object.entries(fieldsOf(bodyOf(request)['metadata']))
      return [
        ...breach(entries.length > 16, 'metadata', 'more than 16 properties'),
        ...entries.flatMap(([name, value]) =>
          breach(
            name.length > 64 || String(value).length > 512,
            `metadata.${name}`,
            'string too long',
          ),
        ),
      ]
    },
  },
  {
    name: 'chat-results-follow-calls',
    dialects: ['chat'],
    says: 'the results of all calls come right after the message that makes them, each once',
    source: 'https://platform.openai.com/docs/guides/function-calling',
    check: (request) => chatPairBreaches(listOf(bodyOf(request)['messages'])),
  },
  {
    name: 'chat-messages-say-something',
    dialects: ['chat'],
    says: 'there is a message; one of the model has content, calls, a refusal or audio; a list of calls is not empty',
    source: chatApi,
    check: (request) => {
      const messages = listOf(bodyOf(request)['messages'])
      return [
        ...breach(!messages.length, 'messages', 'array too short'),
        ...messages.flatMap((message, index) => [
          ...breach(
            message['role'] === 'assistant' &&
              message['content'] == null &&
              !['tool_calls', 'function_call', 'refusal', 'audio'].some(
                (field) => message[field] != null,
              ),
            `messages[${index}].content`,
            'expected a string, got null',
          ),
          ...breach(
            Array.isArray(message['content']) && !message['content'].length,
            `messages[${index}].content`,
            'array too short',
          ),
          ...breach(
            Array.isArray(message['tool_calls']) && !message['tool_calls'].length,
            `messages[${index}].tool_calls`,
            'array too short',
          ),
        ]),
      ]
    },
  },
  {
    name: 'chat-call-ids',
    dialects: ['chat'],
    says: 'the id of a call has 1 to 64 characters, and its name is one that a tool may have',
    source: 'https://github.com/vercel/ai/issues/5171',
    check: (request) =>
      listOf(bodyOf(request)['messages']).flatMap((message, index) =>
        listOf(message['tool_calls']).flatMap((call, at) => {
          const path = `messages[${index}].tool_calls[${at}]`
          const id = String(call['id'])
          return [
            ...breach(
              !id || id.length > 64,
              `${path}.id`,
              `a string of 1 to 64 characters, not ${id.length}`,
            ),
            ...breach(
              call['type'] === 'function' &&
                !/^[\w-]{1,64}$/.test(String(fieldsOf(call['function'])['name'])),
              `${path}.function.name`,
              "does not match '^[a-zA-Z0-9_-]+$', at most 64",
            ),
          ]
        }),
      ),
  },
  {
    name: 'chat-one-limit',
    dialects: ['chat'],
    says: '`max_tokens` and `max_completion_tokens` exclude each other and are at least 1',
    source: chatApi,
    check: (request) => {
      const { max_tokens: old, max_completion_tokens: most } = bodyOf(request)
      return [
        ...breach(
          old != null && most != null,
          'max_tokens',
          "'max_tokens' and 'max_completion_tokens' cannot both be set",
        ),
        ...outside(old, 1, Infinity, 'max_tokens'),
        ...outside(most, 1, Infinity, 'max_completion_tokens'),
      ]
    },
  },
  {
    name: 'chat-stop',
    dialects: ['chat'],
    says: 'there are at most 4 texts that stop the reply, none empty',
    source: chatApi,
    check: (request) => {
      const stop = [bodyOf(request)['stop'] ?? []].flat()
      return [
        ...breach(
          stop.length > 4,
          'stop',
          `array too long. Expected an array with maximum length 4, but got ${stop.length}.`,
        ),
        ...breach(stop.includes(''), 'stop', 'a text is empty'),
      ]
    },
  },
  {
    name: 'chat-stream-options',
    dialects: ['chat'],
    says: '`stream_options` come with `stream`',
    source: chatApi,
    check: (request) => {
      const { stream, stream_options: options } = bodyOf(request)
      return breach(
        options != null && stream !== true,
        'stream_options',
        "'stream_options' is only allowed when 'stream' is enabled.",
      )
    },
  },
  {
    name: 'mistral-call-ids',
    dialects: ['chat'],
    vendors: ['mistral'],
    says: 'the id of a call has nine letters or digits',
    source: 'https://github.com/mistralai/mistral-vibe/issues/1075',
    check: (request) =>
      listOf(bodyOf(request)['messages']).flatMap((message, index) =>
        listOf(message['tool_calls']).flatMap((call, at) =>
          breach(
            !/^[a-zA-Z0-9]{9}$/.test(String(call['id'])),
            `messages[${index}].tool_calls[${at}].id`,
            `Tool call id was ${String(call['id'])} but must be a-z, A-Z, 0-9, with a length of 9.`,
          ),
        ),
      ),
  },
  {
    name: 'mistral-order',
    dialects: ['chat'],
    vendors: ['mistral'],
    says: 'no message of the user comes right after a result, and the last one is of the user, of a tool, or a prefix',
    source: 'https://docs.mistral.ai/api/endpoint/chat',
    check: (request) => {
      const messages = listOf(bodyOf(request)['messages'])
      const last = messages.at(-1)
      return [
        ...messages.flatMap((message, index) =>
          breach(
            message['role'] === 'user' && messages[index - 1]?.['role'] === 'tool',
            `messages[${index}].role`,
            "Unexpected role 'user' after role 'tool'",
          ),
        ),
        ...breach(
          last && !['user', 'tool'].includes(String(last['role'])) && last['prefix'] !== true,
          `messages[${messages.length - 1}].role`,
          'Expected last role User or Tool (or Assistant with prefix True) for serving',
        ),
      ]
    },
  },
  {
    name: 'responses-content-of-roles',
    dialects: ['responses'],
    says: 'messages of the model have `output_text` and `refusal`, others have `input_…`',
    source: 'https://github.com/openai/openai-python/issues/2245',
    check: (request) =>
      listOf(bodyOf(request)['input']).flatMap((item, index) =>
        listOf(item['content']).flatMap(({ type }, at) => {
          const isOutput = type === 'output_text' || type === 'refusal'
          return breach(
            (item['type'] ?? 'message') === 'message' &&
              isOutput !== (item['role'] === 'assistant'),
            `input[${index}].content[${at}].type`,
            `Invalid value: '${String(type)}'. Supported values are: ${item['role'] === 'assistant' ? "'output_text' and 'refusal'" : "'input_text', 'input_image' and 'input_file'"}.`,
          )
        }),
      ),
  },
]
