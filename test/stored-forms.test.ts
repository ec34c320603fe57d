// What a released version stored is read by the code of today: see stored-forms/README.md. The
// stores of PostgreSQL are read by packages/durable/test/released-stores.test.ts.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromJson } from '@modelport/core'
import { Dialog } from '@modelport/dialog'
import { parseConfig } from '@modelport/factory'
import { mcpTools } from '@modelport/mcp'
import { type Cassette, replayCassette } from '@modelport/provider-mock'
import { createOllama } from '@modelport/provider-ollama'
import { infer, type ResumeDecision, type RunResult } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import {
  askingRequest,
  createModel,
  createPrompts,
  type Payments,
  policyVersion,
} from './stored-forms/cases.js'
import { folderOf, versions } from './stored-forms/versions.js'
import { temporaryFolder } from './support/temporary-folder.js'

describe.each(versions)('what %s stored', (version) => {
  const textOf = (name: string): string => readFileSync(join(folderOf(version), name), 'utf8')
  const read = (name: string): unknown => JSON.parse(textOf(name))

  test('a conversation is read, and continues', async () => {
    const messages = fromJson(read('conversation.json'))
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])

    const result = await infer(createModel(), { messages, query: 'What do you know?' })
    expect(result).toMatchObject({ status: 'final', text: 'I know 2 messages of yours.' })
  })

  test('a dialog is read with its prompts', () => {
    const dialog = Dialog.fromJson(read('dialog.json'), createPrompts())
    expect(dialog.length).toBe(4)
    expect(dialog.toJson()).toEqual(read('dialog.json'))
  })

  test('a suspended run is resumed after an approval, and pays once', async () => {
    const stored = read('suspended-run.json') as Extract<RunResult, { status: 'suspended' }>
    const decisions = stored.pending.map((item): ResumeDecision => {
      if (item.type !== 'approval') throw new Error(`the run waits for ${item.type}`)
      return { type: 'approve', id: item.id, digest: item.digest, by: 'Ada' }
    })
    const payments: Payments = []
    const result = await infer(createModel(), {
      ...askingRequest(payments),
      messages: stored.transcript,
      durable: { resume: stored.checkpoint, decisions, policyVersion },
    })
    expect(result).toMatchObject({ status: 'final', text: 'It is paid.' })
    expect(payments).toEqual([`5 ${stored.checkpoint.runId}/pay/24f7dba65ff6e4f1/0`])
  })

  test('a cassette is replayed', async () => {
    const cassette = read('cassette.json') as Cassette
    const fetch = replayCassette(cassette)
    const baseUrl = new URL(cassette.exchanges[0]!.request.url).origin
    const reader = await createOllama({ model: 'm', baseUrl, fetch }).stream('How is Oslo?')
    for await (const _ of reader);
    expect(reader.fullText()).toBe('It is cold.')
    fetch.assertAllUsed()
  })

  test('a lock still accepts the server that it pinned, and is not written again', async () => {
    const lock = join(temporaryFolder('lock'), 'modelport.lock')
    cpSync(join(folderOf(version), 'modelport.lock'), lock)
    const weather = mcpTools({
      name: 'weather',
      transport: { command: 'node', args: ['test/stored-forms/server.mjs'] },
      lock,
    })
    const tools = await weather.tools()
    await weather.close()
    expect(tools.map(({ definition }) => definition.name)).toEqual(['get_weather'])
    expect(readFileSync(lock, 'utf8')).toBe(textOf('modelport.lock'))
  })

  test('a configuration file is read with its settings', () => {
    const { models, roles } = parseConfig(textOf('modelport.yaml'))
    expect(models).toMatchObject([
      {
        name: 'main',
        provider: 'openai-compatible',
        model: 'my-model',
        baseUrl: 'http://127.0.0.1:8080/v1',
        fallback: ['spare'],
        defaults: { temperature: 0, maxTokens: 1000 },
        profile: { contextWindow: 200_000, prices: { input: 3, output: 15, cacheRead: 0.3 } },
      },
      {
        name: 'spare',
        provider: 'anthropic',
        apiKeyEnv: 'SPARE_KEY',
        model: 'claude-haiku-4-5',
      },
    ])
    expect(roles).toEqual({ chat: 'main', sub_agent: 'spare' })
  })
})
