import { expect, test } from 'vitest'
import { peers, runPeer } from '../bench/src/compare/run-peer.js'

test.each(peers)('the adapter of $name plays a conversation of the conformance kit with tools', async (peer) => {
  const results = await runPeer(peer, 'round trip of a stream: two turns')
  expect(results).toEqual([{ title: 'L1 round trip of a stream: two turns', state: 'passed' }])
})
