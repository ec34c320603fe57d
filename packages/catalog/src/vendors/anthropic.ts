import type { Vendor } from '../vendor.js'

/** The Messages API. */
export const anthropic: Vendor = {
  name: 'anthropic',
  title: 'Anthropic',
  aliases: ['claude'],
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  keyVariables: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  keyUrl: 'https://console.anthropic.com/settings/keys',
  model: 'claude-sonnet-4-6',
  docs: 'https://platform.claude.com/docs/en/api/messages',
}
