import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as tls from 'node:tls'
import { isLlmError } from '@modelport/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atSize, reportFault } from '../support/faults.js'
import { answerTo, listen, once, read, richTurn, targets } from './targets.js'

const openssl = spawnSync('openssl', ['version']).status === 0 && 'setDefaultCACertificates' in tls
if (!openssl)
  console.log(
    'skipped: certificates are made by openssl and trusted by Node 22.19 or 24.5, which are not here',
  )

const folder = mkdtempSync(join(tmpdir(), 'modelport-tls-'))
const path = (name: string): string => join(folder, name)
const run = (...parts: readonly string[]): void =>
  void execFileSync('openssl', parts, { stdio: 'ignore', cwd: folder })

/** A key and a certificate for these names, signed by our authority unless it signs itself. */
function certificate(
  name: string,
  names: string,
  options: readonly string[] = [],
  self = false,
): { readonly key: string; readonly cert: string } {
  run(
    'req',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
    '-subj',
    `/CN=${name}`,
  )
  writeFileSync(path(`${name}.ext`), `subjectAltName=${names}\n`)
  const signer = self
    ? ['-signkey', `${name}.key`]
    : ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial']
  run(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-out',
    `${name}.crt`,
    '-extfile',
    `${name}.ext`,
    ...signer,
    ...(options.length ? options : ['-days', '2']),
  )
  return {
    key: readFileSync(path(`${name}.key`), 'utf8'),
    cert: readFileSync(path(`${name}.crt`), 'utf8'),
  }
}

describe.skipIf(!openssl)('TLS', () => {
  const before = openssl ? tls.getCACertificates('default') : []
  const here = 'IP:127.0.0.1,DNS:localhost'
  let good: ReturnType<typeof certificate>
  beforeAll(() => {
    run(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
      '-subj',
      '/CN=modelport tests',
      '-days',
      '2',
    )
    tls.setDefaultCACertificates([...before, readFileSync(path('ca.crt'), 'utf8')])
    good = certificate('good', here)
  })
  afterAll(() => {
    tls.setDefaultCACertificates(before)
    rmSync(folder, { recursive: true, maxRetries: 5, force: true })
  })

  test('a certificate that is expired, of another host, or signed by nobody is refused, and nothing is sent', async () => {
    const wrong = {
      'of another host': certificate('other', 'DNS:elsewhere.test'),
      'signed by itself': certificate('self', here, [], true),
      expired: certificate('expired', here, ['-days', '-1']),
    }
    for (const [what, pair] of Object.entries(wrong)) {
      let requests = 0
      const { port } = await listen(
        createServer(pair, (_, response) => {
          requests++
          response.end()
        }),
      )
      for (const target of targets) {
        const error = await read(target.create(`https://127.0.0.1:${port}`)).catch(
          (thrown: unknown) => thrown,
        )
        expect(error, what).toMatchObject({ code: 'network', reason: 'tls', retryable: false })
      }
      expect(requests).toBe(0)
      reportFault('TLS', { 'certificates refused': targets.length })
    }
  })

  test('a connection that is cut in mid-stream, with or without a word, is truncated', async () => {
    for (const target of targets) {
      const { bytes, headers } = await answerTo(target, richTurn)
      let at = 0
      let rude = false
      const server: Server = createServer(good, (request, response) => {
        request.resume()
        response.writeHead(200, { ...headers, connection: 'close' })
        response.write(bytes.subarray(0, at), () =>
          rude ? setTimeout(() => response.socket?.destroy(), 3) : response.socket?.end(),
        )
      })
      const { port } = await listen(server)
      const provider = target.create(`https://127.0.0.1:${port}`, { defaults: once })
      const offsets = atSize(16, 128)
      for (rude of [false, true]) {
        for (let index = 1; index < offsets; index++) {
          at = Math.ceil((index * bytes.length) / offsets)
          const outcome = await read(provider).catch((error: unknown) => error)
          if (isLlmError(outcome))
            expect(outcome.code, `cut at ${at} of ${bytes.length}`).toBe('truncated')
          else expect(outcome).toEqual({ text: (richTurn.text ?? []).join(''), calls: 2 })
          if (at < bytes.length / 2) expect(isLlmError(outcome)).toBe(true)
        }
      }
      reportFault('S2', { 'cuts of TLS': 2 * (offsets - 1) })
    }
  })
})
