import type { Provider } from '@modelport/core'
import {
  createProvider,
  type Driver,
  RecentSecrets,
  requireConfig,
  type Turn,
} from '@modelport/driver'
import { capabilities } from './capabilities.js'
import { type BedrockConfig, configNames, fieldNames, modelPath, toConnection } from './config.js'
import { ConverseDecoder } from './decoder.js'
import { fromDefaultChain } from './default-chain.js'
import { providerName, toBedrockError } from './error.js'
import { eventStreamFrames } from './frames.js'
import { lacksThinking } from './reasoning.js'
import { takesOf, toRequest } from './request.js'
import { createPost } from './sign.js'
import { toolsStayWarning } from './tools.js'
import { type ModelTraits, traitsOf } from './traits.js'
import type { WireRequest } from './wire.js'

/** A request on its way: the path names the model. */
interface BedrockRequest {
  readonly path: string
  readonly body: WireRequest
}

/**
 * A provider for every model that Amazon Bedrock serves by Converse.
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work.
 * @example
 * ```ts
 * import { createBedrock } from '@modelport/provider-bedrock'
 *
 * const provider = createBedrock({
 *   model: 'us.anthropic.claude-sonnet-4-6',
 *   region: 'us-east-1',
 *   apiKey: process.env['AWS_BEARER_TOKEN_BEDROCK'] ?? '',
 * })
 * console.log(await provider.complete('Why is the sky blue?'))
 * ```
 *
 * ```text
 * The air scatters blue light more than red light.
 * ```
 */
export function createBedrock(config: BedrockConfig): Provider {
  requireConfig(config, 'createBedrock', configNames, fieldNames)
  const connection = toConnection(config)
  const { credentials } = connection
  const { apiKey } = connection
  const recent = new RecentSecrets()
  if (typeof credentials === 'object') {
    recent.add(credentials.secretAccessKey)
    recent.add(credentials.sessionToken)
  }
  const source =
    credentials === 'default-chain' ? fromDefaultChain(connection, config) : credentials
  const post = createPost(connection, source, recent)
  // The application may change its object later.
  const overrides = config.traits && { ...config.traits }
  const traits = traitsOf(config.model, overrides)
  const driver: Driver<BedrockRequest> = {
    name: providerName,
    api: 'converse',
    framing: eventStreamFrames,
    takes: takesOf(traits),
    takesTemperature: ({ options }) =>
      traits.thinking !== 'adaptive' &&
      options.topP === undefined &&
      (options.reasoning ?? 'none') === 'none',
    request: (turn) => ({
      path: modelPath(turn.model, turn.stream ? 'converse-stream' : 'converse'),
      body: toRequest(turn, overrides),
    }),
    send: ({ path, body }, io) => post(io, path, body),
    decoder: (sink, turn) => {
      for (const warning of warningsOf(turn, traits)) sink.warning(warning)
      return new ConverseDecoder(sink)
    },
    error: toBedrockError,
  }
  return createProvider(driver, {
    ...config,
    cheapestModel: config.cheapestModel ?? config.model,
    hosts: connection.hosts,
    secrets: () => [typeof apiKey === 'string' ? apiKey : undefined, ...recent.all],
    capabilities: capabilities(config),
  })
}

/** What the request could not say. */
function warningsOf(turn: Turn, { thinking }: ModelTraits): string[] {
  const { options, tools, messages } = turn
  const isOff = options.toolChoice === 'none' || !tools.length
  const called = messages.some(
    (message) => message.role === 'assistant' && message.toolCalls?.length,
  )
  const thinks = thinking === 'budget' && !['none', undefined].includes(options.reasoning)
  return [
    ...(isOff && called ? [toolsStayWarning] : []),
    ...(thinks && lacksThinking(turn)
      ? [
          'reasoning was left out of this turn: it continues tool calls that were made without thinking',
        ]
      : []),
  ]
}
