import { isLoopback } from '@modelport/core/settings'
import type { HostEntry } from '../base/host-entry.js'
import {
  type AllowList,
  addressFamily,
  dialledHosts,
  groupByPort,
  toAllowList,
  unique,
  withoutBrackets,
} from './allow-list.js'
import { checkNames } from './check-names.js'

/** Which pods a policy is for. */
export interface CiliumOptions {
  /** Default `model-egress`. */
  readonly name?: string
  /** Labels of the pods. Default `{ app: modelport }`. */
  readonly labels?: Readonly<Record<string, string>>
}

/** What a policy without names needs. */
export interface KubernetesOptions extends CiliumOptions {
  /** Addresses of each host name, as resolved by the caller. */
  readonly addresses?: Readonly<Record<string, readonly string[]>>
}

/**
 * A text for YAML, quoted if a reader may take it for a number, a flag or null: `1e5`, `on`,
 * `null`.
 */
const plain = (text: string): string =>
  /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][\w./-]*$/i.test(text)
    ? text
    : JSON.stringify(text)
const flow = (values: Readonly<Record<string, string>>): string =>
  `{${Object.entries(values)
    .map((pair) => pair.map(plain).join(': '))
    .join(', ')}}`
/** @throws {LlmError} `config` — the name or a label cannot stand in a manifest. */
function checkOptions(target: string, { name, labels = {} }: CiliumOptions): void {
  checkNames(
    target,
    'a name of letters, digits, "-", "_" and "."',
    name === undefined ? [] : [name],
  )
  checkNames(
    target,
    'a label: letters, digits, "-", "_", "." and "/"',
    Object.entries(labels).flat(),
  )
}

const podLabels = ({ labels = { app: 'modelport' } }: CiliumOptions): string => flow(labels)
const cidr = (host: string): string =>
  `${withoutBrackets(host)}/${addressFamily(host) === 6 ? 128 : 32}`
const dnsPods =
  '{matchLabels: {"k8s:io.kubernetes.pod.namespace": kube-system, "k8s:k8s-app": kube-dns}}'

/** Hosts outside the pod: its own loopback is under no policy. */
const outside = (hosts: readonly HostEntry[]): HostEntry[] =>
  dialledHosts(hosts).filter(({ host }) => !isLoopback(host))

const loopbackNote = (hosts: readonly HostEntry[]): string[] =>
  dialledHosts(hosts).some(({ host }) => isLoopback(host))
    ? [
        'localhost is the pod itself and under no policy: a model server elsewhere needs its real name as base URL',
      ]
    : []

/**
 * A policy for Cilium. The rule for DNS is needed: by it Cilium learns the addresses.
 * @see https://docs.cilium.io/en/stable/security/policy/language/ (read 2026-11-21)
 */
export function toCilium(hosts: readonly HostEntry[], options: CiliumOptions = {}): AllowList {
  checkOptions('cilium 1.18', options)
  const list = outside(hosts)
  const names = unique(list.filter(({ host }) => !addressFamily(host)).map(({ host }) => host))
  const dns = `{dns: [${names.map((name) => `{matchName: ${plain(name)}}`).join(', ')}]}`
  const rules = groupByPort(list).flatMap(([port, group]) => {
    const ports = `    toPorts: [{ports: [{port: "${port}", protocol: TCP}]}]`
    const fqdns = unique(
      group
        .filter(({ host }) => !addressFamily(host))
        .map(({ host }) => `{matchName: ${plain(host)}}`),
    )
    const cidrs = unique(
      group.filter(({ host }) => addressFamily(host)).map(({ host }) => cidr(host)),
    )
    return [
      ...(fqdns.length ? [`  - toFQDNs: [${fqdns.join(', ')}]`, ports] : []),
      ...(cidrs.length
        ? [`  - toCIDR: [${cidrs.map((one) => JSON.stringify(one)).join(', ')}]`, ports]
        : []),
    ]
  })
  const lines = [
    'apiVersion: cilium.io/v2',
    'kind: CiliumNetworkPolicy',
    `metadata: {name: ${plain(options.name ?? 'model-egress')}}`,
    'spec:',
    `  endpointSelector: {matchLabels: ${podLabels(options)}}`,
    list.length ? '  egress:' : '  egress: [{}]',
    ...(names.length
      ? [
          `  - toEndpoints: [${dnsPods}]`,
          `    toPorts: [{ports: [{port: "53", protocol: ANY}], rules: ${dns}}]`,
        ]
      : []),
    ...rules,
  ]
  return toAllowList('cilium 1.18', hosts, (mark) => [`# ${mark}`, ...lines].join('\n'), {
    notes: loopbackNote(hosts),
  })
}

/**
 * A plain NetworkPolicy: addresses only, so it is true at one moment.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/ (read 2026-11-21)
 */
export function toKubernetes(
  hosts: readonly HostEntry[],
  { addresses = {}, ...options }: KubernetesOptions = {},
): AllowList {
  checkOptions('kubernetes', options)
  const texts = Object.values(addresses).flat()
  const isAddress = (one: string): boolean =>
    addressFamily(one.includes(':') ? `[${one}]` : one) !== 0
  checkNames(
    'kubernetes',
    'an address or the name of a host',
    texts.map((one) =>
      isAddress(one) ? (one.includes(':') ? `[${one}]` : one) : `not an address: ${one}`,
    ),
  )
  const list = outside(hosts)
  const resolved = list.map(({ host, port }) => ({
    host,
    port,
    cidrs: addressFamily(host)
      ? [cidr(host)]
      : (addresses[host] ?? []).map((one) => cidr(one.includes(':') ? `[${one}]` : one)),
  }))
  const rules = resolved.flatMap(({ port, cidrs }) =>
    cidrs.length
      ? [
          `  - {to: [${unique(cidrs)
            .map((one) => `{ipBlock: {cidr: ${JSON.stringify(one)}}}`)
            .join(', ')}], ports: [{port: ${port}, protocol: TCP}]}`,
        ]
      : [],
  )
  const lines = [
    'apiVersion: networking.k8s.io/v1',
    'kind: NetworkPolicy',
    `metadata: {name: ${plain(options.name ?? 'model-egress')}}`,
    'spec:',
    `  podSelector: {matchLabels: ${podLabels(options)}}`,
    '  policyTypes: [Egress]',
    list.length ? '  egress:' : '  egress: []',
    ...(list.some(({ host }) => !addressFamily(host))
      ? [
          '  - {to: [{namespaceSelector: {}, podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}',
        ]
      : []),
    ...rules,
  ]
  return toAllowList(
    'kubernetes networking.k8s.io/v1',
    hosts,
    (mark) => [`# ${mark}`, ...lines].join('\n'),
    {
      notes: loopbackNote(hosts),
      warnings: [
        ...resolved
          .filter(({ cidrs }) => !cidrs.length)
          .map(({ host }) => `${host} is left out: its addresses were not given`),
        ...(list.some(({ host }) => !addressFamily(host))
          ? [
              'names were resolved once, and addresses of a CDN serve other customers too: resolve and apply again often',
            ]
          : []),
      ],
    },
  )
}
