import { type HostEntry } from '@modelport/factory'
import { toClaudeCode, toCodex, toDeno, toDocker, toNode, toSrt } from '@modelport/factory/sandbox'
import type { AllowLine } from './doctor-step.js'

/**
 * The lines for this host in the list of each sandbox, taken from the factory's own forms so that
 * the two cannot differ.
 */
export function toAllowLines(host: HostEntry): AllowLine[] {
  const list = [{ ...host, viaProxy: false }]
  const lines: readonly (readonly [sandbox: string, line: string, where: string])[] = [
    ['srt', domainsOf(toSrt(list).text), 'network.allowedDomains of ~/.srt-settings.json'],
    [
      'claude-code',
      domainsOf(toClaudeCode(list).text),
      'sandbox.network.allowedDomains of settings.json',
    ],
    [
      'codex',
      found(toCodex(list).text, /^.*= "allow"$/gm),
      '[permissions.workspace.network.domains] of config.toml',
    ],
    ['deno', found(toDeno(list).text, /'--allow-net=[^']+'|--allow-net=\S+/), 'deno run'],
    ['docker', found(toDocker(list).text, /^sbx .*$/gm), 'a shell'],
    ['node', found(toNode(list).text, /--allow-net\b/), 'node --permission; it allows every host'],
  ]
  return lines.flatMap(([sandbox, line, where]) => (line ? { sandbox, line, where } : []))
}

/** What fits in a text: the first part, or with the flag `g` each, one a line. */
const found = (text: string, form: RegExp): string => (text.match(form) ?? []).join('\n')

function domainsOf(text: string): string {
  interface Network {
    readonly allowedDomains?: readonly string[]
  }
  const { network, sandbox } = JSON.parse(text) as {
    readonly network?: Network
    readonly sandbox?: { readonly network?: Network }
  }
  return (
    (network ?? sandbox?.network)?.allowedDomains
      ?.map((domain) => JSON.stringify(domain))
      .join(', ') ?? ''
  )
}

/**
 * Sandboxes that can be recognized from inside, by their marks in the environment or in a refusal.
 */
export function sandboxOf(message: string): string | undefined {
  if (message.includes('blocked-by-sandbox-runtime')) return 'srt'
  if (message.includes('blocked-by-allowlist')) return 'codex'
  if (/NotCapable|Requires net access/.test(message)) return 'deno'
  if (message.includes('ERR_ACCESS_DENIED')) return 'node'
  return undefined
}
