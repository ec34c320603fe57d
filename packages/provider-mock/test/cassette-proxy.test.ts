import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { node } from '../../../test/support/platform.js'
import { holdRefusedPort } from '../../../test/support/refused-port.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { recordCassette } from '../src/index.js'
import { cassetteFetch } from '../src/node.js'
import { end, line, once, provider } from './recorded-server.js'

/** Only the proxy is asked, and it asks nobody. */
const baseUrl = 'http://model.test/v1'

describe.runIf(node)('through a proxy with a password', () => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end(
      line(
        `you are ${request.headers['proxy-authorization'] ?? 'nobody'}, p%40ss-of-tests or p@ss-of-tests`,
        end,
      ),
    )
  })
  let address = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve)
    })
    address = `http://me:p%40ss-of-tests@127.0.0.1:${(proxy.address() as AddressInfo).port}`
  })
  afterAll(() => {
    proxy.close().closeAllConnections()
  })

  test('the recorder sends through it, and stores no password', async () => {
    const recorder = recordCassette({ proxy: address })
    expect(await provider(baseUrl, recorder.fetch).complete('Hi')).toContain(
      `Basic ${btoa('me:p@ss-of-tests')}`,
    )
    expect(asked.splice(0)).toEqual(['http://model.test/api/chat'])
    const stored = JSON.stringify(recorder.cassette())
    expect(stored).toContain('you are Basic')
    expect(stored).not.toMatch(/p(@|%40)ss-of|QHNzLW9mLXRlc3/)
  })

  test('a recorder with a file sends through it too', async () => {
    const folder = temporaryFolder('cassette')
    const fetch = await cassetteFetch({ path: join(folder, 'a.json'), proxy: address })
    await provider(baseUrl, fetch).complete('Hi')
    expect(asked.splice(0)).toHaveLength(1)
    await fetch.close()
    expect(await readFile(join(folder, 'a.json'), 'utf8')).not.toMatch(
      /p(@|%40)ss-of|QHNzLW9mLXRlc3/,
    )
  })

  test('the reason that a proxy cannot be reached is stored, without its password', async () => {
    const { port, release } = await holdRefusedPort()
    const recorder = recordCassette({ proxy: `http://me:p%40ss-of-tests@127.0.0.1:${port}` })
    await expect(provider(baseUrl, recorder.fetch).complete('Hi', once)).rejects.toMatchObject({
      code: 'network',
      reason: 'refused',
    })
    release()
    const [exchange] = recorder.cassette().exchanges
    expect(exchange?.response).toEqual({
      error: {
        message: expect.stringContaining(`127.0.0.1:${port}`) as string,
        code: 'ECONNREFUSED',
      },
    })
    expect(JSON.stringify(exchange)).not.toMatch(/p(@|%40)ss-of/)
  })
})
