import { createServer as createNetServer } from 'node:net'
import { isLlmError } from '@modelport/core'
import { expect, test } from 'vitest'
import { reportFault } from '../support/faults.js'
import { listen, once, question, serve, targets, tools } from './targets.js'

const statuses = [300, 301, 302, 303, 304, 305, 307, 308]

test.each(targets)(
  '$name follows no redirect: not to another port, host or scheme, not to itself',
  async (target) => {
    let connections = 0
    const trap = await listen(
      createNetServer((socket) => {
        connections++
        socket.destroy()
      }),
    )
    let answer = { status: 0, location: '' }
    const origin = await serve((_, response) => {
      response.writeHead(answer.status, {
        location: answer.location,
        'content-type': 'application/json',
      })
      response.end('{}')
    })
    const port = String(trap.port)
    const locations = [
      `http://127.0.0.1:${port}/v1`,
      `http://localhost:${port}/v1`,
      `http://[::1]:${port}/`,
      `https://127.0.0.1:${port}/v1`,
      `//127.0.0.1:${port}/v1`,
      `http://user:password@127.0.0.1:${port}/`,
      `\\\\127.0.0.1:${port}\\v1`,
      `HTTP://127.1:${port}`,
      `http://127.0.0.1:${origin.port}/elsewhere`,
      '/v2/elsewhere',
      '?again',
      '',
      'http://',
      'file:///etc/passwd',
    ]
    const provider = target.create(origin.url, { defaults: once })
    let redirects = 0
    for (const status of statuses) {
      for (const location of locations) {
        answer = { status, location }
        const before = origin.paths.length
        const calls =
          redirects % 2
            ? () => provider.complete('Hi')
            : () => provider.streamWithTools(question, tools)
        const error = await calls().catch((thrown: unknown) => thrown)
        expect(
          isLlmError(error, 'redirect-refused'),
          `${status} ${location}: ${String(error)}`,
        ).toBe(true)
        expect(origin.paths.length - before, 'requests').toBe(1)
        expect(JSON.stringify(error)).not.toContain('password')
        redirects++
      }
    }
    expect(connections).toBe(0)
    reportFault('K4', { 'redirects over real sockets': redirects, 'bytes to a second origin': 0 })
  },
)
