// An image, a voice, a transcript, a ranking and a batch.
import {
  createOpenAIBatches,
  createOpenAIImages,
  createOpenAISpeech,
  createOpenAITranscriber,
} from '@modelport/provider-openai'
import { createOpenAICompatibleReranker } from '@modelport/provider-openai-compatible'
import { startOfflineVendor } from './offline-vendor.ts'

const vendor = await startOfflineVendor()
const connection = { baseUrl: vendor.url, apiKey: 'no-key-needed', enforceHosts: true }

const images = createOpenAIImages({ ...connection, model: 'gpt-image-2' })
const { images: made } = await images.generateImages('A red cube')
for (const { mediaType, data } of made) console.log(`image: ${mediaType}, ${data.length} bytes`)

const speech = createOpenAISpeech({ ...connection, model: 'gpt-4o-mini-tts' })
const sound = await speech.speak('Good morning!', { format: 'mp3' })
console.log(`speech: ${sound.mediaType}, ${sound.data.length} bytes`)

const listener = createOpenAITranscriber({ ...connection, model: 'gpt-transcribe' })
const { text } = await listener.transcribe(sound)
console.log(`transcript: ${text}`)

const documents = ['hi', 'The giant panda is a bear.']
const ranker = createOpenAICompatibleReranker({ ...connection, model: 'bge-reranker' })
const ranked = await ranker.rerank('What is a panda?', documents)
console.log(`best: ${documents[ranked.results[0]?.index ?? 0]}`)

const runner = createOpenAIBatches({ ...connection, model: 'small', api: 'chat' })
const ask = (country: string) => ({ messages: [{ role: 'user' as const, content: `The capital of ${country}?` }] })
const { id } = await runner.createBatch([ask('Italy'), ask('Norway')])
const results = await runner.batchResults(id)
console.log(`batch: ${results.map(({ generation, error }) => generation?.text ?? error?.code).join(', ')}`)
vendor.close()
