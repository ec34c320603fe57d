// An old Node says so where a provider is made or a run starts, not from inside a run.

import { createMock } from '@modelport/provider-mock'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { generateObject, infer, inferStream } from '@modelport/runtime'
import { expect, test } from 'vitest'

const mock = createMock({ responses: ['Hello'] })

/** What a program throws at once, or rejects with, on a platform without Promise.withResolvers. */
function onOldPlatform(program: () => unknown): unknown {
  const property = Object.getOwnPropertyDescriptor(Promise, 'withResolvers')!
  Reflect.deleteProperty(Promise, 'withResolvers')
  try {
    return program()
  } catch (error) {
    return Promise.reject(error)
  } finally {
    Object.defineProperty(Promise, 'withResolvers', property)
  }
}

test.each<[what: string, program: () => unknown]>([
  [
    'a provider of a server',
    () => createOpenAICompatible({ baseUrl: 'http://127.0.0.1:9/v1', model: 'm' }),
  ],
  ['a provider of a vendor', () => createOllama({ model: 'm', fetch })],
  ['a mock', () => createMock({ responses: ['Hello'] })],
  ['a run', () => infer(mock, { query: 'Hello' })],
  ['a run that is read', () => inferStream(mock, { query: 'Hello' })],
  ['an object', () => generateObject(mock, { prompt: 'Hello', schema: { type: 'object' } })],
])('%s on an old platform says which Node is new enough', async (_, program) => {
  await expect(onOldPlatform(program)).rejects.toMatchObject({
    code: 'config',
    message:
      'modelport needs Node 22.19 or newer, or a runtime that has Promise.withResolvers, which this one lacks; update it',
  })
})
