// Each form of an allow-list, held to the tool that has to read it, or to its schema. Each tool is
// shown a broken one too.
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CiliumNetworkPolicy } from '@kubernetes-models/cilium/cilium.io/v2/CiliumNetworkPolicy'
import { type HostEntry, hostPort } from '@modelport/factory'
import {
  toCilium,
  toCodex,
  toDeno,
  toDocker,
  toKubernetes,
  toNftables,
  toNode,
  toSquid,
} from '@modelport/factory/sandbox'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { hostSets } from './support/host-sets.js'
import { findDeno, findProgram } from './support/program.js'
import { flagsOf } from './support/shell-words.js'
import { temporaryFolder } from './support/temporary-folder.js'

const folder = temporaryFolder('lists')
const fileOf = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const sets = Object.entries(hostSets)
const many = hostSets['names, addresses and ports']!
const run = (
  command: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly said: string } => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: 60_000,
    cwd: folder,
  })
  return { status, said: stdout + stderr }
}
const accepted = { status: 0 }

const deno = findDeno()
describe.skipIf(deno === undefined)('Deno', () => {
  const program = `for (const host of JSON.parse(Deno.args[0])) console.log((await Deno.permissions.query({ name: 'net', host })).state)`
  const states = (hosts: readonly HostEntry[], asked: readonly string[]): string[] => {
    const flags = flagsOf(toDeno(hosts, { env: ['SOME_KEY'] }).text)
    return execFileSync(
      deno!,
      [
        'run',
        '--no-config',
        '--no-prompt',
        ...flags,
        fileOf('query.js', program),
        JSON.stringify(asked),
      ],
      { encoding: 'utf8', env: { NO_COLOR: '1' } },
    )
      .trim()
      .split('\n')
  }
  test('Deno allows every host of the list, and no neighbour', () => {
    const listed = many.map(hostPort)
    expect(new Set(states(many, listed))).toEqual(new Set(['granted']))
    const neighbours = [
      'api.anthropic.com:80',
      'x.api.anthropic.com:443',
      'anthropic.com:443',
      '127.0.0.1:11435',
      '[::1]:8443',
      '10.1.2.3:8001',
      'elsewhere.example:443',
    ]
    expect(new Set(states(many, neighbours))).toEqual(new Set(['prompt']))
    expect(states(hostSets['nothing']!, ['api.anthropic.com:443'])).toEqual(['prompt'])
  })
})

describe('Node', () => {
  const version = Number(process.versions.node.split('.')[0])
  test('Node takes the flags', () => {
    const program = fileOf('permission.mjs', "console.log(process.permission.has('fs.write'))\n")
    expect(
      run(process.execPath, ...flagsOf(toNode(many, { version }).text), basename(program)),
    ).toEqual({
      ...accepted,
      said: expect.stringContaining('false') as string,
    })
  })
})

const squid = findProgram('squid', ['-v'])
describe.skipIf(squid === undefined)('Squid', () => {
  // Without a name it looks this computer's own up, and warns where DNS has none.
  const head = 'http_port 127.0.0.1:3128\nvisible_hostname proxy.example\n'
  const check = (text: string): ReturnType<typeof run> =>
    run(squid!, '-k', 'parse', '-f', fileOf('squid.conf', head + text))
  test.each(sets)('Squid accepts the list of %s', (_name, hosts) => {
    const { status, said } = check(toSquid(hosts).text)
    expect({ status, said }).toMatchObject(accepted)
    expect(said).not.toMatch(/WARNING|ERROR|FATAL/)
  })
  test('nftables would refuse a mistake', () => {
    const { status, said } = check(toSquid(many).text.replace('dstdomain', 'dstdomian'))
    expect(status === 0 ? said : 'FATAL').toMatch(/FATAL|ERROR/)
  })
})

const nft =
  findProgram('nft', ['--version']) &&
  findProgram('unshare', ['-rn', 'nft', 'list', 'ruleset'], '-rn nft: has no rules of its own here')
describe.skipIf(nft === undefined)('nftables', () => {
  const script = (text: string): string =>
    [
      'set -e',
      'nft add table inet fw',
      `nft add chain inet fw out '{ type filter hook output priority 0; policy drop; }'`,
      // Twice: it is a refresher too.
      `sh -e ${fileOf('allow.sh', text)}`,
      `sh -e ${fileOf('allow.sh', text)}`,
      'nft -j list ruleset',
    ].join('\n')
  const rulesOf = (
    text: string,
  ): {
    nftables: {
      set?: { name: string; elem?: { elem: { val: { concat: unknown[] } } }[] }
      rule?: object
    }[]
  } =>
    JSON.parse(
      execFileSync('unshare', ['-rn', 'sh', '-c', script(text)], {
        encoding: 'utf8',
        stdio: 'pipe',
      }),
    ) as ReturnType<typeof rulesOf>

  test.each(sets)('nftables accepts the list of %s', (_name, hosts) => {
    const { nftables } = rulesOf(toNftables(hosts).text)
    expect(nftables.filter(({ rule }) => rule)).toHaveLength(2)
    expect(nftables.flatMap(({ set }) => (set ? [set.name] : []))).toEqual(['api4', 'api6'])
  })
  test('nftables has the addresses of the list', () => {
    const { nftables } = rulesOf(toNftables(many).text)
    const elements = nftables.flatMap(
      ({ set }) => set?.elem?.map(({ elem }) => elem.val.concat.join(' ')) ?? [],
    )
    expect(elements).toEqual(
      expect.arrayContaining(['10.1.2.3 8000', '127.0.0.1 11434', '::1 11434', '2001:db8::1 8443']),
    )
  })
  test('nftables would refuse a mistake', () => {
    expect(() => rulesOf(toNftables(many).text.replace('ipv4_addr', 'ipv4_adr'))).toThrow()
  })
})

describe('Codex', () => {
  test.each(sets)('Codex accepts the list of %s', (_name, hosts) => {
    const {
      default_permissions: profile,
      features,
      permissions,
    } = parseToml(toCodex(hosts).text) as {
      default_permissions: string
      features: object
      permissions: Record<
        string,
        { extends: string; network: { enabled: boolean; domains: Record<string, string> } }
      >
    }
    expect(features).toEqual({ network_proxy: true })
    const { extends: base, network } = permissions[profile]!
    expect(base).toBe(':workspace')
    expect(network.enabled).toBe(true)
    expect(new Set(Object.values(network.domains))).toEqual(
      new Set(hosts.length > 0 ? ['allow'] : []),
    )
  })
})

describe('Kubernetes', () => {
  const addresses = Object.fromEntries(
    many.map(({ host }) => [host, ['203.0.113.7', '2001:db8::7']]),
  )
  test.each(sets)('%s is what the schemas of Kubernetes and Cilium want', (_name, hosts) => {
    for (const text of [toKubernetes(hosts).text, toKubernetes(hosts, { addresses }).text])
      new NetworkPolicy(parseYaml(text) as object).validate()
    new CiliumNetworkPolicy(
      parseYaml(toCilium(hosts).text) as ConstructorParameters<typeof CiliumNetworkPolicy>[0],
    ).validate()
  })
  test('a mistake would be refused', () => {
    const policy = (
      from: string,
      to: string,
    ): ConstructorParameters<typeof CiliumNetworkPolicy>[0] =>
      parseYaml(toCilium(many).text.replaceAll(from, to)) as never
    expect(() => new CiliumNetworkPolicy(policy('matchName', 'matchNam')).validate()).toThrow(
      'matchName',
    )
    expect(() =>
      new CiliumNetworkPolicy(policy('protocol: TCP', 'protocol: HTTP')).validate(),
    ).toThrow('protocol')
    expect(() =>
      new NetworkPolicy(
        parseYaml(
          toKubernetes(many).text.replace('policyTypes: [Egress]', 'policyTypes: Egress'),
        ) as object,
      ).validate(),
    ).toThrow()
  })
})

const shell = findProgram('sh', ['-c', 'true'])
test.skipIf(shell === undefined).each(sets)('a shell reads the commands for %s', (_name, hosts) => {
  for (const { text } of [toDocker(hosts), toNftables(hosts), toDeno(hosts), toNode(hosts)])
    expect(run(shell!, '-n', fileOf('commands.sh', text))).toEqual({ ...accepted, said: '' })
})
