import { asText, type Fields, fieldsOf, listOf, type SentRequest } from '../sent-request.ts'
import { type Breach, breach, type Rule } from './rule.ts'

const routes = 'https://github.com/ollama/ollama/blob/main/server/routes.go'
const types = 'https://github.com/ollama/ollama/blob/main/api/types.go'
const dialects = ['ollama'] as const
const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)

const integers = [
  'num_keep',
  'seed',
  'num_predict',
  'top_k',
  'repeat_last_n',
  'num_ctx',
  'num_batch',
  'num_gpu',
  'main_gpu',
  'num_thread',
]
const decimals = [
  'top_p',
  'min_p',
  'typical_p',
  'temperature',
  'repeat_penalty',
  'presence_penalty',
  'frequency_penalty',
]

function optionBreaches(options: Fields): readonly Breach[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const whole = integers.includes(name)
    const fits = whole
      ? Number.isInteger(value)
      : decimals.includes(name)
        ? typeof value === 'number'
        : true
    return breach(
      !fits,
      `options.${name}`,
      `option "${name}" must be of type ${whole ? 'integer' : 'float32'}`,
    )
  })
}

function pairBreaches(messages: readonly Fields[]): readonly Breach[] {
  const left: string[] = []
  return messages.flatMap((message, index) => {
    left.push(
      ...listOf(message['tool_calls']).map((call) => String(fieldsOf(call['function'])['name'])),
    )
    if (message['role'] !== 'tool') return []
    const name = message['tool_name']
    const at = name === undefined ? 0 : left.indexOf(asText(name))
    const found = breach(
      at < 0 || !left.length,
      `messages[${index}]`,
      `the result of "${asText(name)}" answers no call before it`,
    )
    if (at >= 0) left.splice(at, 1)
    return found
  })
}

export const ollamaRules: readonly Rule[] = [
  {
    name: 'ollama-option-types',
    dialects,
    says: 'options are numbers of the type that the server reads',
    source: types,
    check: (request) => optionBreaches(fieldsOf(bodyOf(request)['options'])),
  },
  {
    name: 'ollama-messages',
    dialects,
    says: 'there are messages: without them a model is only loaded',
    source: routes,
    check: (request) => breach(!listOf(bodyOf(request)['messages']).length, 'messages', 'is empty'),
  },
  {
    name: 'ollama-images',
    dialects,
    says: 'images are base64, without a `data:` before it',
    source: types,
    check: (request) =>
      listOf(bodyOf(request)['messages']).flatMap((message, index) =>
        ((message['images'] ?? []) as readonly unknown[]).flatMap((image, at) =>
          breach(
            typeof image !== 'string' ||
              image.length % 4 !== 0 ||
              !/^[A-Za-z0-9+/]+={0,2}$/.test(image),
            `messages[${index}].images[${at}]`,
            'illegal base64 data',
          ),
        ),
      ),
  },
  {
    name: 'ollama-results-follow-calls',
    dialects,
    says: 'a result has a call of its name before it, which the templates of models put together',
    source: 'https://docs.ollama.com/capabilities/tool-calling',
    check: (request) => pairBreaches(listOf(bodyOf(request)['messages'])),
  },
  {
    name: 'ollama-logprobs',
    dialects,
    says: '`top_logprobs` is 0 to 20',
    source: routes,
    check: (request) => {
      const top = bodyOf(request)['top_logprobs']
      return breach(
        typeof top === 'number' && (top < 0 || top > 20),
        'top_logprobs',
        'top_logprobs must be between 0 and 20',
      )
    },
  },
  {
    name: 'ollama-format',
    dialects,
    says: '`format` is the word `json` or a schema; `keep_alive` is a number of seconds or a text with a unit',
    source: 'https://docs.ollama.com/api/chat',
    check: (request) => {
      const { format, keep_alive: keep } = bodyOf(request)
      return [
        ...breach(
          typeof format === 'string' && !['', 'json'].includes(format),
          'format',
          `invalid format: ${JSON.stringify(format)}; expected "json" or a valid JSON Schema object`,
        ),
        ...breach(
          typeof keep === 'string' && !/^-?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(keep),
          'keep_alive',
          `time: missing unit in duration ${JSON.stringify(keep)}`,
        ),
      ]
    },
  },
]
