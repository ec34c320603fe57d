import type { JsonObject } from '@modelport/core'

/** Permissions as Protolink's policy reads them: the default denies, and what is permitted is named. */
export const toProtolinkPermissions = (permissions: readonly string[]): JsonObject => ({
  default: 'deny',
  capabilities: Object.fromEntries(permissions.map((name) => [name, 'allow'])),
})
