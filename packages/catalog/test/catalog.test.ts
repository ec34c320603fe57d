// The lists are written from the files of src/vendors. After adding a file: pnpm vendors

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseBaseUrl } from '@modelport/core'
import { checkPrices } from '@modelport/core/settings'
import { describe, expect, test } from 'vitest'
import { chatVendors, vendorModels, vendors } from '../src/index.js'

const folder = join(import.meta.dirname, '../src')
const names = readdirSync(join(folder, 'vendors'))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()
const constantOf = (name: string): string =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
const isChat = (name: string): boolean =>
  readFileSync(join(folder, `vendors/${name}.ts`), 'utf8').includes(': ChatVendor =')
const chatNames = names.filter(isChat)
const otherNames = names.filter((name) => !isChat(name))

const entries = (): string =>
  chatNames
    .map((name) => {
      const value = constantOf(name)
      const key = name.includes('-') ? `'${name}'` : name
      return key === value ? `  ${key},\n` : `  ${key}: ${value},\n`
    })
    .join('')

/** The whole of src/chat-vendors.ts. */
const chatVendorsFile = (): string => `// Written from the files of ./vendors: pnpm vendors
import type { ChatVendor } from './vendor.js'
${chatNames.map((name) => `import { ${constantOf(name)} } from './vendors/${name}.js'\n`).join('')}
/** Name of a vendor that speaks Chat Completions. */
export type ChatVendorName =
${chatNames.map((name) => `  | '${name}'`).join('\n')}

/** Vendors and servers that speak Chat Completions, by name. */
export const chatVendors: Readonly<Record<ChatVendorName, ChatVendor>> = {
${entries()}}
`

/** The whole of src/vendors.ts. */
const vendorsFile = (): string => `// Written from the files of ./vendors: pnpm vendors
import { chatVendors } from './chat-vendors.js'
import type { Vendor } from './vendor.js'
${otherNames.map((name) => `import { ${constantOf(name)} } from './vendors/${name}.js'\n`).join('')}
/** Every vendor, those with an API of their own first. */
export const vendors: readonly Vendor[] = [
${otherNames.map((name) => `  ${constantOf(name)},\n`).join('')}  ...Object.values(chatVendors),
]
`

const hasModels = (name: string): boolean =>
  readFileSync(join(folder, `vendors/${name}.ts`), 'utf8').includes(
    `const ${constantOf(name)}Models:`,
  )
const priced = names.filter(hasModels)

/** The whole of src/vendor-models.ts. */
const vendorModelsFile = (): string => `// Written from the files of ./vendors: pnpm vendors
import type { ModelFacts } from './vendor.js'
${priced.map((name) => `import { ${constantOf(name)}Models } from './vendors/${name}.js'\n`).join('')}
/** Windows and prices of models, by vendor. Each row has its source and its date. */
export const vendorModels: Readonly<Record<string, readonly ModelFacts[]>> = {
${priced.map((name) => `  ${name.includes('-') ? `'${name}'` : name}: ${constantOf(name)}Models,\n`).join('')}}
`

/** What the file of a vendor exports, but for its models: the row, and functions of a cloud. */
const exportsOf = (name: string): readonly string[] =>
  [
    ...readFileSync(join(folder, `vendors/${name}.ts`), 'utf8').matchAll(
      /^export (?:const|function) (\w+)/gm,
    ),
  ]
    .map(([, constant = '']) => constant)
    .filter((constant) => constant !== `${constantOf(name)}Models`)
    .sort()

/** The whole of src/index.ts. */
const indexFile = (): string => `// Written from the files of ./vendors: pnpm vendors
export type { ChatVendorName } from './chat-vendors.js'
export { chatVendors } from './chat-vendors.js'
export type { CapabilityClaim, ChatQuirks, ChatVendor, ModelFacts, Vendor } from './vendor.js'
export { vendorModels } from './vendor-models.js'
${names.map((name) => `export { ${exportsOf(name).join(', ')} } from './vendors/${name}.js'\n`).join('')}export { vendors } from './vendors.js'
`

describe('the lists', () => {
  test.each([
    ['chat-vendors.ts', chatVendorsFile],
    ['vendors.ts', vendorsFile],
    ['vendor-models.ts', vendorModelsFile],
    ['index.ts', indexFile],
  ])('the lists of %s are those of the files', async (file, content) => {
    await expect(content()).toMatchFileSnapshot(join(folder, file))
  })
})

describe('every vendor', () => {
  test('every vendor has the name of its file', () => {
    expect(vendors.map(({ name }) => name).sort()).toEqual(names)
    for (const [name, vendor] of Object.entries(chatVendors)) expect(vendor.name).toBe(name)
  })

  test('every vendor has a name and aliases that no other vendor has', () => {
    const all = vendors.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect(new Set(all).size).toBe(all.length)
    for (const name of all) expect(name).toMatch(/^[a-z0-9][a-z0-9.-]*$/)
  })

  test('every vendor has a base URL that parses, and sources that are addresses', () => {
    for (const { name, baseUrl, keyOrigins = [], docs, keyUrl = docs } of vendors) {
      for (const url of [...(baseUrl ? [baseUrl] : []), ...keyOrigins])
        expect(() => parseBaseUrl(url), name).not.toThrow()
      for (const url of [docs, keyUrl]) expect(url, name).toMatch(/^https:\/\//)
    }
  })

  test('every vendor that needs a key names the variables that hold it, and where to get it unless the service is closed', () => {
    for (const { name, needsKey, keyVariables, keyUrl, retired } of vendors) {
      if (!needsKey) continue
      expect(keyVariables.length, name).toBeGreaterThan(0)
      expect(keyUrl ?? retired, name).toBeTruthy()
    }
  })

  test('every vendor is data: nothing in it is a function', () => {
    const functionsIn = (value: unknown): boolean =>
      typeof value === 'function' ||
      (typeof value === 'object' &&
        value !== null &&
        !(value instanceof RegExp) &&
        Object.values(value).some(functionsIn))
    for (const vendor of vendors) expect(functionsIn(vendor), vendor.name).toBe(false)
  })
})

describe('facts of models', () => {
  const all = Object.entries(vendorModels).flatMap(([vendor, models]) =>
    models.map((facts) => ({ vendor, ...facts })),
  )

  test('facts of models belong to a vendor, and each model has one row', () => {
    for (const vendor of Object.keys(vendorModels))
      expect(vendors.map(({ name }) => name)).toContain(vendor)
    expect(new Set(all.map(({ vendor, id }) => `${vendor}:${id}`)).size).toBe(all.length)
  })

  test.each(all)('$vendor:$id has a source, a date and something to say', (facts) => {
    expect(facts.source).toMatch(/^https:\/\//)
    expect(facts.date).toMatch(/^20\d\d-\d\d-\d\d$/)
    const { contextWindow, prices } = facts
    expect(contextWindow ?? prices?.input).toBeGreaterThan(0)
    if (!prices) return
    checkPrices('prices', prices)
    if (prices.cacheRead !== undefined) expect(prices.cacheRead).toBeLessThan(prices.input)
  })
})
