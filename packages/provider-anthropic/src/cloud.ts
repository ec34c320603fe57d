import { asText, LlmError } from '@modelport/core'
import type { Turn } from '@modelport/driver'

/** A cloud that serves the Messages API. */
export type Cloud = 'bedrock' | 'foundry' | 'vertex'

/** The name of each, and the types of Anthropic's own tools that it has. */
const clouds: Readonly<Record<Cloud, readonly [name: string, tools: RegExp]>> = {
  bedrock: ['Amazon Bedrock', /^(bash|computer|memory|text_editor)_/],
  foundry: ['Microsoft Foundry', /^(?!advisor_)/],
  vertex: [
    'Vertex AI',
    /^((bash|computer|memory|text_editor|tool_search_tool)_|web_search_20250305$)/,
  ],
}

/** The error for what a cloud is not known to have. */
export const notIn = (cloud: Cloud, what: string): LlmError =>
  new LlmError('unsupported', `${what}: Claude in ${clouds[cloud][0]} has no such thing`)

/**
 * Refuses what the cloud does not have of the API.
 * @see https://github.com/anthropics/skills (`skills/claude-api/shared/platform-availability.md`,
 * read 2026-11-27): tools
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-structured-outputs.html
 * (read 2026-11-27): no schema
 * @see https://platform.claude.com/docs/en/build-with-claude/vision and
 * https://github.com/anthropics/anthropic-sdk-typescript/issues/1038 (read 2026-11-28): base64
 * alone
 * @throws {LlmError} `unsupported`
 */
export function refuseInCloud(cloud: Cloud, { options, tools, messages }: Turn): void {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const foreign = options.providerTools
    ?.map(({ type }) => asText(type))
    .find((type) => !clouds[cloud][1].test(type))
  if (foreign !== undefined) throw notIn(cloud, `providerTools: ${foreign}`)
  if (cloud === 'foundry') return
  if (cloud === 'bedrock' && (options.responseFormat || tools.some(({ strict }) => strict)))
    throw notIn(cloud, 'responseFormat or strict')
  if (tools.some(({ callers }) => callers)) throw notIn(cloud, 'callers of a tool')
  if (parts.some((part) => 'source' in part && part.source.type !== 'base64'))
    throw notIn(cloud, 'a part by its address')
}
