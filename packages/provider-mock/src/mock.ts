import {
  type Capabilities,
  configError,
  isLlmError,
  type Provider,
  type TokenCounts,
} from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import {
  type CommonConfig,
  createNeutralDecoder,
  createProvider,
  type Driver,
  requireConfig,
  systemClock,
  type Turn,
  toNeutralError,
  toNeutralResponse,
  withVendor,
} from '@modelport/driver'
import { toFailure, toRecords, toRecordsOfParts, toSource } from './body.js'
import { checkTurn, failsAtOnce, isInParts, type MockResponse, toMockReply } from './responses.js'

const name = 'mock'

/** Configuration of {@link createMock}. */
export interface MockConfig
  extends Partial<Omit<CommonConfig, 'fetch' | 'proxy' | 'enforceHosts' | 'headers' | 'model'>> {
  /**
   * Replies to the requests, in order; attempts after a failure and turns after tool results are
   * requests too.
   */
  readonly responses?: readonly MockResponse[] | undefined
  /** The reply once `responses` are used up. Unset: they start again from the first. */
  readonly defaultResponse?: MockResponse | undefined
  /** Default `mock`. */
  readonly model?: string | undefined
  /** What `describeProvider` says the provider can do. Unset: not known. */
  readonly capabilities?: Capabilities | undefined
  /** Characters in a streamed piece of text; 0 cuts nothing. Default 3. */
  readonly chunkSize?: number | undefined
  /** Milliseconds before each streamed piece, on the clock of the configuration. Default 0. */
  readonly delayMs?: number | undefined
  /** Token counts of each reply. Default 10 in, 5 out. */
  readonly usage?: Partial<TokenCounts> | undefined
}

const configNames = namesOf<Omit<MockConfig, keyof CommonConfig>>({
  responses: true,
  defaultResponse: true,
  capabilities: true,
  chunkSize: true,
  delayMs: true,
  usage: true,
})

/** A provider that plays a script. */
export interface MockProvider extends Provider {
  /**
   * Everything it was asked, attempt by attempt, as its driver got it: the conversation, tools,
   * merged options.
   */
  readonly requests: readonly Turn[]
}

/** The mock's request is the turn: vendor fields of every tool, message and part are in it. */
function takeVendorFields({ messages, tools }: Turn): void {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  for (const { vendor } of [...tools, ...messages, ...parts]) withVendor({}, vendor)
}

/**
 * A provider that replies from a list, without a network. Only the replies are made up: readers,
 * tool turns, retries, usage, clocks and aborts are those of every provider.
 * @throws {LlmError} `config` — there are no responses, or a number is not a whole number of at
 * least 0.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 *
 * const mock = createMock({ responses: ['Hello', { error: 'rate-limit' }] })
 * console.log(await mock.complete('Hi'), mock.requests.length)
 * ```
 *
 * ```text
 * Hello 1
 * ```
 */
export function createMock(config: MockConfig = {}): MockProvider {
  requireConfig(config, 'createMock', configNames)
  const { responses = [], defaultResponse, chunkSize = 3, delayMs = 0, usage, ...common } = config
  const { model = 'mock', clock = systemClock } = common
  if (!responses.length && defaultResponse === undefined) {
    throw configError(`${name}: no responses; give responses: ['Hello'] or a defaultResponse`)
  }
  for (const response of [...responses, defaultResponse])
    if (typeof response === 'object') checkTurn(response)
  for (const [field, value] of Object.entries({ chunkSize, delayMs })) {
    if (!Number.isInteger(value) || value < 0)
      throw configError(`${name}: ${field} must be a whole number of at least 0, not ${value}`)
  }
  const requests: Turn[] = []
  const respond = (turn: Turn, signal: AbortSignal): Response => {
    const index = requests.push(turn) - 1
    const response = responses[index] ?? defaultResponse ?? responses[index % responses.length]
    const reply = toMockReply(response as MockResponse, turn, signal)
    const counts = { inputTokens: 10, outputTokens: 5, ...usage }
    const size = turn.stream ? chunkSize : 0
    if (!isInParts(reply) && reply.error !== undefined && failsAtOnce(reply))
      throw isLlmError(reply.error)
        ? reply.error
        : toNeutralError(name, { body: toFailure(reply.error) })
    const records = isInParts(reply)
      ? toRecordsOfParts(reply, counts, size)
      : toRecords(reply, counts, size)
    return toNeutralResponse(toSource(records, turn.stream ? delayMs : 0, clock), turn.stream)
  }
  const driver: Driver<Turn> = {
    name,
    framing: 'ndjson',
    request: (turn) => {
      takeVendorFields(turn)
      return turn
    },
    send: async (turn, { signal }) => Promise.resolve(turn).then(() => respond(turn, signal)),
    decoder: createNeutralDecoder,
    error: (failure) => toNeutralError(name, failure),
  }
  const provider = createProvider(driver, {
    ...common,
    model,
    cheapestModel: common.cheapestModel ?? model,
    hosts: [],
  })
  return { ...provider, requests }
}
