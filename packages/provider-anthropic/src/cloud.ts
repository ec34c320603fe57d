import { asText, LlmError } from '@modelport/core'
import type { Turn } from '@modelport/driver'

/** A cloud that serves the Messages API. */
export type Cloud = 'bedrock' | 'foundry'

/** The error for what a cloud is not known to have. */
export const notIn = (cloud: Cloud, what: string): LlmError =>
  new LlmError(
    'unsupported',
    `${what}: Claude in ${cloud === 'bedrock' ? 'Amazon Bedrock' : 'Microsoft Foundry'} has no such thing`,
  )

/**
 * Refuses what the cloud does not have of the API.
 * @see https://github.com/anthropics/skills (`skills/claude-api/shared/platform-availability.md`, read 2026-11-27): tools
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-structured-outputs.html (read 2026-11-27): no schema
 * @see https://platform.claude.com/docs/en/build-with-claude/vision (read 2026-11-27): base64 alone
 * @throws {LlmError} `unsupported`
 */
export function refuseInCloud(cloud: Cloud, { options, tools, messages }: Turn): void {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const known = cloud === 'bedrock' ? /^(bash|computer|memory|text_editor)_/ : /^(?!advisor_)/
  const foreign = options.providerTools?.map(({ type }) => asText(type)).find((type) => !known.test(type))
  if (foreign !== undefined) throw notIn(cloud, `providerTools: ${foreign}`)
  if (cloud !== 'bedrock') return
  if (options.responseFormat || tools.some(({ strict }) => strict)) throw notIn(cloud, 'responseFormat or strict')
  if (parts.some((part) => 'source' in part && part.source.type !== 'base64'))
    throw notIn(cloud, 'a part by its address')
}
