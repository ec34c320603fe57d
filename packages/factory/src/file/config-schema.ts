import { optionForms } from '@modelport/core/settings'
import { toSnake } from '@modelport/core/text'
import * as z from 'zod'
import type { FileForm } from '../clouds/cloud.js'
import { cloudNames, clouds } from '../clouds/clouds.js'
import { fallbackCodes } from '../fallback/fallback-chain.js'

const text = z.string().trim().min(1)
const optionalText = z.string().trim().nullish()
const flag = z.boolean().nullish()
const count = z.number().int().positive().nullish()
const price = z.number().nonnegative()
const anything = z.record(z.string(), z.unknown()).nullish()

const tokenPrices = {
  input: price,
  output: price,
  cache_read: price.nullish(),
  cache_write: price.nullish(),
  cache_write_hour: price.nullish(),
}

/** What a model costs, for a million tokens; a tier is for longer prompts. */
const prices = z.strictObject({
  ...tokenPrices,
  currency: optionalText,
  tiers: z.array(z.strictObject({ above: price, ...tokenPrices })).nullish(),
})

const profile = z.strictObject({
  catalog: flag,
  context_window: count,
  prices: prices.nullish(),
  supports_tools: flag,
  supports_streaming: flag,
  supports_json_schema: flag,
  provider: optionalText,
  model: optionalText,
})

/** Options that a file cannot hold, or that have a key of their own in it. */
const notInFiles = [
  'tools',
  'toolChoice',
  'responseFormat',
  'topLogprobs',
  'providerTools',
  'vendor',
  'signal',
]

function toSchema({
  expected,
  values,
  range,
  fits,
}: (typeof optionForms)[keyof typeof optionForms]): z.ZodType {
  if (values) return z.enum(values)
  if (!range) return z.custom(fits, `expected ${expected}`)
  const number = range.whole ? z.number().int() : z.number()
  return number.min(range.low).max(range.high)
}

const defaults = z.strictObject({
  ...Object.fromEntries(
    Object.entries(optionForms)
      .filter(([name]) => !notInFiles.includes(name))
      .map(([name, form]) => [toSnake(name), toSchema(form).nullish()]),
  ),
  retry: z.strictObject({ attempts: z.number().int().min(1).max(5) }).nullish(),
})

/** One of the two words, or options. */
const defaultsOrWord = z.unknown().transform((value, context) => {
  if (value === 'vendor' || value === 'reference') return value
  const { success, data, error } = defaults.nullish().safeParse(value)
  if (success) return data
  for (const issue of error.issues) context.issues.push(issue as z.core.$ZodRawIssue)
  return z.NEVER
})

const fallbackOptions = z.strictObject({
  on_switch: z.array(z.enum(fallbackCodes)).nullish(),
  cool_down_ms: z.number().nonnegative().nullish(),
  attempts: z.number().int().min(1).max(5).nullish(),
  missing_key: z.enum(['error', 'next']).nullish(),
})

/** The form of a setting of a cloud. */
function toForm(form: FileForm): z.ZodType {
  if (form === 'text') return optionalText
  return form === 'flag' ? flag : z.enum(form).nullish()
}

/** The form of the field of each cloud. */
const cloudForms = cloudNames.map((name) => {
  const settings = Object.entries<FileForm | undefined>(clouds[name].fileForms).flatMap(
    ([setting, form]) => (form === undefined ? [] : [[toSnake(setting), toForm(form)] as const]),
  )
  return [name, z.strictObject(Object.fromEntries(settings)).nullish()] as const
})

const model = z.strictObject({
  name: text,
  provider: text,
  model: optionalText,
  package: optionalText,
  api_key_env: optionalText,
  base_url: optionalText,
  base_url_env: optionalText,
  use_environment_base_urls: flag,
  proxy: optionalText,
  proxy_env: optionalText,
  cheapest_model: optionalText,
  purpose: optionalText,
  fallback: z.array(text).nullish(),
  fallback_options: fallbackOptions.nullish(),
  profile: profile.nullish(),
  defaults: defaultsOrWord.optional(),
  vendor: anything,
  headers: z.record(z.string(), z.union([z.string(), z.strictObject({ env: text })])).nullish(),
  enforce_hosts: flag,
  ...Object.fromEntries(cloudForms),
  settings: anything,
})

/** The two parts of the file that are modelport's; others are somebody else's. */
const file = z.object({
  models: z.array(model).min(1),
  roles: z.record(z.string(), z.string().trim().nullable()).nullish(),
})

/** One model, as it is written: snake_case, null and '' for unset. */
export interface WrittenModel {
  readonly name: string
  readonly provider: string
  readonly [field: string]: unknown
}

/** A file of the right form, or its problems. */
export type CheckedForm =
  | { readonly issues: readonly z.core.$ZodIssue[] }
  | {
      readonly issues?: undefined
      readonly models: readonly WrittenModel[]
      readonly roles?: Readonly<Record<string, string | null>> | null | undefined
    }

/** Checks the form of a whole file. */
export function checkForm(value: unknown): CheckedForm {
  const { success, data, error } = file.safeParse(value)
  return success ? data : { issues: error.issues }
}

/** Names of the fields at a path of the file, to suggest a name for an unknown field. */
export function fieldsAt(path: readonly PropertyKey[]): readonly string[] {
  const [top, , field] = path
  if (top !== 'models') return top === undefined ? ['models', 'roles'] : []
  const nested: Readonly<Record<string, readonly string[]>> = {
    profile: Object.keys(profile.shape),
    prices: Object.keys(prices.shape),
    defaults: Object.keys(defaults.shape),
    fallback_options: Object.keys(fallbackOptions.shape),
    ...Object.fromEntries(
      cloudForms.map(([name, form]) => [name, Object.keys(form.unwrap().unwrap().shape)]),
    ),
    retry: ['attempts'],
  }
  return field === undefined ? Object.keys(model.shape) : (nested[String(path.at(-1))] ?? [])
}
