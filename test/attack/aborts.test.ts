import { describe, expect, test } from 'vitest'
import { randomBelow, seed } from '../support/seed.js'
import { dialects } from './dialects.js'
import { count, outcomeOf, tries } from './outcome.js'
import { chunked, startRawServer } from './raw-server.js'

describe.each(dialects)('aborts at random: $name', (dialect) => {
  test('aborts at random reject with the reason, or after the end change nothing, and leave no connection', async () => {
    const below = randomBelow(seed + 3)
    const bytes = Buffer.from(dialect.stream)
    const server = await startRawServer(() => ({
      pieces: chunked(200, dialect.type, [bytes.subarray(0, below(bytes.length))]).slice(0, -1),
      then: 'keep',
    }))
    const provider = dialect.create(server.url, 'sk-Attack0123456789-Qx72-zyxwvutsrqponmlk')
    const rounds = tries(30, 1500)
    for (let round = 0; round < rounds; round++) {
      const abort = new AbortController()
      const reason = new Error(`abort ${round}`)
      const timer = setTimeout(() => abort.abort(reason), below(4))
      const { end } = await outcomeOf(provider, abort.signal)
      clearTimeout(timer)
      expect(end).toMatch(/^(?:aborted|error |end )/)
    }
    await expect.poll(() => server.open.size).toBe(0)
    count(rounds)
  })
})
