import { expect, test } from 'vitest'
import { readStartRun } from '../src/server/request-bodies.js'

const start = (options: object): Promise<unknown> => {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], options })
  return readStartRun(new Request('http://127.0.0.1/api/runs', { method: 'POST', body }))
}

test.each([
  [{ topP: 2 }, 'options.topP: must be a number between 0 and 1'],
  [{ stop: 'END' }, 'options.stop: must be a list of texts'],
  [{ toolChoice: 'sometimes' }, 'options.toolChoice: '],
  [{ seed: 1.5 }, 'options.seed: must be a whole number'],
  [{ signal: {} }, 'signal'],
  [{ tools: [] }, 'tools'],
])('the studio refuses options %j of a run, and says what is wrong', async (options, message) => {
  await expect(start(options)).rejects.toMatchObject({ code: 'invalid-request' })
  await expect(start(options)).rejects.toThrow(message)
})
