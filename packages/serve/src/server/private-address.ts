/** True for a host that names this machine or a private network, before any name is resolved. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (host === 'localhost' || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host)) return true
  return isPrivateAddress(host)
}

/** True for an IP address that is not public: loopback, private, link-local, shared, multicast, reserved, and IPv4 inside IPv6. */
export function isPrivateAddress(address: string): boolean {
  const v4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  if (v4) return isPrivateV4(v4.slice(1).map(Number))
  if (!address.includes(':')) return false
  const groups = expandV6(address)
  if (!groups) return true
  const [first = 0, second = 0] = groups
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0xffff || groups[5] === 0)
  // Only the well-known prefix: each network decides about the local one, 64:ff9b:1::/48.
  const isNat64 = first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0)
  const low = (index: number) => [(groups[index] ?? 0) >> 8, (groups[index] ?? 0) & 255]
  if (isMapped || isNat64)
    return isPrivateV4([...low(6), ...low(7)]) || groups.slice(0, 7).every((group) => group === 0)
  if (first === 0x2002) return isPrivateV4([...low(1), ...low(2)])
  // Everything but global unicast, and the parts of it that are for documentation and tunnels.
  return first < 0x2000 || first >= 0x3fff || (first === 0x2001 && (second < 0x200 || second === 0xdb8))
}

function isPrivateV4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113)
  )
}

function expandV6(address: string): readonly number[] | undefined {
  const plain = address.split('%')[0] ?? ''
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain)
  const hex = (a: string | undefined, b: string | undefined) => (Number(a) * 256 + Number(b)).toString(16)
  const text = dotted ? `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}` : plain
  const [head = '', tail, extra] = text.split('::')
  if (extra !== undefined) return undefined
  const toGroups = (side: string) => (side ? side.split(':').map((group) => Number.parseInt(group, 16)) : [])
  const [left, right] = [toGroups(head), toGroups(tail ?? '')]
  const missing = 8 - left.length - right.length
  const groups =
    tail === undefined ? left : [...left, ...Array.from({ length: Math.max(0, missing) }, () => 0), ...right]
  return groups.length === 8 && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined
}
