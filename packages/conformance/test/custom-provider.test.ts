import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Provider } from '@modelport/core'
import { conformance, type HarnessConfig, openaiChat } from '@modelport/conformance'
import { describe, expect, test } from 'vitest'

// docs/custom-provider.md shows a whole provider: it has to be a right one.
const page = readFileSync(new URL('../../../docs/custom-provider.md', import.meta.url), 'utf8')
const code = /```ts\n(\/\/ house-provider\.ts\n[^]*?)```/.exec(page)?.[1] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'custom-provider-'))
const file = join(folder, 'house-provider.ts')
writeFileSync(file, code)
const { createHouse } = (await import(/* @vite-ignore */ file)) as { createHouse: (config: object) => Provider }
rmSync(folder, { recursive: true })

const apiKey = 'hk-0123456789abcdef0123456789'

test('the example is short', () => {
  expect(code.split('\n').length).toBeLessThanOrEqual(130)
})

describe('the provider of docs/custom-provider.md', () => {
  conformance({ describe, test }, { name: 'house', create: (config: HarnessConfig) => createHouse({ model: 'house-1', apiKey, ...config }), format: openaiChat, apiKey, skip: { S1: 'reference.test.ts', S2: 'reference.test.ts', S3: 'reference.test.ts' } })
})
