import { type AgentCard, enabledCapabilities } from '@modelport/agent'

/** The card as text for a model that may delegate to the agent. */
export function toPromptText(card: AgentCard): string {
  const lines = [`Agent: ${card.name}`, `Description: ${card.description}`]
  if (card.role !== 'worker') lines.push(`Role: ${card.role}`)
  if (card.tags.length) lines.push(`Tags: ${card.tags.join(', ')}`)
  const capabilities = enabledCapabilities(card.capabilities)
  if (capabilities.length) lines.push(`Capabilities: ${capabilities.join(', ')}`)
  lines.push(
    `Input formats: ${card.inputFormats.join(', ')}`,
    `Output formats: ${card.outputFormats.join(', ')}`,
  )
  if (card.skills.length) lines.push('Skills:')
  for (const skill of card.skills) {
    lines.push(`- ${skill.id}: ${skill.description}`.trimEnd())
    if (Object.keys(skill.inputSchema).length)
      lines.push(`  Input schema: ${JSON.stringify(skill.inputSchema)}`)
    if (skill.examples.length) lines.push(`  Examples: ${JSON.stringify(skill.examples)}`)
  }
  return lines.join('\n')
}
