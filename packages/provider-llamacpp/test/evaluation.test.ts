import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProviderError } from '@modelport/core'
import { afterAll, expect, test, vi } from 'vitest'
import { toEvaluationError } from '../src/error.js'
import { createLlamaCpp } from '../src/index.js'
import { scriptedLlama, scripts } from './scripted-llama.js'

vi.mock('node-llama-cpp', () => scriptedLlama)

const folder = mkdtempSync(join(tmpdir(), 'modelport-evaluation-'))
afterAll(() => {
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

class InsufficientMemoryError extends Error {}
class DisposedError extends Error {}

test.each<[Error, string, string, RegExp, string[]?]>([
  [
    new Error(
      'could not find a KV slot for the batch (try reducing the size of the batch or increase the context)',
    ),
    'context-length',
    'context-full',
    /raise contextSize/,
  ],
  [
    new Error('Failed to free up space for new tokens'),
    'context-length',
    'context-full',
    /fewer parallel/,
  ],
  [new DisposedError('Object is disposed'), 'aborted', 'model-freed', /freed while it answered/],
  [new Error('Context is disposed'), 'aborted', 'model-freed', /freed while it answered/],
  [
    new Error('Failed to accept token in grammar sampler'),
    'unsupported',
    'grammar',
    /make it simpler/,
  ],
  [
    new Error('This model does not support token generation'),
    'unsupported',
    'no-generation',
    /embeddings/,
  ],
  [new InsufficientMemoryError('no'), 'config', 'insufficient-memory', /smaller contextSize/],
  [
    new Error('Eval has failed'),
    'config',
    'insufficient-memory',
    /gpu: false.*\(Eval has failed; vk: Out of device memory\)/,
    ['vk: Out of device memory'],
  ],
  [
    new Error('Eval has failed'),
    'server',
    'evaluation-failed',
    /failed to evaluate: Eval has failed; lost the device; set gpu: false/,
    ['lost the device'],
  ],
  ['text' as unknown as Error, 'server', 'evaluation-failed', /failed to evaluate: text;/],
])('%s is %s (%s)', (cause, code, type, message, log = []) => {
  expect(toEvaluationError(cause, log)).toMatchObject({
    code,
    type,
    provider: 'llamacpp',
    message: expect.stringMatching(message) as string,
  })
})

const failing = (cause: Error) => {
  const modelPath = join(folder, `${scripts.size}.gguf`)
  writeFileSync(modelPath, 'GGUF')
  scripts.set(modelPath, () => Promise.reject(cause))
  return createLlamaCpp({
    modelPath,
    gpu: false,
    contextSize: 4096,
    chatTemplate: '{% for m in messages %}{{ m.content }}{% endfor %}',
  })
}

test('what stops a reply says what it is, as a text and as a stream, and the place is free again', async () => {
  const provider = failing(new Error('Eval has failed'))
  for (let calls = 0; calls < 3; calls++) {
    const expected = {
      code: 'server',
      message: expect.stringMatching(
        /^llamacpp: server: llama\.cpp failed to evaluate: Eval has failed/,
      ) as string,
    }
    await expect(provider.complete('Hi', { retry: { attempts: 1 } })).rejects.toMatchObject(
      expected,
    )
    await expect(
      provider.stream('Hi', { retry: { attempts: 1 } }).then((reader) => reader.next()),
    ).rejects.toMatchObject(expected)
  }
  await provider.close()
})

test('an abort rejects with the reason of the caller, whatever llama.cpp reports', async () => {
  const controller = new AbortController()
  const provider = failing(new Error('Eval has failed'))
  const reader = await provider.stream('Hi', { signal: controller.signal, retry: { attempts: 1 } })
  const read = reader.next().catch((error: unknown) => error as ProviderError)
  controller.abort()
  expect(await read).toBe(controller.signal.reason)
  await provider.close()
})
