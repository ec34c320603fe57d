export type { AllowList, AllowListRequirements } from './sandbox/allow-list.js'
export { type CodexOptions, toCodex } from './sandbox/codex.js'
export { type DenoOptions, toDeno } from './sandbox/deno.js'
export { type DockerOptions, toDocker } from './sandbox/docker.js'
export { toClaudeCode, toSrt } from './sandbox/domains.js'
export {
  type CiliumOptions,
  type KubernetesOptions,
  toCilium,
  toKubernetes,
} from './sandbox/kubernetes.js'
export { type NftablesOptions, toNftables } from './sandbox/nftables.js'
export { type NodeOptions, toNode } from './sandbox/node-permissions.js'
export { toSquid } from './sandbox/squid.js'
