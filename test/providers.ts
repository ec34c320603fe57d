// The APIs that suites walk: the rows of the provider packages, each in its `test/api.ts`.
import { vendors } from '@modelport/catalog'
import type { WireFormat } from '@modelport/conformance'
import type { TestedApi } from './support/tested-api.js'
import { testedApis } from './tested-apis.js'

export { apiKey, type SuiteSettings, type TestedApi, vendorNamed } from './support/tested-api.js'
export { testedApis }

/** The API with this name. */
export function apiNamed(name: string): TestedApi {
  const api = testedApis.find((one) => one.name === name)
  if (api) return api
  throw new Error(`no packages/provider-*/test/api.ts has an API named ${name}`)
}

/** Their formats, each once: a server of these knows each request by its path. */
export const wireFormats: readonly WireFormat[] = [
  ...new Set(testedApis.map(({ format }) => format)),
]

/** The packages of vendors that have an API of their own. */
export const vendorPackages: readonly string[] = [
  ...new Set(vendors.flatMap((vendor) => vendor.package ?? [])),
]
