import { expect, test } from 'vitest'
import { toConnection } from '../../../provider-bedrock/src/config.js'
import { apiHosts, type FactoryContext, hostPort } from '../../src/index.js'
import { emptyEnvironment } from '../support.js'

const context: FactoryContext = { environment: emptyEnvironment }

test('the hosts of Bedrock are those of the package', () => {
  for (const region of ['us-east-1', 'us-gov-west-1']) {
    for (const credentials of [
      { accessKeyId: 'a', secretAccessKey: 'b' },
      'default-chain',
    ] as const) {
      const bedrock = { region, credentials }
      expect(apiHosts({ provider: 'bedrock', model: 'm', bedrock }, context).map(hostPort)).toEqual(
        toConnection(bedrock).hosts,
      )
    }
  }
})

test('the metadata servers of AWS are dialled past a proxy, and listed so', () => {
  const bedrock = { region: 'us-east-1', credentials: 'default-chain' } as const
  const proxy = 'http://proxy.local:3128'
  const list = apiHosts({ provider: 'bedrock', model: 'm', bedrock, proxy }, context)
  const direct = list.filter(({ viaProxy, purpose }) => !viaProxy && purpose !== 'proxy')

  expect(direct.map(hostPort)).toEqual([
    '169.254.169.254:80',
    '169.254.170.2:80',
    '169.254.170.23:80',
  ])
  expect(direct.every(({ purpose }) => purpose === 'metadata')).toBe(true)
})
