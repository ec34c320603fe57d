import { createAgentServer } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { describe, expect, it } from 'vitest'
import { echoAgent } from './support.js'

const make = (options: object) => () => createAgentServer([echoAgent()], options)

describe('a number of a server', () => {
  const bytes = 'maxBodyBytes must be a whole number between 1 and 1073741824, not '
  it.each([
    [{ maxBodyBytes: NaN }, `${bytes}NaN`],
    [{ maxBodyBytes: -1 }, `${bytes}-1`],
    [{ maxBodyBytes: 1.5 }, `${bytes}1.5`],
    [{ maxBodyBytes: '1000' }, `${bytes}"1000"`],
    [{ maxBodyBytes: Infinity }, `${bytes}Infinity`],
    [
      { streams: { keepAliveMs: 0 } },
      'streams.keepAliveMs must be a whole number between 1 and 2147483647, not 0',
    ],
    [
      { streams: { stallMs: NaN } },
      'streams.stallMs must be a whole number of at least 1, not NaN',
    ],
    [
      { streams: { maxStreams: '9' } },
      'streams.maxStreams must be a whole number of at least 1, not "9"',
    ],
    [
      { streams: { maxstreams: 9 } },
      'createAgentServer: streams: unknown setting "maxstreams"; did you mean',
    ],
  ])(
    'a number of a server that is not whole, positive and in range is refused: case %#',
    async (options, message) => {
      expect(make(options)).toThrow(message)
      await expect(serve([echoAgent()], options as object)).rejects.toThrow(message)
    },
  )
})

describe('a list of a server', () => {
  const row = { type: 'bearer', tokens: [{ token: 'abc', principal: 'p' }] }
  it.each([
    [{ authentication: row }, 'authentication must be a list'],
    [{ allowedOrigins: 'https://example.com' }, 'allowedOrigins must be a list'],
    [{ allowedHosts: 'example.com' }, 'allowedHosts must be a list'],
  ])('a list of a server that is something else is refused: %j', (options, message) => {
    expect(make(options)).toThrow(message)
  })
})
