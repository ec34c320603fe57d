import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { capabilities } from '../src/capabilities.js'
import { modelPath, unavailable } from './local-model.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = readFileSync(join(root, 'docs/providers/llamacpp.md'), 'utf8')
const example = /^## Example\n\n```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? ''

describe('the page of the provider', () => {
  test.skipIf(unavailable !== undefined)(
    'the page of the provider has an example that runs',
    async () => {
      const folder = join(root, '.cache/provider-pages')
      mkdirSync(folder, { recursive: true })
      const file = join(folder, 'llamacpp.ts')
      expect(example).toContain("modelPath: './models/tinytool.gguf'")
      writeFileSync(
        file,
        example.replace(
          "modelPath: './models/tinytool.gguf'",
          `modelPath: ${JSON.stringify(modelPath)}, gpu: false, threads: 1, defaults: { temperature: 0 }`,
        ),
      )
      const log = vi.spyOn(console, 'log').mockReturnValue()
      const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
      try {
        await import(/* @vite-ignore */ file)
        expect(log.mock.calls).toHaveLength(1)
        expect(write.mock.calls.map(([piece]) => piece).join('')).toContain('21 degrees')
      } finally {
        log.mockRestore()
        write.mockRestore()
      }
    },
  )

  test('the page of the provider names every type of error', () => {
    const sources = ['error', 'model-file', 'loaded-model']
      .map((file) => readFileSync(join(root, `packages/provider-llamacpp/src/${file}.ts`), 'utf8'))
      .join('')
    // Behind its code a failure has its type.
    const types = [...sources.matchAll(/,\s+'([a-z]+(?:-[a-z]+)*)'(?=[,)\n]| *,)/g)]
      .map(([, type = '']) => type)
      .filter((type) => type.includes('-') && type !== 'context-length')
    expect(new Set(types).size).toBeGreaterThan(10)
    expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([])
  })
})

describe('capabilities', () => {
  test('capabilities are data; a profile settles what the template decides', () => {
    const known = capabilities()
    expect(
      Object.fromEntries(
        Object.entries(known).map(([ability, { supported }]) => [ability, supported]),
      ),
    ).toEqual({
      tools: 'by-model',
      parallelTools: 'by-model',
      images: false,
      schema: true,
      logprobs: true,
      reasoning: 'by-model',
      embeddings: true,
    })
    for (const { source } of Object.values(known))
      if (!source.startsWith('https:'))
        expect(readFileSync(join(root, source), 'utf8')).toContain('test(')
    expect(capabilities({ profile: { supportsTools: false } }).tools.supported).toBe(false)
  })
})
