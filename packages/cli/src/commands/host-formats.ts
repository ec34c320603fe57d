/** Every allow-list format, by the name it has here. */
export const allowListFormats = [
  'deno',
  'srt',
  'srt-no-ports',
  'claude-code',
  'codex',
  'codex-policy',
  'codex-network-access',
  'squid',
  'nginx',
  'cilium',
  'kubernetes',
  'nftables',
  'docker',
  'node',
] as const

/** One of them, or the list as text. */
export type HostFormat = 'list' | (typeof allowListFormats)[number]

/** Names that `--format` takes. */
export const hostFormats: readonly string[] = ['list', ...allowListFormats]
