/** The text of a page as it lies next to its neighbours in the folder of a package. */
export declare function carriedText(page: string, neighbours: readonly string[]): string
/** The name of its file there. */
export declare function nameOf(page: string, neighbours: readonly string[]): string
