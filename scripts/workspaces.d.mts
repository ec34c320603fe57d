/** One package of this repository. */
export interface Workspace {
  /** Path from the repository root, e.g. `packages/core`. */
  readonly path: string
  /** Absolute path. */
  readonly dir: string
  readonly manifest: Readonly<Record<string, unknown>> & {
    readonly dependencies?: Record<string, string>
    readonly devDependencies?: Record<string, string>
    readonly peerDependencies?: Record<string, string>
  }
  /** e.g. `@modelport/core` */
  readonly name: string
  /** Name without the scope; also the vitest project. */
  readonly shortName: string
  readonly isPrivate: boolean
  readonly entries: readonly {
    readonly specifier: string
    readonly output: string
    readonly source: string
  }[]
}
export const root: string
export const discoverWorkspaces: () => readonly Workspace[]
/** What is released: the packages that are not private. */
export const publishedPackages: () => readonly Workspace[]
/** Ends the program where an entry of these packages is not built. */
export const requireBuild: (workspaces: readonly Workspace[]) => void
