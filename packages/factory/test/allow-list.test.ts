import { apiHosts, type HostEntry, type ModelConfig } from '@modelport/factory'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { hashHosts } from '../src/sandbox/allow-list.js'
import {
  type AllowList,
  toCilium,
  toClaudeCode,
  toCodex,
  toDeno,
  toDocker,
  toKubernetes,
  toNftables,
  toNode,
  toSquid,
  toSrt,
} from '../src/sandbox.js'
import { emptyEnvironment, environmentOf } from './support.js'

const of = (...configs: (ModelConfig | string)[]): HostEntry[] =>
  apiHosts(configs, { environment: emptyEnvironment })
const single = of('anthropic')
const several = of(
  'anthropic',
  'openai',
  'ollama',
  { provider: 'openai-compatible', baseUrl: 'https://[2001:db8::1]:8443/v1' },
  { provider: 'openai-compatible', baseUrl: 'http://box:8000/v1' },
)
const proxied = of({ provider: 'anthropic', proxy: 'http://proxy.local:3128' })
const none = of('mock')

/** The text without the line that marks it. */
const body = ({ text, hash }: AllowList): string => {
  expect(text).toContain(`modelport hosts ${hash}`)
  return text
    .split('\n')
    .filter((line) => !/^(#|\/\/) modelport hosts/.test(line))
    .join('\n')
    .trimEnd()
}
const json = ({ text }: AllowList): unknown => {
  const { '//': mark, ...value } = JSON.parse(text) as Record<string, unknown>
  expect(mark).toMatch(/^modelport hosts [0-9a-f]{16}$/)
  return value
}
const exporters: Record<string, (hosts: readonly HostEntry[]) => AllowList> = {
  deno: toDeno,
  srt: toSrt,
  'claude-code': toClaudeCode,
  codex: toCodex,
  squid: toSquid,
  cilium: toCilium,
  kubernetes: toKubernetes,
  nftables: toNftables,
  docker: toDocker,
  node: toNode,
}

describe('Deno', () => {
  test('the command for Deno allows one host and the given variables', () => {
    expect(body(toDeno(single, { env: ['ANTHROPIC_API_KEY'] }))).toBe(
      'deno run --allow-net=api.anthropic.com:443 --allow-env=ANTHROPIC_API_KEY --ignore-env app.ts',
    )
  })
  test('several hosts are joined in one flag', () => {
    expect(body(toDeno(several))).toBe(
      "deno run '--allow-net=api.anthropic.com:443,api.openai.com:443,localhost:11434,127.0.0.1:11434,[::1]:11434,[2001:db8::1]:8443,box:8000' --ignore-env app.ts",
    )
  })
  test('the command for Deno allows a proxy in place of the hosts behind it', () => {
    expect(body(toDeno(proxied, { program: 'main.ts' }))).toBe(
      'deno run --allow-net=proxy.local:3128 --ignore-env main.ts',
    )
  })
  test('Deno gets no flag without a host, since the flag would allow all', () => {
    expect(body(toDeno(none))).toBe('deno run --ignore-env app.ts')
  })
})

describe('sandbox-runtime and Claude Code', () => {
  const filesystem = { denyRead: [], allowWrite: ['.'], denyWrite: [] }
  test('the settings allow one host', () => {
    expect(json(toSrt(single))).toEqual({
      network: { allowedDomains: ['api.anthropic.com:443'], deniedDomains: [] },
      filesystem,
    })
    expect(json(toClaudeCode(single))).toEqual({
      sandbox: {
        enabled: true,
        network: {
          allowedDomains: ['api.anthropic.com:443'],
          deniedDomains: [],
          allowLocalBinding: false,
        },
      },
    })
    for (const { requires } of [toSrt(single), toClaudeCode(single)]) {
      expect(requires.env).toEqual([])
      expect(requires.notes[0]).toContain('proxyEnv: "HTTPS_PROXY"')
    }
    expect(toSrt(none).requires.notes).toEqual([])
  })
  test('the settings allow several hosts: local ones in all forms, no single label, IPv6 with a warning', () => {
    const list = toSrt(several)
    expect(json(list)).toMatchObject({
      network: {
        allowedDomains: [
          'api.anthropic.com:443',
          'api.openai.com:443',
          'localhost:11434',
          '127.0.0.1:11434',
          '[::1]:11434',
          '[2001:db8::1]:8443',
        ],
      },
    })
    expect(list.requires.warnings.join('\n')).toContain('box is left out')
    expect(list.requires.warnings.join('\n')).toContain('IPv6')
    expect(list.requires.notes.join('\n')).toContain('loopback of its own')
  })
  test('hosts behind a proxy of the environment are listed, since that proxy is not the one inside', () => {
    const outer = apiHosts(
      { provider: 'anthropic', proxyEnv: 'HTTPS_PROXY' },
      { environment: environmentOf({ HTTPS_PROXY: 'http://proxy.local:3128' }) },
    )
    for (const list of [toSrt(outer), toClaudeCode(outer), toCodex(outer)]) {
      expect(list.text).toContain('api.anthropic.com')
      expect(list.text).not.toContain('proxy.local')
    }
    expect(toSrt(proxied).text).toContain('proxy.local:3128')
  })
})

test('Codex gets a list of hosts', () => {
  expect(body(toCodex(single))).toBe(`default_permissions = "workspace"
[features]
network_proxy = true
[permissions.workspace]
extends = ":workspace"
[permissions.workspace.network]
enabled = true
[permissions.workspace.network.domains]
"api.anthropic.com" = "allow"`)
  expect(body(toCodex(of('ollama')))).toContain(
    '"localhost" = "allow"\n"127.0.0.1" = "allow"\n"::1" = "allow"',
  )
  expect(toCodex(single).requires.warnings).toEqual([
    'this form has no ports: it allows every port of api.anthropic.com',
  ])
})

test('Squid gets a list of hosts', () => {
  expect(body(toSquid(single))).toBe(`acl api dstdomain -n api.anthropic.com
acl tls port 443
acl CONNECT method CONNECT
http_access deny CONNECT !tls
http_access allow api tls
http_access deny all`)
  expect(body(toSquid(several))).toBe(`acl api dstdomain -n api.anthropic.com api.openai.com
acl tls port 443
acl api_8443_ip dst -n 2001:db8::1
acl tls_8443 port 8443
acl plain_11434 dstdomain -n localhost
acl port_11434 port 11434
acl plain_8000 dstdomain -n box
acl port_8000 port 8000
acl CONNECT method CONNECT
http_access deny CONNECT !tls !tls_8443
http_access allow api tls
http_access allow api_8443_ip tls_8443
http_access allow plain_11434 port_11434 !CONNECT
http_access allow plain_8000 port_8000 !CONNECT
http_access deny all`)
  expect(body(toSquid(proxied))).toBe(body(toSquid(single)))
  expect(body(toSquid(none))).toBe(
    'acl CONNECT method CONNECT\nhttp_access deny CONNECT\nhttp_access deny all',
  )
})

describe('Kubernetes', () => {
  test('Cilium gets a policy with the hosts', () => {
    expect(body(toCilium(single))).toBe(`apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: model-egress}
spec:
  endpointSelector: {matchLabels: {app: modelport}}
  egress:
  - toEndpoints: [{matchLabels: {"k8s:io.kubernetes.pod.namespace": kube-system, "k8s:k8s-app": kube-dns}}]
    toPorts: [{ports: [{port: "53", protocol: ANY}], rules: {dns: [{matchName: api.anthropic.com}]}}]
  - toFQDNs: [{matchName: api.anthropic.com}]
    toPorts: [{ports: [{port: "443", protocol: TCP}]}]`)
    const { spec } = parse(toCilium(several, { name: 'mine', labels: { app: 'x' } }).text) as {
      spec: { egress: Record<string, unknown>[] }
    }
    expect(spec.egress.slice(1)).toEqual([
      {
        toFQDNs: [{ matchName: 'api.anthropic.com' }, { matchName: 'api.openai.com' }],
        toPorts: [{ ports: [{ port: '443', protocol: 'TCP' }] }],
      },
      { toCIDR: ['2001:db8::1/128'], toPorts: [{ ports: [{ port: '8443', protocol: 'TCP' }] }] },
      {
        toFQDNs: [{ matchName: 'box' }],
        toPorts: [{ ports: [{ port: '8000', protocol: 'TCP' }] }],
      },
    ])
    expect(parse(toCilium(none).text)).toMatchObject({ spec: { egress: [{}] } })
    expect(toCilium(several).requires.notes.join()).toContain('the pod itself')
  })
  test('a plain policy takes addresses, and says what it loses', () => {
    const list = toKubernetes(several, {
      addresses: { 'api.anthropic.com': ['203.0.113.7', '2001:db8::7'] },
    })
    expect(list.text).toContain(
      '  - {to: [{ipBlock: {cidr: "203.0.113.7/32"}}, {ipBlock: {cidr: "2001:db8::7/128"}}], ports: [{port: 443, protocol: TCP}]}',
    )
    const policy = parse(list.text) as { spec: { egress: unknown[] } }
    expect(policy.spec.egress).toHaveLength(3)
    const dns = {
      to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    }
    expect(policy.spec.egress[0]).toEqual(dns)
    expect(list.requires.warnings).toEqual([
      'api.openai.com is left out: its addresses were not given',
      'box is left out: its addresses were not given',
      expect.stringContaining('resolved once'),
    ])
    expect(parse(toKubernetes(none).text)).toMatchObject({
      spec: { policyTypes: ['Egress'], egress: [] },
    })
  })
})

test('nftables gets the addresses of the hosts', () => {
  expect(body(toNftables(single))).toBe(`#!/bin/sh
nft add set inet fw api4 '{ type ipv4_addr . inet_service; flags timeout; }'
nft add set inet fw api6 '{ type ipv6_addr . inet_service; flags timeout; }'
nft list chain inet fw out | grep -q @api4 || nft add rule inet fw out ip daddr . tcp dport @api4 accept
nft list chain inet fw out | grep -q @api6 || nft add rule inet fw out ip6 daddr . tcp dport @api6 accept
for a in $(getent ahostsv4 api.anthropic.com | awk '{print $1}' | sort -u); do nft add element inet fw api4 "{ $a . 443 timeout 300s }"; done
for a in $(getent ahostsv6 api.anthropic.com | awk '{print $1}' | sort -u); do nft add element inet fw api6 "{ $a . 443 timeout 300s }"; done`)
  expect(toNftables(several).text).toContain(
    'nft add element inet fw api6 "{ 2001:db8::1 . 8443 timeout 300s }"',
  )
})

test('Docker gets a network and the hosts that it allows', () => {
  expect(body(toDocker(proxied))).toBe(
    'docker network create --internal model-net\nsbx policy allow network "proxy.local:3128"',
  )
  expect(body(toDocker(single))).toBe(
    'docker network create --internal model-net\nsbx policy allow network "api.anthropic.com:443"',
  )
  expect(body(toDocker(of('ollama')))).toBe(
    'docker network create --internal model-net\nsbx policy allow network "host.docker.internal:11434"',
  )
  expect(
    body(
      toDocker(of({ provider: 'openai-compatible', baseUrl: 'http://127.example.com:8000/v1' })),
    ),
  ).toBe(
    'docker network create --internal model-net\nsbx policy allow network "127.example.com:8000"',
  )
})

test('Node gets its flags', () => {
  expect(body(toNode(single))).toBe('node --permission --allow-net --allow-fs-read=. app.mjs')
  expect(body(toNode(none))).toBe('node --permission --allow-fs-read=. app.mjs')
  expect(body(toNode(single, { version: 24 }))).toBe('node --permission --allow-fs-read=. app.mjs')
  expect(toNode(single, { version: 24 }).requires.warnings).toEqual([
    '--permission of Node 24 does not limit the network',
  ])
  expect(toNode(single).requires.warnings[0]).toContain('no list of hosts')
  expect(toNode(none).requires.warnings).toEqual([])
  expect(toNode(none, { version: 24 }).requires.warnings).toHaveLength(1)
})

test('a policy has the name and the labels that the caller chooses', () => {
  // What YAML reads as a number or a flag is quoted.
  const labels = { role: 'agent', version: '1', on: 'true' }
  const policy = { name: 'mine', labels }
  for (const form of [toCilium, toKubernetes]) {
    const { metadata, spec } = parse(form(single, policy).text) as {
      metadata: object
      spec: { podSelector?: object; endpointSelector?: object }
    }
    expect([metadata, spec.podSelector ?? spec.endpointSelector]).toEqual([
      { name: 'mine' },
      { matchLabels: labels },
    ])
  }
  expect(toCodex(single, { profile: 'agents' }).text).toContain(
    'default_permissions = "agents"\n[features]\nnetwork_proxy = true\n[permissions.agents]\n',
  )
  expect(toDocker(single, { network: 'shut' }).text).toContain('--internal shut\n')
  const { text, requires } = toNftables(of('ollama'), {
    table: 'mine',
    chain: 'away',
    timeoutSeconds: 60,
  })
  expect(text).not.toMatch(/inet (?!mine)|timeout (?!60s|;)|inet mine (?!api|away)/)
  expect(requires.notes).toEqual([expect.stringContaining('every 12 s')])
})

describe('what no list can say', () => {
  const local = of('ollama')
  test.each<[string, AllowList, 'notes' | 'warnings', string]>([
    ['Codex', toCodex(single), 'notes', 'profiles and sandbox_mode exclude each other'],
    ['Deno, no host', toDeno(none), 'warnings', 'every connection is refused'],
    ['Docker', toDocker(single), 'warnings', 'the whole machine'],
    ['Docker, a server here', toDocker(local), 'notes', 'host.docker.internal'],
    ['Claude Code, a name of one label', toClaudeCode(several), 'warnings', 'box is left out'],
    ['Claude Code', toClaudeCode(several), 'warnings', 'enforcement has had defects'],
    ['Cilium, a server here', toCilium(local), 'notes', 'localhost is the pod itself'],
    ['nftables, names', toNftables(single), 'warnings', 'other customers'],
    ['Squid, a server here', toSquid(local), 'warnings', "localhost is the proxy's own computer"],
  ])('a note or a warning has what the list cannot say: %s', (_, { requires }, kind, said) => {
    expect(requires[kind].join('\n')).toContain(said)
  })

  test('nothing is said where there is nothing to say', () => {
    const address = of({ provider: 'openai-compatible', baseUrl: 'http://10.1.2.3:8000/v1' })
    const lists = [toDeno(single), toDocker(none), toNftables(address), toSquid(single)]
    expect(lists.flatMap(({ requires }) => requires.warnings)).toEqual([])
  })
})

describe.each(Object.entries(exporters))('%s', (_name, exporter) => {
  test('every form is pure, marked, and changes with the list', () => {
    const [one, again, other] = [
      exporter(single),
      exporter(single),
      exporter(of({ provider: 'vertex', vertex: { location: 'eu' } })),
    ]
    expect(again).toEqual(one)
    expect(one.text).toContain(one.hash)
    expect(one.text.endsWith('\n')).toBe(true)
    expect(other.hash).not.toBe(one.hash)
    expect(one.target).toMatch(/\d|\(/)
  })
  test('every form writes no wildcard and no set-up host', () => {
    const setup: HostEntry = {
      host: 'huggingface.co',
      port: 443,
      scheme: 'https',
      purpose: 'download',
      phase: 'setup',
      required: false,
      source: 'default',
    }
    const { text } = exporter([...several, setup])
    expect(text).not.toContain('huggingface.co')
    expect(text).not.toMatch(/\*\.|\s\.[a-z]/)
  })
})

test('the hash does not depend on the order', () => {
  expect(hashHosts(several)).toBe(hashHosts([...several].reverse()))
  expect(hashHosts(single)).toMatch(/^[0-9a-f]{16}$/)
})

test.each<[keyof HostEntry, HostEntry]>([
  ['host', { ...single[0]!, host: 'api.example' }],
  ['port', { ...single[0]!, port: 80 }],
  ['scheme', { ...single[0]!, scheme: 'http' }],
  ['purpose', { ...single[0]!, purpose: 'auth' }],
  ['phase', { ...single[0]!, phase: 'setup' }],
  ['viaProxy', { ...single[0]!, viaProxy: true }],
])('another %s of a host gives another hash', (_, other) => {
  expect(hashHosts([other])).not.toBe(hashHosts(single))
})

describe('what cannot stand in a file or a command', () => {
  const entry = (host: string): HostEntry =>
    ({
      scheme: 'https',
      host,
      port: 443,
      purpose: 'api',
      phase: 'run',
      source: 'default',
      providers: [],
    }) as never

  test.each([
    '$(id)',
    '`id`',
    "a'b",
    'a"b',
    'a b',
    'a\nb',
    'a;b',
    '{a}',
    '.com',
    'a..b',
    '-a',
    '',
    '1.2.3',
    '999.1.1.1',
    '[::1',
    '[x]',
    'a'.repeat(64),
  ])('the host %j is refused by every form, which names itself', (host) => {
    for (const [name, write] of Object.entries(exporters))
      expect(() => write([entry(host)]), name).toThrow(
        expect.objectContaining({
          code: 'config',
          message: expect.stringMatching(
            /^[a-z].*: ".*" is not an address or the name of a host; nothing was written$/,
          ) as string,
        }) as Error,
      )
  })

  test.each<[string, () => AllowList]>([
    ['a variable', () => toDeno(single, { env: ['$(id)'] })],
    ['a program that is an option', () => toDeno(single, { program: '--allow-all' })],
    ['a network', () => toDocker(single, { network: 'a; id' })],
    ['a profile', () => toCodex(single, { profile: 'a]\n[b' })],
    ['a table', () => toNftables(single, { table: 'fw; id' })],
    ['a time', () => toNftables(single, { timeoutSeconds: NaN })],
    ['a name', () => toCilium(single, { name: 'a}\nspec: {' })],
    ['a label', () => toKubernetes(single, { labels: { app: 'a}, b: {c' } })],
    [
      'an address',
      () => toKubernetes(single, { addresses: { 'api.anthropic.com': ['1.1.1.1"'] } }),
    ],
    ['a port', () => toSquid([{ ...entry('a.example'), port: 0 }])],
  ])('%s of the wrong form is refused', (_, write) => {
    expect(write).toThrow(expect.objectContaining({ code: 'config' }) as Error)
  })

  test('a program with spaces is one word of the command', () => {
    expect(body(toNode(single, { program: "my app's.mjs" }))).toContain(`'my app'\\''s.mjs'`)
    expect(body(toDeno(single, { program: 'my app.ts' }))).toContain(" 'my app.ts'")
  })
})
