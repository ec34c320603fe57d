// The lists for sandbox-runtime and Claude Code, held to the real sandbox-runtime: its schema, and
// what it lets through.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WireServer } from '@modelport/conformance/wire-server'
import { apiHosts } from '@modelport/factory'
import { toClaudeCode, toSrt } from '@modelport/factory/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../scripts/workspaces.ts'
import { bundlePrograms } from './support/bundle.js'
import { expectedHosts, vendorConfigs } from './support/egress-jobs.js'
import type { EgressOutcome } from './support/egress-program.js'
import { hostSets } from './support/host-sets.js'
import { type LoggingProxy, startLoggingProxy } from './support/logging-proxy.js'
import { runProgram } from './support/program.js'
import { fetchSandboxRuntime, findSandboxRuntime } from './support/sandbox-runtime.js'
import { temporaryFolder } from './support/temporary-folder.js'
import { type SecureFront, startSecureFront, startVendorServer } from './support/vendor-server.js'

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: unknown }
}

const srt = fetchSandboxRuntime()

describe.skipIf(srt === undefined)('sandbox-runtime', () => {
  let schemas: Record<'SandboxRuntimeConfigSchema' | 'NetworkConfigSchema', Schema>
  beforeAll(async () => {
    schemas = (await import(/* @vite-ignore */ join(dirname(srt!), 'index.js'))) as typeof schemas
  })

  test.each(Object.entries(hostSets))(
    'sandbox-runtime reads the settings for %s',
    (_name, hosts) => {
      const settings = JSON.parse(toSrt(hosts).text) as { network: { allowedDomains: string[] } }
      expect(schemas.SandboxRuntimeConfigSchema.safeParse(settings)).toMatchObject({
        success: true,
      })
      // The same matcher is in Claude Code.
      const { sandbox } = JSON.parse(toClaudeCode(hosts).text) as {
        sandbox: { network: { allowedDomains: string[] } }
      }
      expect(schemas.NetworkConfigSchema.safeParse(sandbox.network)).toMatchObject({
        success: true,
      })
      expect(sandbox.network.allowedDomains).toEqual(settings.network.allowedDomains)
    },
  )

  test.each(['box:8000', '*.com', 'host:0', 'https://a.example'])(
    '%s would be refused',
    (domain) => {
      const settings = {
        network: { allowedDomains: [domain], deniedDomains: [] },
        filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      }
      expect(schemas.SandboxRuntimeConfigSchema.safeParse(settings).success).toBe(false)
    },
  )
})

const folder = temporaryFolder('srt')
const settingsFile = (name: string, text: string): string => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, text)
  return file
}
const underSrt = (
  settings: string,
  line: string,
  env: Record<string, string> = {},
  input = '',
): ReturnType<typeof runProgram> =>
  runProgram(process.execPath, [srt!, '--settings', settings, '-c', line], {
    env,
    input,
    cwd: folder,
  })

describe.skipIf(findSandboxRuntime() === undefined)('inside sandbox-runtime', () => {
  const authority = join(folder, 'authority.pem')
  const names = ['openai responses', 'anthropic', 'google', 'openai-compatible']
  let program: string
  let server: WireServer
  let secure: SecureFront
  let parent: LoggingProxy

  beforeAll(async () => {
    program = (
      await bundlePrograms(folder, { egress: join(root, 'test/support/egress-program.ts') })
    ).egress
    server = await startVendorServer()
    secure = await startSecureFront(
      server,
      names.map((name) => expectedHosts[name]!.split(':')[0]!),
      authority,
    )
    // Whatever the sandbox lets out comes here.
    parent = await startLoggingProxy(
      new Map(
        names.map((name) => [
          expectedHosts[name]!,
          { tunnel: secure.port, plain: Number(new URL(server.url).port) },
        ]),
      ),
    )
  })
  afterAll(async () => {
    parent.close()
    secure.close()
    await server.close()
  })

  const converse = async (
    vendors: readonly string[],
    settings: string,
  ): Promise<{ outcomes: EgressOutcome[]; stdout: string; stderr: string }> => {
    const jobs = vendors.map((name) => ({
      name,
      config: { ...vendorConfigs[name]!, proxyEnv: 'HTTPS_PROXY' },
    }))
    const env = { HTTP_PROXY: parent.url, HTTPS_PROXY: parent.url, NODE_EXTRA_CA_CERTS: authority }
    const { stdout, stderr, status } = await underSrt(
      settings,
      `echo "$HTTPS_PROXY" >&2; ${process.execPath} ${program}`,
      env,
      JSON.stringify(jobs),
    )
    expect(status, stderr).toBe(0)
    return {
      outcomes: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as EgressOutcome),
      stdout,
      stderr,
    }
  }

  test('each vendor responds through the list of all, and nothing else is asked for', async () => {
    const { text } = toSrt(apiHosts(names.map((name) => vendorConfigs[name]!)))
    const { outcomes } = await converse(names, settingsFile('all', text))
    expect(outcomes).toMatchObject(names.map((name) => ({ name, text: 'It is cold.', calls: 1 })))
    for (const { name, declared } of outcomes) expect(declared).toContain(expectedHosts[name])
    expect([...new Set(parent.asked)]).toEqual(names.map((name) => expectedHosts[name]))
  })

  test('without its host a vendor is refused, nothing leaves, the missing line is named, and the password of the proxy is not', async () => {
    parent.asked.length = 0
    const settings = settingsFile('other', toSrt(apiHosts('openai')).text)
    const {
      outcomes: [refused, allowed],
      stdout,
      stderr,
    } = await converse(['anthropic', 'openai responses'], settings)
    const password = /http:\/\/[^:@/]*:([^@]+)@/.exec(stderr)?.[1]
    expect(password, stderr).toBeTruthy()
    expect(stdout).not.toContain(password)
    expect(refused!.error).toMatchObject({
      code: 'network',
      problem: 'proxy',
      missingHost: 'api.anthropic.com:443',
    })
    expect(allowed!.text).toBe('It is cold.')
    expect([...new Set(parent.asked)]).toEqual(['api.openai.com:443'])
  })

  test('a server on this computer, outside the loopback of the sandbox, is reached through its proxy', async () => {
    const config = {
      ...vendorConfigs['openai-compatible']!,
      baseUrl: `${server.url}/v1`,
      proxyEnv: 'HTTPS_PROXY',
    }
    const { stdout, stderr } = await underSrt(
      settingsFile('local', toSrt(apiHosts(config)).text),
      `${process.execPath} ${program}`,
      {},
      JSON.stringify([{ name: 'local', config }]),
    )
    expect(JSON.parse(stdout), stderr).toMatchObject({ name: 'local', text: 'It is cold.' })
  })
})
