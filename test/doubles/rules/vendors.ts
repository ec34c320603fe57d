import { asText, type Fields, fieldsOf, listOf, type SentRequest } from '../sent-request.ts'
import { breach, type Rule } from './rule.ts'

const dialects = ['chat'] as const
const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)
const messagesOf = (request: SentRequest): readonly Fields[] => listOf(bodyOf(request)['messages'])

/** Refuses fields of the body, each by its name. */
const refuses =
  (names: readonly string[]): Rule['check'] =>
  (request) =>
    names.flatMap((name) =>
      breach(bodyOf(request)[name] != null, name, `property '${name}' is unsupported`),
    )

/** Vendors that speak Chat Completions, each with rules of its own. */
export const vendorRules: readonly Rule[] = [
  {
    name: 'groq-unsupported',
    dialects,
    vendors: ['groq'],
    says: 'there are no probabilities, no `logit_bias`, and no names of messages',
    source: 'https://console.groq.com/docs/openai.md',
    check: (request) => [
      ...refuses(['logprobs', 'logit_bias', 'top_logprobs'])(request),
      ...messagesOf(request).flatMap(({ name }, index) =>
        breach(name !== undefined, `messages[${index}].name`, "property 'name' is unsupported"),
      ),
    ],
  },
  {
    name: 'deepseek-schema',
    dialects,
    vendors: ['deepseek', 'zai'],
    says: 'the format of a reply is text or `json_object`, never a schema',
    source: 'https://api-docs.deepseek.com/guides/json_mode',
    check: (request) =>
      breach(
        fieldsOf(bodyOf(request)['response_format'])['type'] === 'json_schema',
        'response_format',
        'This response_format type is unavailable now',
      ),
  },
  {
    name: 'deepseek-thinking-comes-back',
    dialects,
    vendors: ['deepseek', 'moonshot'],
    says: 'where a model thinks, a message with calls has its `reasoning_content`',
    source: 'https://api-docs.deepseek.com/guides/thinking_mode.md',
    check: (request) =>
      messagesOf(request).flatMap((message, index) =>
        breach(
          fieldsOf(bodyOf(request)['thinking'])['type'] === 'enabled' &&
            listOf(message['tool_calls']).length &&
            message['reasoning_content'] === undefined,
          `messages[${index}].reasoning_content`,
          'Missing `reasoning_content` field in the assistant message',
        ),
      ),
  },
  {
    name: 'perplexity-order',
    dialects,
    vendors: ['perplexity'],
    says: 'after the system message, messages of the user and the model take turns; there are no tools',
    source: 'https://docs.perplexity.ai/guides/chat-completions-guide',
    check: (request) => {
      const spoken = messagesOf(request).flatMap((message, index) =>
        message['role'] === 'system' ? [] : [{ role: message['role'], index }],
      )
      return [
        ...spoken.flatMap(({ role, index }, at) =>
          breach(
            role === spoken[at - 1]?.role,
            `messages[${index}].role`,
            'user or tool message(s) should alternate with assistant message(s)',
          ),
        ),
        ...refuses(['tools', 'tool_choice'])(request),
      ]
    },
  },
  {
    name: 'grok-reasoning-models',
    dialects,
    vendors: ['grok'],
    says: 'models that reason take no penalties and no `stop`',
    source: 'https://docs.x.ai/guides/reasoning',
    check: (request) =>
      /grok-(?:3-mini|4)(?!.*non-reasoning)/.test(String(bodyOf(request)['model']))
        ? refuses(['presence_penalty', 'frequency_penalty', 'stop'])(request)
        : [],
  },
  {
    name: 'llamacpp-one-grammar',
    dialects,
    says: 'llama.cpp takes one of a grammar, a schema of the reply and tools',
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp',
    check: (request) => {
      const { grammar, tools, tool_choice: choice } = bodyOf(request)
      const { type } = fieldsOf(bodyOf(request)['response_format'])
      return [
        ...breach(
          grammar && type === 'json_schema',
          'grammar',
          'Either "json_schema" or "grammar" can be specified, but not both',
        ),
        ...breach(
          grammar && listOf(tools).length && choice !== 'none',
          'grammar',
          'Cannot use custom grammar constraints with tools.',
        ),
      ]
    },
  },
  {
    name: 'chat-message-names',
    dialects,
    vendors: ['openai', 'azure'],
    says: 'the name of a message has 1 to 64 characters without white space and `< | \\ / >`',
    source: 'https://github.com/microsoft/autogen/issues/3685',
    check: (request) =>
      messagesOf(request).flatMap(({ name }, index) =>
        breach(
          name !== undefined && !/^[^\s<|\\/>]{1,64}$/.test(asText(name)),
          `messages[${index}].name`,
          "string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.",
        ),
      ),
  },
]
