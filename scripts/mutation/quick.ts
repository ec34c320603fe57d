import { beforeEach } from 'vitest'

/**
 * Tests that measure time or try a very large input: the counters in a mutated source slow them
 * down, and other tests find the same.
 */
const slow = [
  'time grows with the length, whatever the text',
  'one long line in many chunks takes linear time',
  'an attack on the search stays fast',
  'every UTF-16 code unit of a key is visible ASCII, or is refused by its position, wherever it stands',
  'ten thousand ids of one start stay different in nine characters',
  'the embedder takes two hundred thousand texts in one batch',
]

// Loaded by the first request of a test: what runs while it loads would be put down to that test.
if (process.env['MODELPORT_MUTATION'] === 'driver')
  await import('../../packages/driver/src/transport/undici-transport.js')

beforeEach(({ task, skip }) => {
  if (slow.includes(task.name)) skip()
})
