import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import type { RunRecord, StudioInfo } from '@modelport/studio'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { buildPage } from '../../studio/build-page.mjs'
import type { Exchange } from '../../studio/src/protocol/protocol.js'
import { openStudio } from './open-studio.js'
import { command } from './test-io.js'
import { configOf, key } from './wire.js'

const ggufPath = new URL('../../provider-llamacpp/test/fixtures/tinytool.gguf', import.meta.url)
  .pathname

beforeAll(() => buildPage(new URL('../../studio/dist/page', import.meta.url).pathname))

/**
 * What the model of the configuration that `init` writes says to a message in the studio, and what
 * the page shows of the requests.
 */
async function chatAfterInit(
  home: string,
  init: readonly string[],
  { stdin = '', fields = '' } = {},
) {
  const { code, err } = await command(['init', ...init], { home, stdin })
  expect(code, err).toBe(0)
  const config = readFileSync(configOf(home), 'utf8')
  writeFileSync(configOf(home), config.replace(/(?=\nroles:)/, fields))
  const { running, ask, settled } = await openStudio(['--memory'], { home })
  onTestFinished(async () => {
    running.interrupt()
    await running.done
  })
  const info = await ask<StudioInfo>('/api/info')
  const { id } = await ask<RunRecord>('/api/runs', {
    model: info.models[0]?.id,
    messages: [{ role: 'user', content: 'Say something plain' }],
    options: { maxTokens: 256, temperature: 0 },
  })
  return {
    run: await settled(id),
    exchanges: await ask<Exchange[]>(`/api/runs/${id}/exchanges`),
    info,
  }
}

test.each([
  ['that needs no key', undefined],
  ['with a key of one character', 'x'],
  ['with a key of three characters', 'abc'],
  ['with a usual key', key],
])(
  'a server %s replies in the studio after init, without a tool of the studio',
  async (_what, apiKey) => {
    const server = await startWireServer({
      formats: [openaiChat],
      reply: () => ({
        text: ['Plain', ' text'],
        finish: 'stop',
        usage: { inputTokens: 5, outputTokens: 2 },
      }),
      ...(apiKey !== undefined && { apiKey }),
    })
    onTestFinished(() => server.close())
    const home = temporaryFolder('home')
    const { run, exchanges, info } = await chatAfterInit(
      home,
      [
        '-p',
        'openai-compatible',
        '-m',
        'my-model',
        '--base-url',
        `${server.url}/v1`,
        ...(apiKey ? ['--key-stdin'] : []),
      ],
      { stdin: apiKey === undefined ? '' : `${apiKey}\n` },
    )
    expect(run.error).toBeUndefined()
    expect(run).toMatchObject({
      status: 'final',
      transcript: [{ role: 'user' }, { content: 'Plain text' }],
    })
    expect(info.tools).toEqual([])
    expect(server.requests.at(-1)?.body).not.toHaveProperty('tools')
    const [exchange] = exchanges
    expect(exchange?.requestHeaders['authorization']).toBe(
      apiKey === undefined ? undefined : '[redacted]',
    )
    if (apiKey !== undefined)
      expect(Object.values(exchange?.requestHeaders ?? {})).not.toContain(`Bearer ${apiKey}`)
    expect(readFileSync(configOf(home), 'utf8')).not.toContain('\n    api_key:')
  },
)

test.skipIf(!existsSync(ggufPath))(
  'a model in this process replies in the studio after init',
  async () => {
    const home = temporaryFolder('home')
    const { run, exchanges } = await chatAfterInit(
      home,
      ['-p', 'llamacpp', '-m', ggufPath, '--no-test'],
      {
        // Several threads wait for each other on a busy machine.
        fields: '\n    settings: {gpu: false, threads: 1}',
      },
    )
    expect(run.error).toBeUndefined()
    expect(run.status).toBe('final')
    expect(run.usage?.outputTokens).toBeGreaterThan(0)
    expect(exchanges).toEqual([])
  },
)
