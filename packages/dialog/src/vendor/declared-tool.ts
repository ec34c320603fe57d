import { configError, isObject } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { shown } from '../base/shown.js'
import { computerUse, type VendorTool, vendorMcp, webSearch } from './vendor-tool.js'

/** Names of vendor tools in files. */
export const vendorToolNames = ['webSearch', 'computerUse', 'vendorMcp'] as const

type Name = (typeof vendorToolNames)[number]

/** The form of a setting, in words and as a check. */
type Rule = readonly [expected: string, fits: (value: unknown) => boolean]

const oneOf = (...values: readonly string[]): Rule => [
  values.join(' or '),
  (value) => values.includes(value as string),
]
const text: Rule = ['a text', (value) => typeof value === 'string' && value !== '']
const pixels: Rule = [
  'a whole number of pixels',
  (value) => Number.isInteger(value) && Number(value) > 0,
]
const texts: Rule = [
  'a list of texts',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
]
const whenMissing = oneOf('refuse', 'omit')

const rules: Readonly<Record<Name, Readonly<Record<string, Rule>>>> = {
  webSearch: { whenMissing },
  computerUse: { width: pixels, height: pixels, environment: text, whenMissing },
  vendorMcp: {
    label: text,
    url: text,
    requireApproval: oneOf('never', 'manual', 'auto'),
    allowedTools: texts,
    whenMissing,
  },
}

/**
 * A vendor tool that is written down as data, as in the front matter of a prompt file: true or its
 * settings by name.
 * @throws {LlmError} `config` — names the setting, what was expected and what was found.
 */
export function declaredVendorTool(name: Name, value: unknown): VendorTool {
  const needsSettings = name === 'vendorMcp'
  if (!isObject(value) && (value !== true || needsSettings)) {
    const forms = needsSettings
      ? 'settings by name, or a list of them'
      : 'true, false or settings by name'
    throw configError(`${name} must be ${forms}, not ${shown(value)}`)
  }
  const settings = isObject(value) ? value : {}
  for (const [key, found] of Object.entries(settings)) {
    const rule = Object.hasOwn(rules[name], key) ? rules[name][key] : undefined
    if (!rule)
      throw configError(
        `${name}: unknown setting "${key}"${suggest(key, Object.keys(rules[name]))}`,
      )
    if (!rule[1](found))
      throw configError(`${name}: ${key} must be ${rule[0]}, not ${shown(found)}`)
  }
  if (name === 'webSearch') return webSearch(settings)
  if (name === 'computerUse') return computerUse(settings)
  const { label, url } = settings
  if (typeof label !== 'string' || typeof url !== 'string')
    throw configError(`vendorMcp: set label and url; found ${shown(value)}`)
  return vendorMcp({ ...settings, label, url })
}
