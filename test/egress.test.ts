// Which hosts a program really contacts, as others see it: a proxy, Deno, the system's own calls,
// and no network at all.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WireServer } from '@modelport/conformance/wire-server'
import {
  apiHosts,
  environmentNames,
  hostPort,
  type ModelConfig,
  newProvider,
} from '@modelport/factory'
import { toDeno } from '@modelport/factory/sandbox'
import { cassetteFetch } from '@modelport/provider-mock/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../scripts/workspaces.ts'
import { bundlePrograms } from './support/bundle.js'
import {
  expectedHosts,
  hostileEnvironment,
  mockJob,
  pathOf,
  vendorConfigs,
} from './support/egress-jobs.js'
import type { EgressJob, EgressOutcome } from './support/egress-program.js'
import { type LoggingProxy, type Routes, startLoggingProxy } from './support/logging-proxy.js'
import { findDeno, findProgram, runProgram } from './support/program.js'
import { flagsOf } from './support/shell-words.js'
import { inetCalls } from './support/system-calls.js'
import { type SecureFront, startSecureFront, startVendorServer } from './support/vendor-server.js'

const folder = mkdtempSync(join(tmpdir(), 'modelport-egress-'))
const authority = join(folder, 'authority.pem')
const names = Object.keys(vendorConfigs)
const answered = { text: 'It is cold.', calls: 1 }
const open: { close(): unknown }[] = []
let programs: Record<'egress' | 'core' | 'factory' | 'driver', string>
let server: WireServer
let routes: Routes

const later = <T extends { close(): unknown }>(one: T): T => {
  open.push(one)
  return one
}
const configOf = (name: string): ModelConfig => vendorConfigs[name] as ModelConfig
const startProxy = async (allowed: (host: string) => boolean = () => true): Promise<LoggingProxy> =>
  later(await startLoggingProxy(new Map([...routes].filter(([host]) => allowed(host)))))

/** What the program says of each job. */
async function runJobs(
  command: string,
  args: readonly string[],
  jobs: readonly EgressJob[],
  env: Record<string, string> = {},
): Promise<EgressOutcome[]> {
  const { stdout, stderr, status } = await runProgram(command, args, {
    input: JSON.stringify(jobs),
    env,
    cwd: folder,
  })
  expect(status, stderr).toBe(0)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EgressOutcome)
}

beforeAll(async () => {
  const source = (name: string): string => join(root, `packages/${name}/src/index.ts`)
  programs = await bundlePrograms(folder, {
    egress: join(root, 'test/support/egress-program.ts'),
    core: source('core'),
    driver: source('driver'),
    factory: source('factory'),
  })
  server = later(await startVendorServer())
  const secure: SecureFront = later(
    await startSecureFront(
      server,
      names.map((name) => expectedHosts[name]!.split(':')[0]!),
      authority,
    ),
  )
  const plain = Number(new URL(server.url).port)
  routes = new Map(
    Object.values(expectedHosts).map((host) => [host, { tunnel: secure.port, plain }]),
  )
})
afterAll(async () => {
  for (const one of open) await one.close()
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

describe('behind a proxy that refuses and notes', () => {
  test("each vendor's conversation with a tool asks for the declared hosts, all of them and no other", async () => {
    const trap = await startProxy(() => false)
    const proxies = await Promise.all(
      names.map((name) => startProxy((host) => host === expectedHosts[name])),
    )
    const jobs = names.map((name, index) => ({
      name,
      config: { ...configOf(name), proxy: proxies[index]!.url, enforceHosts: true },
    }))
    const traps = Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((variable) => [
        variable,
        trap.url,
      ]),
    )
    const outcomes = await runJobs(process.execPath, [programs.egress], jobs, {
      ...hostileEnvironment,
      ...traps,
      NODE_EXTRA_CA_CERTS: authority,
    })
    for (const [index, { name, ...outcome }] of outcomes.entries()) {
      const dialled = new URL(proxies[index]!.url).host
      expect({ name, ...outcome }).toEqual({
        name,
        ...answered,
        declared: [expectedHosts[name], dialled],
      })
      expect({ name, asked: [...new Set(proxies[index]!.asked)] }).toEqual({
        name,
        asked: [expectedHosts[name]],
      })
      expect(
        apiHosts(jobs[index]!.config)
          .filter(({ purpose }) => purpose === 'proxy')
          .map(hostPort),
      ).toEqual([dialled])
    }
    expect(outcomes).toHaveLength(names.length)
    // Its variables were set all the while.
    expect(trap.asked).toEqual([])
  })

  test('the proxy sees who asks for another host: it would notice', async () => {
    const proxy = await startProxy(() => false)
    const [outcome] = await runJobs(
      process.execPath,
      [programs.egress],
      [{ name: 'anthropic', config: { ...configOf('anthropic'), proxy: proxy.url } }],
    )
    expect(outcome!.error).toMatchObject({
      problem: 'proxy',
      fix: expect.stringContaining('that it allows api.anthropic.com:443') as string,
      missingHost: 'api.anthropic.com:443',
    })
    expect(proxy.asked).toEqual(['api.anthropic.com:443'])
  })
})

const deno = findDeno()
/** The options of the command that the exporter writes. */
const denoOptions = (config: ModelConfig, without?: string): string[] => {
  const hosts = apiHosts(config).filter((entry) => hostPort(entry) !== without)
  return flagsOf(toDeno(hosts, { env: environmentNames([config]) }).text)
}

describe.skipIf(deno === undefined)('under Deno, which allows what the exporter says', () => {
  const runDeno = (
    config: ModelConfig,
    options: readonly string[],
    env: Record<string, string>,
  ): Promise<EgressOutcome[]> =>
    runJobs(
      deno!,
      ['run', '--no-config', '--no-prompt', '--no-remote', '--no-npm', ...options, programs.egress],
      [{ name: 'x', config }],
      { ...env, DENO_CERT: authority, DENO_NO_UPDATE_CHECK: '1' },
    )
  // Deno's own fetch follows these: it leads the vendors' names here. What may be asked for Deno
  // decides before.
  const led = ({ url }: LoggingProxy): Record<string, string> => ({
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
  })

  test.each(names)('%s: the list is enough, and all of it is used', async (name) => {
    const proxy = await startProxy()
    const options = denoOptions(configOf(name))
    expect(options[0]).toMatch(/^--allow-net=/)
    expect(await runDeno(configOf(name), options, led(proxy))).toEqual([
      { name: 'x', declared: [expectedHosts[name]], ...answered },
    ])
    expect([...new Set(proxy.asked)]).toEqual([expectedHosts[name]])
  })

  test.each(['openai responses', 'anthropic', 'ollama'])(
    '%s: without the host nothing is sent, and the missing line is named',
    async (name) => {
      const proxy = await startProxy()
      const [outcome] = await runDeno(
        configOf(name),
        [
          '--allow-net=elsewhere.example:443',
          ...denoOptions(configOf(name), expectedHosts[name]).filter(
            (option) => !option.startsWith('--allow-net'),
          ),
        ],
        led(proxy),
      )
      expect(outcome!.error).toMatchObject({
        problem: 'sandbox',
        missingHost: expectedHosts[name],
        fix: `A sandbox refused the connection: add ${expectedHosts[name]} to its allow-list.`,
      })
      expect(proxy.asked).toEqual([])
    },
  )

  test.each(['core', 'driver', 'factory'] as const)(
    'importing @modelport/%s needs no permission at all',
    async (name) => {
      expect(
        await runProgram(
          deno!,
          ['run', '--no-config', '--no-prompt', '--no-remote', '--no-npm', programs[name]],
          {
            cwd: folder,
          },
        ),
      ).toEqual({ stdout: '', stderr: '', status: 0 })
    },
  )
})

const strace = findProgram(
  'strace',
  ['-f', '-o', '/dev/null', 'true'],
  'is not installed, or may not trace',
)
describe.skipIf(strace === undefined)("by the system's own calls", () => {
  const trace = async (
    args: readonly string[],
    jobs: readonly EgressJob[] = [],
    env: Record<string, string> = {},
  ): Promise<{ outcomes: EgressOutcome[]; calls: string[] }> => {
    const log = join(folder, 'calls')
    const outcomes = await runJobs(
      strace!,
      [
        '-f',
        '-qq',
        '-e',
        'trace=socket,connect,sendto,sendmsg',
        '-o',
        log,
        process.execPath,
        ...args,
      ],
      jobs,
      env,
    )
    return { outcomes, calls: inetCalls(readFileSync(log, 'utf8')) }
  }

  test('every conversation connects to the declared addresses, all of them and no other', async () => {
    const servers = await Promise.all(names.map(async () => later(await startVendorServer())))
    const jobs = names.map((name, index) => ({
      name,
      config: {
        ...configOf(name),
        baseUrl: servers[index]!.url + (pathOf[name] ?? ''),
        enforceHosts: true,
      },
    }))
    const { outcomes, calls } = await trace(
      [programs.egress],
      [...jobs, mockJob],
      hostileEnvironment,
    )
    expect(outcomes).toEqual([
      ...names.map((name, index) => ({
        name,
        ...answered,
        declared: [new URL(servers[index]!.url).host],
      })),
      { name: 'mock', ...answered, declared: [] },
    ])
    expect([...new Set(calls)].sort()).toEqual(
      apiHosts(jobs.map(({ config }) => config))
        .map(hostPort)
        .sort(),
    )
  })

  test('a connection to another address would be seen', async () => {
    const file = join(folder, 'stray.mjs')
    writeFileSync(
      file,
      `await fetch('http://127.0.0.1:64999/').catch(() => undefined)\nconsole.log('{}')\n`,
    )
    expect((await trace([file])).calls).toEqual(['127.0.0.1:64999'])
  })

  test.each(['core', 'driver', 'factory'] as const)(
    'importing @modelport/%s opens no socket and reads no variable',
    async (name) => {
      const file = join(folder, `import-${name}.mjs`)
      writeFileSync(
        file,
        `
      const read = []
      const real = process.env
      process.env = new Proxy(real, { get: (target, key) => (read.push(key), target[key]), has: (target, key) => (read.push(key), key in target), ownKeys: (target) => (read.push('all'), Reflect.ownKeys(target)) })
      void process.env.SEEN
      await import(${JSON.stringify(programs[name])})
      process.env = real
      // Node's own loader asks for this one, for each file.
      console.log(JSON.stringify(read.filter((key) => key !== 'WATCH_REPORT_DEPENDENCIES')))
    `,
      )
      const { outcomes, calls } = await trace([file])
      expect(outcomes).toEqual([['SEEN']])
      expect(calls).toEqual([])
    },
  )
})

const unshare = findProgram(
  'unshare',
  ['-rn', 'true'],
  "gives no network namespace of one's own here",
)
describe.skipIf(unshare === undefined)('with no network at all', () => {
  test('a script, a recording and a model in this process hold the conversation', async () => {
    const cassette = join(folder, 'weather.json')
    const recorded = { provider: 'ollama', baseUrl: server.url }
    const fetch = await cassetteFetch({ path: cassette, mode: 'record' })
    const reader = await (await newProvider({ ...recorded, fetch })).streamWithTools(
      [{ role: 'user', content: 'What is the weather in Oslo?' }],
      [
        {
          name: 'get_weather',
          description: 'The weather of a city',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
          },
        },
      ],
      { maxTokens: 100, temperature: 0, retry: { attempts: 1 } },
    )
    for await (const event of reader)
      if (event.type === 'tool-call-complete')
        await reader.sendToolResults([{ callId: event.toolCall.id, content: '-4 °C, snow' }])
    await fetch.close()

    const model = join(root, 'packages/provider-llamacpp/test/fixtures/tinytool.gguf')
    const jobs: EgressJob[] = [
      mockJob,
      { name: 'cassette', config: recorded, cassette },
      {
        name: 'llamacpp',
        config: {
          provider: 'llamacpp',
          model,
          settings: { gpu: false, threads: 1, contextSize: 2048 },
        },
      },
      { name: 'the network is away', config: recorded },
    ]
    const [mock, cassetteOutcome, llama, away] = await runJobs(
      unshare!,
      ['-rn', process.execPath, programs.egress],
      jobs,
    )
    expect(mock).toEqual({ name: 'mock', ...answered, declared: [] })
    expect(cassetteOutcome).toMatchObject({ name: 'cassette', ...answered })
    expect(away!.error).toMatchObject({ code: 'network' })
    if (llama!.error?.code === 'config')
      console.log(`skipped: the model in this process: ${llama!.error.message}`)
    else
      expect(llama).toMatchObject({
        declared: [],
        calls: 1,
        text: expect.stringMatching(/\w/) as string,
      })
  })
})
