import { apiHosts, type HostEntry, type ModelConfig } from '@modelport/factory'

const of = (...configs: (ModelConfig | string)[]): HostEntry[] =>
  apiHosts(configs, { environment: () => undefined })
const compatible = (baseUrl: string): ModelConfig => ({ provider: 'openai-compatible', baseUrl })

/** Lists of every kind, for the tools that have to read them. */
export const hostSets: Readonly<Record<string, readonly HostEntry[]>> = {
  'one vendor': of('anthropic'),
  'this computer': of('ollama'),
  'names, addresses and ports': of(
    'anthropic',
    'openai',
    'ollama',
    compatible('https://[2001:db8::1]:8443/v1'),
    compatible('http://10.1.2.3:8000/v1'),
    compatible('https://gate.example:8443/v1'),
    compatible('http://gate.example:8443/v1'),
    compatible('http://box:8000/v1'),
    compatible('https://bücher.example/v1'),
  ),
  'names that are words of a tool': of(
    ...['default', 'hostnames', 'include', 'volatile', 'all', 'none', 'null', 'on', '1e5'].map(
      (name) => compatible(`https://${name}/v1`),
    ),
  ),
  'a cloud with its tokens': of({
    provider: 'vertex',
    vertex: { location: 'eu', applicationDefault: true },
  }),
  "a cloud with every source of AWS's credentials": of({
    provider: 'bedrock',
    bedrock: { region: 'eu-west-1', credentials: 'default-chain' },
  }),
  'a proxy': of({ provider: 'anthropic', proxy: 'http://proxy.example:3128' }),
  nothing: of('mock'),
}
