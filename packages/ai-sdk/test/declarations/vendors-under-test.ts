import type { JSONSchema7, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'

/** A package of the AI SDK, with the types of its options and the provider that stands for it. */
export interface DeclaredVendor {
  readonly api: string
  readonly package: string
  /** The key of `providerOptions`. */
  readonly namespace: string
  /** Exported types, by what their options are set on. */
  readonly types: Readonly<Partial<Record<'call' | 'tool' | 'system' | 'result' | 'user', string>>>
  /** The export that has the vendor's tools. */
  readonly tools?: string
  /** Options that ask for what is done anyway, with the reason. */
  readonly asOurs: Readonly<Record<string, string>>
  /** Options that no request of ours can say: a warning names them. All others are on the wire. */
  readonly warned: Readonly<
    Partial<Record<'call' | 'tool' | 'system' | 'result', readonly string[]>>
  >
  create(fetch: Fetch): Provider
  /** The body of a reply. */
  readonly reply: object
}

const responsesReply = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.4',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}
const chatReply = {
  id: 'c_1',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const messagesReply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const geminiReply = {
  responseId: 'r_1',
  modelVersion: 'gemini-3-flash',
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
}
const converseReply = {
  output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
}

const apiKey = 'ai-sdk-key-0123456789'

export const declaredVendors: readonly DeclaredVendor[] = [
  {
    api: 'responses',
    package: '@ai-sdk/openai',
    namespace: 'openai',
    types: {
      call: 'OpenAILanguageModelResponsesOptions',
      tool: 'OpenAIToolOptions',
      system: 'OpenAIResponsesSystemMessageOptions',
      result: 'OpenAIResponsesToolResultOptions',
    },
    tools: 'openai',
    asOurs: {
      passThroughUnsupportedFiles: 'a file of any type is sent',
      includeWebSearchSources: 'they are asked for wherever the web is searched',
      strictJsonSchema: 'a closed schema is sent in strict form',
      include: 'what is asked for anyway is asked for once',
    },
    warned: {
      call: ['reasoningEffortUpdate', 'systemMessageMode', 'forceReasoning'],
      tool: ['namespace', 'omitFromRequestTools'],
      system: ['reasoningEffortUpdate', 'textFormatUpdate', 'additionalTools'],
      result: ['additionalTools'],
    },
    create: (fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, fetch }),
    reply: responsesReply,
  },
  {
    api: 'chat-completions',
    package: '@ai-sdk/openai',
    namespace: 'openai',
    types: {
      call: 'OpenAILanguageModelChatOptions',
      user: 'OpenAIChatMessageProviderOptions',
    },
    asOurs: { strictJsonSchema: 'a closed schema is sent in strict form' },
    warned: { call: ['systemMessageMode', 'forceReasoning'] },
    create: (fetch) => createOpenAI({ model: 'gpt-5.4', api: 'chat', apiKey, fetch }),
    reply: chatReply,
  },
  {
    api: 'chat-completions',
    package: '@ai-sdk/openai-compatible',
    namespace: 'openaiCompatible',
    types: { call: 'OpenAICompatibleLanguageModelChatOptions' },
    asOurs: { strictJsonSchema: 'a closed schema is sent in strict form' },
    warned: {},
    create: (fetch) =>
      createOpenAICompatible({ baseUrl: 'https://models.example/v1', model: 'm', apiKey, fetch }),
    reply: chatReply,
  },
  {
    api: 'messages',
    package: '@ai-sdk/anthropic',
    namespace: 'anthropic',
    types: {
      call: 'AnthropicLanguageModelOptions',
      tool: 'AnthropicToolOptions',
      system: 'AnthropicSystemMessageProviderOptions',
    },
    tools: 'anthropic',
    asOurs: {
      sendReasoning: 'the reasoning of earlier replies is sent',
      structuredOutputMode: '`auto` and `outputFormat` are what is done',
    },
    warned: {
      call: ['includePings', 'toolStreaming'],
      system: ['clearAt', 'effort', 'toolChanges'],
    },
    create: (fetch) => createAnthropic({ model: 'claude-opus-5', apiKey, fetch }),
    reply: messagesReply,
  },
  {
    api: 'gemini',
    package: '@ai-sdk/google',
    namespace: 'google',
    types: { call: 'GoogleLanguageModelOptions' },
    tools: 'google',
    asOurs: { structuredOutputs: 'a schema is sent' },
    warned: { call: ['streamFunctionCallArguments'] },
    create: (fetch) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, fetch }),
    reply: geminiReply,
  },
  {
    api: 'converse',
    package: '@ai-sdk/amazon-bedrock',
    namespace: 'amazonBedrock',
    types: { call: 'AmazonBedrockLanguageModelChatOptions' },
    asOurs: { structuredOutputMode: '`auto` and `outputFormat` are what is done' },
    warned: {},
    create: (fetch) =>
      createBedrock({
        model: 'anthropic.claude-sonnet-5',
        region: 'us-east-1',
        apiKey,
        fetch,
      }),
    reply: converseReply,
  },
]

const schema: JSONSchema7 = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

/** A call with everything that an option may be about. */
export const baseCall: LanguageModelV4CallOptions = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ],
  tools: [{ type: 'function', name: 'look', description: 'Looks.', inputSchema: schema }],
}
