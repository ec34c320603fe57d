import { type HostEntry } from '@modelport/factory'
import { toClaudeCode, toCodex, toDeno, toDocker, toNode, toSrt } from '@modelport/sandbox'
import type { AllowLine } from './doctor-step.js'

/** The lines for this host in the list of each sandbox, taken from the factory's own forms so that the two cannot differ. */
export function toAllowLines(host: HostEntry): AllowLine[] {
  const list = [{ ...host, viaProxy: false }]
  const lines: AllowLine[] = [
    { sandbox: 'srt', line: domainsOf(toSrt(list).text), where: 'network.allowedDomains of ~/.srt-settings.json' },
    {
      sandbox: 'claude-code',
      line: domainsOf(toClaudeCode(list).text),
      where: 'sandbox.network.allowedDomains of settings.json',
    },
    {
      sandbox: 'codex',
      line: toCodex(list)
        .text.split('\n')
        .filter((line) => line.endsWith('= "allow"'))
        .join('\n'),
      where: '[permissions.workspace.network.domains] of config.toml',
    },
    {
      sandbox: 'deno',
      line: /'--allow-net=[^']+'|--allow-net=\S+/.exec(toDeno(list).text)?.[0] ?? '',
      where: 'deno run',
    },
    {
      sandbox: 'docker',
      line: toDocker(list)
        .text.split('\n')
        .filter((line) => line.startsWith('sbx '))
        .join('\n'),
      where: 'a shell',
    },
    {
      sandbox: 'node',
      line: /--allow-net\b/.exec(toNode(list).text)?.[0] ?? '',
      where: 'node --permission; it allows every host',
    },
  ]
  return lines.filter(({ line }) => line)
}

function domainsOf(text: string): string {
  interface Network {
    readonly allowedDomains?: readonly string[]
  }
  const { network, sandbox } = JSON.parse(text) as {
    readonly network?: Network
    readonly sandbox?: { readonly network?: Network }
  }
  return (network ?? sandbox?.network)?.allowedDomains?.map((domain) => JSON.stringify(domain)).join(', ') ?? ''
}

/** Sandboxes that can be recognized from inside, by their marks in the environment or in a refusal. */
export function sandboxOf(message: string): string | undefined {
  if (message.includes('blocked-by-sandbox-runtime')) return 'srt'
  if (message.includes('blocked-by-allowlist')) return 'codex'
  if (/NotCapable|Requires net access/.test(message)) return 'deno'
  if (message.includes('ERR_ACCESS_DENIED')) return 'node'
  return undefined
}
