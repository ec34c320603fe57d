import type { Workspace } from '../workspaces.ts'

export function withDependencies(
  names: readonly string[],
  packages: readonly Workspace[],
): readonly Workspace[]
export function oursOf(words: readonly string[]): readonly string[]
export function installLine(
  words: readonly string[],
  packages: readonly Workspace[],
  fileOf: (one: Workspace) => string,
): string
