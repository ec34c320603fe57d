import { conformance } from '@modelport/conformance'
import { bedrockConverse } from '@modelport/test-formats'
import { faultRunner, wireRunner } from '../../../test/support/faults.js'
import { createBedrock } from '../src/index.js'

const apiKey = 'ABSKQmVkcm9ja0FQSUtleS1jb25mb3JtYW5jZTowMTIzNDU2Nzg5'
const binary = 'frames have no pings of text, and say their length first: frames.test.ts'
const skip = {
  "comments and pings keep the bytes' clock, not the reply's": binary,
  'an event without an end is refused as soon as it is too long': binary,
}
const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

// Its frames are binary, so it runs the whole kit.
conformance(faultRunner, {
  name: 'bedrock',
  format: bedrockConverse,
  apiKey,
  skip,
  create: (config) => createBedrock({ model, apiKey, region: 'us-east-1', ...config }),
})

conformance(wireRunner, {
  name: 'bedrock, signed',
  format: bedrockConverse,
  apiKey,
  skip: { ...skip, 'the key is on no object': 'a secret key signs and is never sent' },
  create: (config) =>
    createBedrock({
      model,
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: apiKey },
      ...config,
    }),
})
