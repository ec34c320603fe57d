import { type Capabilities, type JsonObject, LlmError } from '@modelport/core'
import { fillForm } from './fill-form.js'
import type { VendorTool } from './vendor-tool.js'

/** The name of a tool in `Capabilities.providerTools` and in the features of a model card. */
const names = { 'web-search': 'webSearch', 'computer-use': 'computerUse', mcp: 'mcp' } as const

/**
 * The tools in the vendor's own form.
 * @param features of the model card: where they are known, a tool that is not among them is missing
 * @throws {LlmError} `unsupported` — names each tool that the vendor or the model does not have,
 * unless the tool says `omit`.
 */
export function toProviderTools(
  tools: readonly VendorTool[],
  provider: string,
  capabilities: Capabilities | undefined,
  features: readonly string[] | undefined,
): readonly JsonObject[] {
  const missing: string[] = []
  const forms = tools.flatMap((tool): readonly JsonObject[] => {
    const form = capabilities?.providerTools?.[names[tool.type]]
    if (form && hasFeature(features, tool.type)) return [fillForm(form, settingsOf(tool))]
    if (tool.whenMissing === 'refuse') missing.push(tool.type)
    return []
  })
  if (missing.length)
    throw new LlmError(
      'unsupported',
      `${provider} does not have the vendor tool ${missing.join(', ')}; use another model, or set whenMissing to "omit"`,
    )
  return forms
}

/** Cards of other systems spell a feature with `_`. */
const hasFeature = (features: readonly string[] | undefined, type: string): boolean =>
  features?.some((feature) => feature.replaceAll('_', '-') === type) ?? true

/** The vendor's names for the ways of approval; `auto` leaves it to the vendor. */
const approvals = { never: 'never', manual: 'always', auto: undefined } as const

function settingsOf(tool: VendorTool): Readonly<Record<string, unknown>> {
  return tool.type === 'mcp' ? { ...tool, requireApproval: approvals[tool.requireApproval] } : tool
}
