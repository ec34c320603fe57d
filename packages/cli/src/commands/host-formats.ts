/** Every allow-list format, by the name it has here. */
export const allowListFormats = [
  'deno',
  'srt',
  'claude-code',
  'codex',
  'squid',
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
