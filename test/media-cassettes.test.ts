// Cassettes record and replay what is not a conversation: forms with files, and files as responses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordCassette, replayCassette } from '@modelport/provider-mock'
import { cassetteFetch } from '@modelport/provider-mock/node'
import { createOpenAIImages, createOpenAISpeech, createOpenAITranscriber } from '@modelport/provider-openai'
import { createOpenAICompatibleReranker } from '@modelport/provider-openai-compatible'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OfflineVendor, startOfflineVendor } from '../examples/media/src/offline-vendor.js'
import { temporaryFolder } from './support/temporary-folder.js'

type Fetch = typeof fetch

const apiKey = 'sk-media-Canary-0123456789abcdef'
// No valid UTF-8, so that nothing can pass as text by chance.
const recording = { data: Uint8Array.from([82, 73, 70, 70, 255, 254, 0, 128]), mediaType: 'audio/wav' }

let vendor: OfflineVendor
beforeAll(async () => {
  vendor = await startOfflineVendor()
})
afterAll(() => {
  vendor.close()
})

async function callAll(fetch: Fetch, text = 'Good morning!') {
  const connection = { baseUrl: vendor.url, apiKey, fetch, model: 'm' }
  return [
    await createOpenAIImages(connection).generateImages('A red cube'),
    await createOpenAISpeech(connection).speak(text),
    await createOpenAITranscriber(connection).transcribe(recording),
    await createOpenAICompatibleReranker(connection).rerank('q', ['a', 'b']),
  ]
}

test('a replay gives the same bytes and results as the vendor did, without a connection', async () => {
  const recorder = recordCassette()
  const results = await callAll(recorder.fetch)
  const player = replayCassette(JSON.parse(JSON.stringify(recorder.cassette())))
  expect(await callAll(player as Fetch)).toEqual(results)
  player.assertAllUsed()
})

test('another text, or another recording, is not the recorded request', async () => {
  const recorder = recordCassette()
  await callAll(recorder.fetch)
  const player = replayCassette(recorder.cassette())
  await expect(callAll(player as Fetch, 'Good night!')).rejects.toThrow('cassette: the request is not the recorded one')
})

test('the key is in no cassette file', async () => {
  const path = join(temporaryFolder('cassette'), 'media.json')
  const file = await cassetteFetch({ path, mode: 'record' })
  await callAll(file)
  await file.close()
  expect(readFileSync(path, 'utf8')).not.toContain('Canary')
  const again = await cassetteFetch({ path, mode: 'replay' })
  expect(await callAll(again as Fetch)).toHaveLength(4)
  await again.close()
})
