import { asText, configError, LlmError } from '@modelport/core'
import type { Turn } from '@modelport/driver'
import { providerName } from './error.js'

/** A cloud that serves the Messages API at addresses of its own. */
export type AnthropicCloud = 'bedrock' | 'foundry'

/** Every cloud that has Claude; Vertex AI has another form of addresses. */
export type Cloud = AnthropicCloud | 'vertex'

/** What a cloud has of the API. */
interface CloudTraits {
  /** Name of the cloud, for messages. */
  readonly title: string
  /** Types of Anthropic's own tools that it has. */
  readonly tools: RegExp
  /** `responseFormat` and `strict` tools. */
  readonly schemas: boolean
  /** `callers` of a tool. */
  readonly callers: boolean
  /** Parts by their address. */
  readonly addresses: boolean
}

/**
 * The clouds. A new one is a row here.
 * @see https://github.com/anthropics/skills (`skills/claude-api/shared/platform-availability.md`,
 * read 2026-11-27): tools
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-structured-outputs.html
 * (read 2026-11-27): no schema
 * @see https://platform.claude.com/docs/en/build-with-claude/vision and
 * https://github.com/anthropics/anthropic-sdk-typescript/issues/1038 (read 2026-11-28): base64
 * alone
 */
const clouds: Readonly<Record<Cloud, CloudTraits>> = {
  bedrock: {
    title: 'Amazon Bedrock',
    tools: /^(bash|computer|memory|text_editor)_/,
    schemas: false,
    callers: false,
    addresses: false,
  },
  foundry: {
    title: 'Microsoft Foundry',
    tools: /^(?!advisor_)/,
    schemas: true,
    callers: true,
    addresses: true,
  },
  vertex: {
    title: 'Vertex AI',
    tools: /^((bash|computer|memory|text_editor|tool_search_tool)_|web_search_20250305$)/,
    schemas: true,
    callers: false,
    addresses: false,
  },
}

/** @throws {LlmError} `config` — `cloud` is not a cloud with addresses of its own. */
export function checkCloud(cloud: AnthropicCloud | undefined): void {
  const names = Object.keys(clouds).filter((name) => name !== 'vertex')
  if (cloud !== undefined && !names.includes(cloud))
    throw configError(
      `${providerName}: cloud is ${JSON.stringify(cloud)}; give ${names.join(' or ')}`,
    )
}

/** True if replies and calls can be made to fit a schema there. */
export const hasSchemas = (cloud: Cloud | undefined): boolean =>
  cloud === undefined || clouds[cloud].schemas

/** True if Anthropic's own tools of this type are there. */
export const hasTool = (cloud: Cloud | undefined, type: string): boolean =>
  cloud === undefined || clouds[cloud].tools.test(type)

/** The error for what a cloud is not known to have. */
export const notIn = (cloud: Cloud, what: string): LlmError =>
  new LlmError('unsupported', `${what}: Claude in ${clouds[cloud].title} has no such thing`)

/**
 * Refuses what the cloud does not have of the API.
 * @throws {LlmError} `unsupported`
 */
export function refuseInCloud(cloud: Cloud, { options, tools, messages }: Turn): void {
  const { schemas, callers, addresses } = clouds[cloud]

  const foreign = options.providerTools
    ?.map(({ type }) => asText(type))
    .find((type) => !hasTool(cloud, type))
  if (foreign !== undefined) throw notIn(cloud, `providerTools: ${foreign}`)

  if (!schemas && (options.responseFormat || tools.some(({ strict }) => strict)))
    throw notIn(cloud, 'responseFormat or strict')
  if (!callers && tools.some((tool) => tool.callers)) throw notIn(cloud, 'callers of a tool')

  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  if (!addresses && parts.some((part) => 'source' in part && part.source.type !== 'base64'))
    throw notIn(cloud, 'a part by its address')
}
