import { describeProvider, type Provider } from '@modelport/core'
import { messagesRules } from './anthropic-rules.js'
import { converseRules, geminiRules, geminiUrls } from './cloud-rules.js'
import { chatRules, responsesRules } from './openai-rules.js'
import type { VendorRules } from './vendor-rules.js'

const byApi: Readonly<Record<string, VendorRules>> = {
  responses: responsesRules,
  'chat-completions': chatRules,
  messages: messagesRules,
  gemini: geminiRules,
  converse: converseRules,
}

/**
 * The rules for the options of a vendor's package; undefined if it is not known which API is asked,
 * as for a fallback of several.
 */
export function rulesOfProvider(provider: Provider): VendorRules | undefined {
  const { api } = describeProvider(provider)
  const rules = api === undefined ? undefined : byApi[api]
  if (!rules) return undefined
  const { penalty, ...rest } = rules
  // These models refuse the fields, which their successors take.
  const hasPenalties = penalty && !/gemini-[12]/.test(provider.model)
  return {
    ...rest,
    ...(hasPenalties && { penalty }),
    ...(api === 'gemini' &&
      /gemini-(?!2\.0)/.test(provider.model) && {
        supportedUrls: { ...rules.supportedUrls, ...geminiUrls },
      }),
    // A server that is compatible with OpenAI goes by its own name.
    ...(api === 'chat-completions' && { key: provider.name }),
    // The packages take options under the name of the provider too.
    namespaces: [...new Set([...rules.namespaces, provider.name])],
  }
}
