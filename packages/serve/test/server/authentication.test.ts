import { createAgentServer } from '@modelport/serve'
import { describe, expect, it } from 'vitest'
import { echoAgent } from './support.js'

const make = (options: object) => () => createAgentServer([echoAgent()], options)

describe('a row of authentication', () => {
  const types = 'it must be one of apiKey, bearer, basic, jwt, custom'
  it.each([
    [{ type: 'Bearer', tokens: [] }, `authentication[0].type is "Bearer"; ${types}`],
    ['abc', `authentication[0].type is undefined; ${types}`],
    [
      { type: 'bearer', token: 'abc' },
      'authentication of type bearer: unknown setting "token"; did you mean "tokens"?',
    ],
    [
      { type: 'bearer', tokens: [] },
      'authentication of type bearer needs tokens, a list with entries; set it',
    ],
    [{ type: 'bearer' }, 'authentication of type bearer needs tokens, a list with entries; set it'],
    [
      { type: 'apiKey', keys: 'abc' },
      'authentication of type apiKey needs keys, a list with entries; set it',
    ],
    [
      { type: 'basic', users: undefined },
      'authentication of type basic needs users, a list with entries; set it',
    ],
    [
      { type: 'jwt', keys: [{}], audience: 'a', algorithms: ['ES256'] },
      'of type jwt needs issuer; set it',
    ],
    [
      { type: 'jwt', keys: [{}], issuer: 'i', audience: 'a', algorithms: [] },
      'needs algorithms, a list with entries; set it',
    ],
    [
      { type: 'custom', scheme: { type: 'mutualTls' } },
      'of type custom needs authenticate; set it',
    ],
    [{ type: 'bearer', tokens: ['abc'] }, 'a principal or secret is empty or not a text'],
    [{ type: 'apiKey', keys: [{ key: 'k' }] }, 'a principal or secret is empty or not a text'],
  ])(
    'a row of authentication that no request could satisfy is refused where the server is made: %j',
    (row, message) => {
      expect(make({ authentication: [row] })).toThrow(message)
    },
  )
})
