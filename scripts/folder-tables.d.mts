/** docs/architecture.md as it is, and as it should be. */
export function folderTables(): { readonly current: string; readonly expected: string }
