import { readFileSync } from 'node:fs'
import { conformance, openaiChat } from '@modelport/conformance'
import { expect, test } from 'vitest'
import { wireRunner } from '../../../test/support/faults.ts'
import { createHouse } from '../src/house-provider.ts'

const apiKey = 'hk-0123456789abcdef0123456789'

conformance(wireRunner, {
  name: 'house',
  create: (config) => createHouse({ model: 'house-1', apiKey, ...config }),
  format: openaiChat,
  apiKey,
})

test('docs/custom-provider.md shows this provider, and it is short', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  const code = read('../src/house-provider.ts')
  expect(read('../../../docs/custom-provider.md')).toContain(`\`\`\`ts\n${code}\`\`\``)
  expect(code.split('\n').length).toBeLessThanOrEqual(200)
})
