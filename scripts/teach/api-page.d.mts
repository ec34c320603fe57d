import type { Workspace } from '../workspaces.mjs'

/** The page of a package's exports. */
export declare function apiPage(workspace: Workspace): string
